package import Diagnostics

extension PolicyDirectory {
  /// A file of a policy directory that isn't on disk, as its list of files names it.
  package struct Listed: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
      /// So many bytes.
      case file(Int)
      /// A symbolic link, which isn't followed.
      case link
      /// Another repository, which isn't looked into.
      case submodule
      /// On disk: a pipe, a socket or a device.
      case special
    }

    /// Relative to the policy directory.
    package var path: String
    package var kind: Kind

    package init(path: String, kind: Kind) {
      self.path = path
      self.kind = kind
    }
  }

  /// Puts a policy together from files that somebody else lists and reads, such as those of a commit.
  ///
  /// - Parameters:
  ///   - files: All files of the directory and those below it.
  ///   - root: What messages show in front of a path; empty, or ending in `/`.
  ///   - read: Reads a file by its path, whose size was listed.
  package init(
    _ files: [Listed], root: String,
    read: @escaping @Sendable (_ path: String) throws(FileReadError) -> [UInt8]
  ) {
    var found: [SourceSet.File] = []
    var failures: [String: PolicyProblem.Kind] = [:]
    for file in files where Self.isTestFile(file.path) && !Self.isHidden(file.path) {
      if case .file(let size) = file.kind, size <= PolicyTestFile.sizeLimit, let text = try? read(file.path),
        PolicyTestFile.isOne(text)
      {
        continue
      }
      found.append(SourceSet.File(path: root + file.path, bytes: []))
      failures[root + file.path] = .notTests
    }
    for file in files where Self.isOfPolicy(file.path.lowercased()) {
      var bytes: [UInt8] = []
      switch file.kind {
      case .submodule: continue
      case _ where Self.isMistakenName(file.path): failures[root + file.path] = .misnamedFile
      case .link: failures[root + file.path] = .unreadableFile(reason: Self.linkReason)
      case .special: failures[root + file.path] = .unreadableFile(reason: Self.specialReason)
      case .file(let size) where size > PolicyReader.sizeLimit:
        failures[root + file.path] = .fileTooLarge(bytes: size, limit: PolicyReader.sizeLimit)
      case .file:
        do throws(FileReadError) { bytes = try read(file.path) } catch {
          failures[root + file.path] = .unreadableFile(reason: error.reason)
        }
      }
      found.append(SourceSet.File(path: root + file.path, bytes: bytes))
    }
    if found.isEmpty {
      found.append(SourceSet.File(path: root, bytes: []))
      failures[root] = .noPolicyFiles
    }
    let sources = SourceSet(found)
    let kinds = Dictionary(files.map { ($0.path, $0.kind) }) { first, _ in first }
    let isBelowSubmodule: @Sendable (String) -> Bool = { path in
      path.indices.contains { path[$0] == "/" && kinds[String(path[..<$0])] == .submodule }
    }
    self.init(
      sources: sources,
      problems: sources.ids.compactMap { id in
        failures[sources[id].path].map { PolicyProblem($0, at: .beginning(of: id)) }
      },
      files: FileReader(root: root) { path throws(FileReadError) in
        switch kinds[path] {
        case .file(let size)?:
          guard size <= FileReader.sizeLimit else { throw .tooLarge }
          return try read(path)
        case .link?: throw FileReadError(Self.linkReason)
        case .submodule?: throw FileReadError("it is a submodule")
        case .special?: throw FileReadError(Self.specialReason)
        case nil:
          throw FileReadError(isBelowSubmodule(path) ? "it lies in a submodule" : "it doesn't exist")
        }
      })
  }

  /// The most bytes that a file of a policy may have, whatever it holds.
  package static let fileLimit = max(PolicyReader.sizeLimit, FileReader.sizeLimit)

  package static let specialReason = "it is neither a file nor a folder"
  private static let linkReason = "a symbolic link of a commit isn't followed"

  /// Whether a path leads to a policy file, hidden files and folders left out, as they are on disk.
  package static func isOfPolicy(_ path: String) -> Bool {
    isPolicyFile(path) && !isHidden(path)
  }

  private static func isHidden(_ path: String) -> Bool {
    path.utf8.split(separator: UInt8(ascii: "/")).contains { $0.first == UInt8(ascii: ".") }
  }
}

extension PolicyDirectory {
  /// A directory with no files in it.
  package static let empty = PolicyDirectory(
    sources: SourceSet([]), problems: [],
    files: FileReader(root: "") { _ throws(FileReadError) in throw FileReadError("it doesn't exist") })

  /// The directory as it would be with further policy files, or with others in their place; nothing is written.
  package func adding(_ added: [SourceSet.File]) -> PolicyDirectory {
    replacing(files: added, without: Set(added.map(\.path)))
  }

  /// The directory as it would be without one of its files.
  package func without(_ path: String) -> PolicyDirectory {
    replacing(files: [], without: [path])
  }

  private func replacing(files added: [SourceSet.File], without paths: Set<String>) -> PolicyDirectory {
    // Without any policy file, the directory itself is among the sources.
    let none = Set(problems.filter { $0.kind == .noPolicyFiles }.map { sources[$0.place.file].path })
    let gone = paths.union(none)
    let all = SourceSet(sources.files.filter { !gone.contains($0.path) } + added)
    let numbers = Dictionary(all.files.indices.map { (all.files[$0].path, $0) }) { first, _ in first }
    let problems = problems.compactMap { problem -> PolicyProblem? in
      let path = sources[problem.place.file].path
      guard !gone.contains(path), let number = numbers[path] else { return nil }
      return PolicyProblem(problem.kind, at: .beginning(of: FileID(number)))
    }
    return PolicyDirectory(sources: all, problems: problems, files: self.files)
  }
}

extension PolicyDirectory {
  /// The directory as it would be with other texts in some of its policy files; nothing is written.
  package func replacing(_ texts: [FileID: [UInt8]]) -> PolicyDirectory {
    let files = sources.ids.map { id in
      SourceSet.File(path: sources[id].path, bytes: texts[id] ?? sources[id].bytes)
    }
    return PolicyDirectory(sources: SourceSet(files), problems: problems, files: self.files)
  }
}
