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
  func stamp(_ relative: String) -> FileStamp? {
    var status = stat()
    guard stat(path + relative, &status) == 0 else { return nil }
    return FileStamp(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size),
      modified: [
        status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
      ])
  }

  /// The names in a directory below this one (or in this one, for an empty path), sorted, without hidden ones.
  package func names(in relative: String) throws(Failure) -> [String] {
    let folder = path + relative
    guard let stream = opendir(folder.isEmpty ? "." : folder) else { throw .system(code: errno) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { raw in
        String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.utf8.first != UInt8(ascii: ".") { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// What a path below the directory stands for.
  ///
  /// - Throws: ``Failure`` where that can't be found out: the path is longer than the system takes, or its directory may
  ///   not be entered.
  func kind(_ relative: String) throws(Failure) -> Kind {
    var status = stat()
    guard lstat(path + relative, &status) == 0 else {
      // Removed after its name was read.
      if errno == ENOENT { return .other }
      throw .system(code: errno)
    }
    guard status.st_mode & S_IFMT == S_IFLNK else { return Self.kind(of: status) }
    let kind = Self.kind(path + relative)
    return kind == .folder ? .linkToFolder : kind
  }

  /// What a path stands for, behind all links.
  static func kind(_ path: String) -> Kind {
    var status = stat()
    return stat(path, &status) == 0 ? kind(of: status) : .other
  }

  private static func kind(of status: stat) -> Kind {
    switch status.st_mode & S_IFMT {
    case S_IFREG: .file
    case S_IFDIR: .folder
    default: .other
    }
  }

  private static func realPath(_ path: String) throws(Failure) -> String {
    guard let real = realpath(path, nil) else { throw errno == ENOENT ? .missing : .system(code: errno) }
    defer { free(real) }
    return String(cString: real)
  }

  /// The operating system's words for an error.
  static func words(_ code: Int32) -> String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }
}
