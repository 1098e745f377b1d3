package import Diagnostics
import Glibc
package import PinPolicy
import PinValidator

/// The files of a folder, as a commit has them or as they are on disk; links are never followed.
package struct RepositoryTree: Sendable {
  package let files: [PolicyDirectory.Listed]
  private let kinds: [String: PolicyDirectory.Listed.Kind]
  private let reader: @Sendable (_ path: String, _ limit: Int) throws(FileReadError) -> [UInt8]

  /// More files than a policy repository has: a limit on what a mistake can cost.
  private static let fileLimit = 100_000

  package init(_ commit: GitCommit) {
    self.init(commit.files) { path, limit throws(FileReadError) in try commit.read(path, limit: limit) }
  }

  /// A folder on disk, without `.git`; one that isn't there, or is a link, has no files.
  package init(folder: String) throws(WorkFailure) {
    guard FileIdentity(ofLink: folder)?.isFolder == true else {
      self.init([]) { _, _ throws(FileReadError) in throw FileReadError("it doesn't exist") }
      return
    }
    var files: [PolicyDirectory.Listed] = []
    var waiting = [""]
    while let current = waiting.popLast() {
      let place = current.isEmpty ? folder : folder + "/" + current
      let names: [String]
      do throws(FileError) { names = try SafeFolder(place).names() } catch {
        throw WorkFailure(.failed, "can't read '\(VisibleText.of(place))': \(error.detail)")
      }
      for name in names where !(current.isEmpty && name == ".git") {
        let path = current.isEmpty ? name : current + "/" + name
        guard let file = FileIdentity(ofLink: folder + "/" + path) else {
          throw WorkFailure(
            .failed, "can't read '\(VisibleText.of(folder + "/" + path))': \(String(cString: strerror(errno)))")
        }
        if file.isFolder {
          waiting.append(path)
        } else {
          let kind: PolicyDirectory.Listed.Kind =
            file.isRegular ? .file(Int(file.size)) : file.isLink ? .link : .special
          files.append(PolicyDirectory.Listed(path: path, kind: kind))
        }
        guard files.count + waiting.count <= Self.fileLimit else {
          throw WorkFailure(
            .failed, "'\(VisibleText.of(folder))' has more than \(Self.fileLimit) files",
            help: "Keep the policy in a repository of its own.")
        }
      }
    }
    let kinds = Dictionary(files.map { ($0.path, $0.kind) }) { first, _ in first }
    self.init(files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }) {
      path, limit throws(FileReadError) in
      // As in a commit, what a link holds is where it leads.
      if kinds[path] == .link { return try Self.target(of: folder + "/" + path) }
      do throws(FileError) {
        return try WholeFile.read(folder + "/" + path, limit: limit, onlyRegular: true, followsLink: false)
      } catch {
        throw FileReadError(error.detail)
      }
    }
  }

  private static func target(of link: String) throws(FileReadError) -> [UInt8] {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(link, &target, target.count)
    guard count >= 0 else { throw FileReadError(String(cString: strerror(errno))) }
    return target.prefix(count).map { UInt8(bitPattern: $0) }
  }

  private init(
    _ files: [PolicyDirectory.Listed],
    _ reader: @escaping @Sendable (_ path: String, _ limit: Int) throws(FileReadError) -> [UInt8]
  ) {
    (self.files, self.reader) = (files, reader)
    kinds = Dictionary(files.map { ($0.path, $0.kind) }) { first, _ in first }
  }

  /// A file's kind; nil where there is none.
  package func kind(_ path: String) -> PolicyDirectory.Listed.Kind? { kinds[path] }

  package func read(_ path: String, limit: Int = PolicyDirectory.fileLimit) throws(FileReadError) -> [UInt8] {
    try reader(path, limit)
  }

  /// Whether a path is the same file or link in another tree; files that are too long to be compared aren't.
  package func isSame(_ path: String, in other: RepositoryTree) throws(FileReadError) -> Bool {
    guard kinds[path] == other.kinds[path] else { return false }
    switch kinds[path] {
    case .file(let size)?:
      guard size <= InputFile.manifestLimit else { return false }
      return try read(path, limit: size) == other.read(path, limit: size)
    case .link?: return try read(path) == other.read(path)
    case .submodule?, .special?, nil: return true
    }
  }

  /// Reads a file that isn't longer than a limit; links and submodules aren't files.
  package func regular(_ path: String, limit: Int) throws(FileReadError) -> [UInt8] {
    switch kinds[path] {
    case .file(let size)?:
      guard size <= limit else { throw FileReadError("it has \(size) bytes; the limit is \(limit)") }
      return try read(path, limit: limit)
    case .link?: throw FileReadError("it is a symbolic link, which isn't followed")
    case .submodule?: throw FileReadError("it is a submodule")
    case .special?: throw FileReadError(PolicyDirectory.specialReason)
    case nil: throw FileReadError("it doesn't exist")
    }
  }
}
