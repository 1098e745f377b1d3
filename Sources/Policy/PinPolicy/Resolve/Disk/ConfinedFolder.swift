import Glibc
import PinValidator

/// A directory on disk, and nothing outside of it: links that lead out are refused.
package struct ConfinedFolder: Sendable {
  /// Why a file can't be read.
  package enum Failure: Error, Hashable {
    case missing
    case outside
    case notAFile
    case tooLarge(bytes: Int)
    case system(code: Int32)

    /// Why the file can't be read: a clause about it, or the operating system's words.
    package var reason: String {
      switch self {
      case .missing: "it doesn't exist"
      case .outside: "it lies outside the policy directory"
      case .notAFile: "it isn't a file"
      case .tooLarge: "it is too large"
      case .system(let code): ConfinedFolder.words(code)
      }
    }
  }

  /// What a name in a directory stands for.
  enum Kind {
    case file
    case folder
    case linkToFolder
    case other
  }

  /// The path as the caller names the directory; empty for the one that the process is in.
  private let path: String
  /// The path without links, which all that is read must lie below.
  private let realPath: String

  /// Opens a directory; `path` ends in `/` or is empty.
  package init(_ path: String) throws(Failure) {
    self.path = path
    realPath = try Self.realPath(path.isEmpty ? "." : path)
    guard Self.kind(realPath) == .folder else { throw .notAFile }
  }

  /// Reads a whole file below the directory.
  package func read(_ relative: String, limit: Int) throws(Failure) -> [UInt8] {
    let real = try Self.realPath(path + relative)
    guard real.utf8.starts(with: (realPath == "/" ? realPath : realPath + "/").utf8) else { throw .outside }
    do throws(FileError) {
      // Doesn't wait for a pipe's writer, and doesn't follow a link that was made after the check.
      return try WholeFile.read(real, limit: limit, onlyRegular: true, followsLink: false)
    } catch {
      switch error.number {
      case EFBIG: throw .tooLarge(bytes: Int(stamp(relative)?.size ?? 0))
      case EINVAL, EISDIR: throw .notAFile
      default: throw .system(code: error.number)
      }
    }
  }

  /// What tells whether a file below the directory is what it was; nil where there is none.
  func stamp(_ relative: String) -> FileIdentity? { FileIdentity(of: path + relative) }

  /// The names in a directory below this one (or in this one, for an empty path), sorted, without hidden ones.
  package func names(in relative: String) throws(Failure) -> [String] {
    let folder = path + relative
    do throws(FileError) {
      return try SafeFolder(folder.isEmpty ? "." : folder).names().filter { $0.utf8.first != UInt8(ascii: ".") }
    } catch {
      throw .system(code: error.number)
    }
  }

  /// What a path below the directory stands for.
  ///
  /// - Throws: ``Failure`` where that can't be found out: the path is longer than the system takes, or its directory may
  ///   not be entered.
  func kind(_ relative: String) throws(Failure) -> Kind {
    guard let file = FileIdentity(ofLink: path + relative) else {
      // Removed after its name was read.
      if errno == ENOENT { return .other }
      throw .system(code: errno)
    }
    guard file.isLink else { return Self.kind(of: file) }
    let kind = Self.kind(path + relative)
    return kind == .folder ? .linkToFolder : kind
  }

  /// What a path stands for, behind all links.
  static func kind(_ path: String) -> Kind {
    FileIdentity(of: path).map { kind(of: $0) } ?? .other
  }

  private static func kind(of file: FileIdentity) -> Kind {
    file.isRegular ? .file : file.isFolder ? .folder : .other
  }

  private static func realPath(_ path: String) throws(Failure) -> String {
    guard let real = InputFile.realPath(path) else { throw errno == ENOENT ? .missing : .system(code: errno) }
    return real
  }

  /// The operating system's words for an error.
  static func words(_ code: Int32) -> String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }
}
