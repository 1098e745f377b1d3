package import Diagnostics
import Glibc
import PinFormat
import PinValidator

/// Files that are read as a whole, by the paths that people give.
package enum InputFile {
  /// The most bytes of a key, a request or a certificate.
  package static let keyLimit = FileReader.sizeLimit
  /// Those of a keyset; a little more than one may have, so that the error says what is wrong.
  package static let keysetLimit = 2 * FormatLimits.keysetBytes
  /// Those of a manifest.
  package static let manifestLimit = FormatLimits.clientFileBytes

  /// Reads a file that isn't longer than its limit; `-` is standard input.
  package static func read(_ path: String, limit: Int) throws(WorkFailure) -> [UInt8] {
    do {
      return try WholeFile.read(path == "-" ? "/dev/stdin" : path, limit: limit)
    } catch {
      throw WorkFailure(.failed, error.message, help: UnreadablePath.help(path, error.number))
    }
  }

  /// True where two paths lead to one file.
  package static func isSame(_ one: String, _ other: String) -> Bool {
    guard let first = FileIdentity(of: one), let second = FileIdentity(of: other) else { return false }
    return first.isSameFile(as: second)
  }

  /// Where a path leads, behind all links; nil where it leads nowhere.
  package static func realPath(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  /// True for a symbolic link.
  package static func isLink(_ path: String) -> Bool { FileIdentity(ofLink: path)?.isLink ?? false }

  /// True for a regular file, also behind a link; a FIFO might never end.
  package static func isRegular(_ path: String) -> Bool { FileIdentity(of: path)?.isRegular ?? false }

  /// Whether pintle may read it.
  package static func isReadable(_ path: String) -> Bool { access(path, R_OK) == 0 }

  /// Whether a regular file begins with `#!`; nothing more of it is read.
  package static func isScript(_ path: String) -> Bool {
    guard isRegular(path), let file = fopen(path, "re") else { return false }
    defer { fclose(file) }
    setvbuf(file, nil, _IONBF, 0)
    var bytes: [UInt8] = [0, 0]
    return fread(&bytes, 1, 2, file) == 2 && bytes == Array("#!".utf8)
  }

  /// True for a folder on disk, also behind a link.
  package static func isFolder(_ path: String) -> Bool { FileIdentity(of: path)?.isFolder ?? false }
}

/// A path that can't be read.
enum UnreadablePath {
  /// What to do about it, by the system's error number; nil if the number says nothing about the path.
  static func help(_ path: String, _ number: Int32) -> String? {
    switch number {
    case ENOENT, ENOTDIR: missing(path)
    case EACCES, EPERM:
      "Give the user who runs pintle permission to read it, and to enter the directories above it."
    case EISDIR: "It is a directory: name a file in it."
    default: nil
    }
  }

  /// Names a similar file, or says that the directory is missing too.
  private static func missing(_ path: String) -> String {
    if let near = near(path) { return "Did you mean '\(near)'?" }
    let folder = parts(of: path).folder
    guard folder.isEmpty || access(folder, F_OK) == 0 else {
      return "The directory '\(folder)' doesn't exist: "
        + (near(folder).map { "did you mean '\($0)/'?" } ?? "check the path, which is relative to where pintle runs.")
    }
    return "Check the path, which is relative to where pintle runs."
  }

  /// The path beside a missing one that has a similar name, or the same one with a file's ending.
  static func near(_ path: String) -> String? {
    let (folder, name) = parts(of: path)
    let (stem, ending) = ending(of: name)
    let names = PolicyDirectory.names(in: folder, of: folder).map(\.name)
    if let whole = names.first(where: { ending.isEmpty && Self.ending(of: $0).stem == name }) { return folder + whole }
    let stems = names.filter { Self.ending(of: $0).ending == ending }.map { Self.ending(of: $0).stem }
    return Suggestion.nearest(to: stem, among: stems).map { folder + $0 + ending }
  }

  /// A name without what is behind its first dot, and that.
  private static func ending(of name: String) -> (stem: String, ending: String) {
    guard let dot = name.dropFirst().firstIndex(of: ".") else { return (name, "") }
    return (String(name[..<dot]), String(name[dot...]))
  }

  /// The directory with a slash behind it, empty for the current one, and the last name.
  private static func parts(of path: String) -> (folder: String, name: String) {
    var path = path
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    guard let slash = path.lastIndex(of: "/") else { return ("", path) }
    return (String(path[...slash]), String(path[path.index(after: slash)...]))
  }
}

/// A path that can't be written.
package enum UnwritablePath {
  /// What to do about it, by the system's error number; nil if the number says nothing about the path.
  package static func help(_ path: String, _ number: Int32) -> String? {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
    return switch number {
    case ENOENT, ENOTDIR:
      "The directory '\(folder)' doesn't exist: create it with 'mkdir -p', or write to another path."
    case EACCES, EPERM:
      "Give the user who runs pintle permission to write in '\(folder)', where a new file is made and renamed."
    case EROFS: "The file system is mounted read-only: write to another path."
    case ENOSPC, EDQUOT: "The file system is full: free some space, or write to another path."
    case EEXIST: "Choose another path, or remove the file: it may have signatures."
    case EISDIR: "It is a directory: name a file in it."
    default: nil
    }
  }
}
