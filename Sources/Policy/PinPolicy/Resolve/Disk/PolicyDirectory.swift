package import Diagnostics
import Glibc
package import OpenSSLKit

/// The policy files of one directory, read from disk.
package struct PolicyDirectory: Sendable {
  /// The policy files, under the paths that messages show: as the caller named them.
  package let sources: SourceSet
  /// Files that could not be read, links that lead out; or that there are none.
  package let problems: [PolicyProblem]
  /// Reads the key files of the directory.
  package let files: FileReader
  /// The files whose findings the caller asked for; nil for all.
  package let asked: Set<FileID>?
  /// The paths of the files with tests of the policy, relative to the directory, in order.
  package private(set) var tests: [String] = []
  /// Those of them that the caller asked for; nil for all.
  package private(set) var askedTests: Set<String>?

  /// Loads the directory that the paths name or are in.
  ///
  /// A policy is a whole directory: where single files are named, the nearest directory above them with a
  /// `manifest.yaml` is loaded, or the one that they are in, and ``asked`` says which files were meant.
  ///
  /// - Parameter paths: Directories or policy files; of several, one directory holds all others.
  /// - Returns: The directory's policy files and what could not be read.
  /// - Throws: ``PolicyDirectoryError`` where the paths don't name one directory.
  package static func load(_ paths: [String]) throws(PolicyDirectoryError) -> PolicyDirectory {
    var folders: [String] = []
    var named: [String] = []
    var isWhole = paths.isEmpty
    for path in paths {
      switch ConfinedFolder.kind(path) {
      case .folder, .linkToFolder:
        folders.append(prefix(path))
        isWhole = true
      case .file:
        let file = clean(path)
        guard isPolicyFile(file) || isTestFile(file) else { throw .notAPolicyFile(path) }
        named.append(file)
        folders.append(policyFolder(of: file))
      case .other:
        throw .unreadable(path, reason: access(path, F_OK) == 0 ? "it isn't a file" : ConfinedFolder.words(errno))
      }
    }
    let root = folders.min { $0.utf8.count < $1.utf8.count } ?? ""
    for folder in folders where !contains(root, folder) { throw .severalDirectories(root, folder) }
    do throws(ConfinedFolder.Failure) {
      return PolicyDirectory(try ConfinedFolder(root), root: root, named: isWhole ? nil : Set(named))
    } catch {
      throw .unreadable(root.isEmpty ? "." : root, reason: error.reason)
    }
  }

  /// Loads each directory that the paths name or are in, once: hooks name thousands of files of one.
  package static func loadEach(_ paths: [String]) throws(PolicyDirectoryError) -> [PolicyDirectory] {
    var groups: [[String]] = []
    // The index of each directory's group of files; a directory that is named itself has its own group.
    var numbers: [String: Int] = [:]
    for path in paths {
      guard ConfinedFolder.kind(path) == .file else {
        groups.append([path])
        continue
      }
      let folder = policyFolder(of: clean(path))
      if let number = numbers[folder] {
        groups[number].append(path)
      } else {
        numbers[folder] = groups.count
        groups.append([path])
      }
    }
    var directories: [PolicyDirectory] = []
    for group in groups { directories.append(try load(group)) }
    return directories
  }

  init(sources: SourceSet, problems: [PolicyProblem], files: FileReader) {
    self.sources = sources
    self.problems = problems
    self.files = files
    asked = nil
  }

  private init(_ folder: ConfinedFolder, root: String, named: Set<String>?) {
    var memory = PolicyFileMemory()
    self.init(folder, root: root, named: named, under: [:], remembering: &memory)
  }

  /// Reads the files; `texts` takes the place of some, by their paths with the root in front, or is beside them.
  init(
    _ folder: ConfinedFolder, root: String, named: Set<String>?, under texts: [String: [UInt8]],
    remembering memory: inout PolicyFileMemory
  ) {
    var texts = texts
    var found: [SourceSet.File] = []
    var tests: [String] = []
    var failures: [String: PolicyProblem.Kind] = [:]
    func fail(_ path: String, _ kind: PolicyProblem.Kind) {
      found.append(SourceSet.File(path: path, bytes: []))
      failures[path] = kind
    }
    var waiting = [""]
    while let current = waiting.popLast() {
      let names: [String]
      do throws(ConfinedFolder.Failure) { names = try folder.names(in: current) } catch {
        fail(root + current, .unreadableFile(reason: error.reason))
        continue
      }
      for name in names {
        let path = current + name
        let kind: ConfinedFolder.Kind
        do throws(ConfinedFolder.Failure) { kind = try folder.kind(path) } catch {
          fail(root + path, .unreadableFile(reason: error.reason))
          continue
        }
        switch kind {
        case .folder: waiting.append(path + "/")
        case .linkToFolder: fail(root + path, .unreadableFile(reason: "a link to a directory isn't followed"))
        case .file, .other:
          guard Self.isPolicyFile(name) else {
            if Self.isTestFile(name) {
              tests.append(path)
              do throws(ConfinedFolder.Failure) {
                let text = try folder.read(path, limit: PolicyTestFile.sizeLimit)
                if !PolicyTestFile.isOne(text) { fail(root + path, .notTests) }
              } catch {
                fail(root + path, Self.problem(error))
              }
            }
            if Self.isMistakenName(name) { fail(root + path, .misnamedFile) }
            continue
          }
          if let text = texts.removeValue(forKey: root + path) {
            found.append(SourceSet.File(path: root + path, bytes: text))
            continue
          }
          do throws(ConfinedFolder.Failure) {
            let bytes = try memory.read(path, in: folder, limit: PolicyReader.sizeLimit)
            found.append(SourceSet.File(path: root + path, bytes: bytes))
          } catch {
            fail(root + path, Self.problem(error))
          }
        }
      }
    }
    // Files that aren't on disk yet.
    for (path, text) in texts where path.utf8.starts(with: root.utf8) {
      guard Self.isOfPolicy(String(Substring(path.utf8.dropFirst(root.utf8.count)))) else { continue }
      found.append(SourceSet.File(path: path, bytes: text))
    }
    if found.isEmpty { fail(root.isEmpty ? "." : root, .noPolicyFiles) }
    let sources = SourceSet(found)
    self.sources = sources
    problems = sources.ids.compactMap { id in
      failures[sources[id].path].map { PolicyProblem($0, at: .beginning(of: id)) }
    }
    files = FileReader(
      root: root,
      read: { path throws(FileReadError) in
        do throws(ConfinedFolder.Failure) { return try folder.read(path, limit: FileReader.sizeLimit) } catch {
          if case .tooLarge = error { throw .tooLarge }
          throw FileReadError(error.reason)
        }
      }, stamp: { path in folder.stamp(path) })
    asked = named.map { named in Set(sources.ids.filter { named.contains(sources[$0].path) }) }
    tests.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    self.tests = tests
    askedTests = named.map { named in Set(tests.filter { named.contains(root + $0) }) }
  }

  /// The directory whose policy a file belongs to, as the front of its path: the nearest one above it with a
  /// `manifest.yaml`, else the one that it is in.
  private static func policyFolder(of file: String) -> String { rootFolder(above: file).folder }

  /// The nearest directory above a file with a `manifest.yaml`; else, as `isStated` then says, the one it is in.
  package static func rootFolder(above file: String) -> (folder: String, isStated: Bool) {
    func folder(above path: String) -> String? {
      let inner = path.last == "/" ? path.dropLast() : path[...]
      guard let slash = inner.lastIndex(of: "/") else { return inner.isEmpty ? nil : "" }
      return String(inner[...slash])
    }
    let own = folder(above: file) ?? ""
    var current: String? = own
    while let candidate = current {
      let isRoot = ["manifest.yaml", "manifest.yml"].contains { access(candidate + $0, F_OK) == 0 }
      if isRoot { return (candidate, true) }
      current = folder(above: candidate)
    }
    return (own, false)
  }

  /// What a directory of a policy holds, hidden entries left out; nothing where it can't be read or lies outside.
  package static func names(in folder: String, of root: String) -> [(name: String, isFolder: Bool)] {
    guard folder.utf8.starts(with: root.utf8), let confined = try? ConfinedFolder(root) else { return [] }
    let relative = String(Substring(folder.utf8.dropFirst(root.utf8.count)))
    return ((try? confined.names(in: relative)) ?? []).compactMap { name in
      switch try? confined.kind(relative + name) {
      case .folder?: (name, true)
      case .file?: (name, false)
      case .linkToFolder?, .other?, nil: nil
      }
    }
  }

  /// Whether a directory holds another one, as far as their paths say.
  private static func contains(_ folder: String, _ other: String) -> Bool {
    guard folder.isEmpty else { return other.utf8.starts(with: folder.utf8) }
    return other.utf8.first != UInt8(ascii: "/") && other.split(separator: "/").first != ".."
  }

  private static func problem(_ failure: ConfinedFolder.Failure) -> PolicyProblem.Kind {
    if case .tooLarge(let bytes) = failure { return .fileTooLarge(bytes: bytes, limit: PolicyReader.sizeLimit) }
    return .unreadableFile(reason: failure.reason)
  }

  package static func isPolicyFile(_ path: String) -> Bool { isVisible(path, ".yaml", ".yml") && !isTestFile(path) }

  /// Whether a file has tests of the policy; it isn't a part of the policy.
  package static func isTestFile(_ path: String) -> Bool { isVisible(path, ".test.yaml", ".test.yml") }

  private static func isVisible(_ path: String, _ endings: String...) -> Bool {
    let name = path.split(separator: "/").last ?? ""
    return name.utf8.first != UInt8(ascii: ".") && endings.contains { name.hasSuffix($0) }
  }

  /// True for `X.YAML`, which somebody named like a policy or test file by mistake; hidden files are left out on purpose.
  static func isMistakenName(_ path: String) -> Bool {
    let meant = path.lowercased()
    return !isPolicyFile(path) && isPolicyFile(meant) || !isTestFile(path) && isTestFile(meant)
  }

  /// The path without `./` at its front and repeated slashes.
  private static func clean(_ path: String) -> String {
    var cleaned = path.utf8.first == UInt8(ascii: "/") ? "/" : ""
    var isFirst = true
    // Joined by hand: the first use of a generic type makes the runtime search all conformances, which a short command
    // notices.
    for part in path.split(separator: "/").drop(while: { $0 == "." }) {
      if !isFirst { cleaned += "/" }
      cleaned += String(part)
      isFirst = false
    }
    return cleaned
  }

  /// What the paths of a directory's files begin with.
  private static func prefix(_ path: String) -> String {
    let cleaned = clean(path)
    return cleaned.isEmpty || cleaned == "/" ? cleaned : cleaned + "/"
  }
}

extension PolicyDirectory {
  /// Reads the policy files and resolves what they say.
  ///
  /// Of several audiences, the policy is that of the one that is named, else of the first.
  package func policy(for audience: String? = nil) throws(CryptoError) -> Policy {
    try Resolver.resolve(PolicyReader.read(sources, unread: problems), files: files, for: audience)
  }

  /// Reads the policy files, and resolves what they say for each audience; for one where they name no several.
  ///
  /// `names` chooses audiences among all.
  package func policies(for names: ([String]) -> [String]) throws(CryptoError) -> [Policy] {
    let parsed = PolicyReader.read(sources, unread: problems)
    var memory = KeyFileMemory()
    let audiences = parsed.audiences.map(\.name.value)
    return try Resolver.resolve(
      parsed, files: files, forEach: audiences.isEmpty ? [nil] : names(audiences), remembering: &memory)
  }
}

/// Why paths name no policy directory.
package enum PolicyDirectoryError: Error, Hashable, Sendable {
  /// Nothing there, or nothing that can be read.
  case unreadable(String, reason: String)
  /// A file that isn't a policy file by its name.
  case notAPolicyFile(String)
  /// Two directories of which none holds the other: two policies.
  case severalDirectories(String, String)

  /// What is wrong and what to do.
  package var message: String {
    switch self {
    case .unreadable(let path, let reason): "\(path): \(reason)"
    case .notAPolicyFile(let path): "\(path): a policy file's name ends in .yaml or .yml and doesn't begin with a dot"
    case .severalDirectories(let one, let other):
      "\(one) and \(other) are two directories; a policy is one, so check them one by one"
    }
  }
}
