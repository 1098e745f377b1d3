import PinValidator

/// How the resolver gets at the key files that a policy names: from disk, or from a test's table.
package struct FileReader: Sendable {
  /// What the paths of the policy's files begin with, up to the policy directory; empty, or with a `/` at its end.
  package let root: String
  /// Reads a file by its path relative to the policy directory, without `.` and `..` in it.
  package let read: @Sendable (_ path: String) throws(FileReadError) -> [UInt8]

  /// What tells a file from what was at its path before; nil where that can't be told, and the file is read again.
  let stamp: @Sendable (_ path: String) -> FileIdentity?

  /// More bytes than any certificate, request or public key has.
  package static let sizeLimit = 1 << 20

  package init(root: String, read: @escaping @Sendable (_ path: String) throws(FileReadError) -> [UInt8]) {
    self.init(root: root, read: read) { _ in nil }
  }

  init(
    root: String, read: @escaping @Sendable (_ path: String) throws(FileReadError) -> [UInt8],
    stamp: @escaping @Sendable (_ path: String) -> FileIdentity?
  ) {
    self.root = root
    self.read = read
    self.stamp = stamp
  }

  /// Reads a file by a path that another file names, relative to itself.
  package func read(_ written: String, in file: String) throws(FileReadError) -> [UInt8] {
    guard let path = PolicyPath.resolve(written, in: file) else { throw .outside }
    return try read(path)
  }

  /// The path of a policy file relative to the policy directory.
  func relative(_ path: String) -> String {
    path.utf8.starts(with: root.utf8) ? String(Substring(path.utf8.dropFirst(root.utf8.count))) : path
  }
}

/// Why a file can't be read.
package struct FileReadError: Error, Hashable, Sendable {
  /// A clause about the file: `it doesn't exist`.
  package let reason: String

  package init(_ reason: String) {
    self.reason = reason
  }

  static let tooLarge = FileReadError("it has more than \(FileReader.sizeLimit >> 20) MiB")
  static let outside = FileReadError("it lies outside the policy directory")
}

/// Paths inside a policy directory.
enum PolicyPath {
  /// The path that a policy file means by one of its own, relative to the policy directory.
  ///
  /// - Parameters:
  ///   - written: The path as the policy writes it, relative to its own file.
  ///   - file: The policy file's path, relative to the policy directory.
  /// - Returns: The path without `.` and `..`, or nil where it leads out of the policy directory.
  static func resolve(_ written: String, in file: String) -> String? {
    guard written.utf8.first != UInt8(ascii: "/") else { return nil }
    var parts = file.utf8.split(separator: UInt8(ascii: "/")).dropLast().map { String(Substring($0)) }
    for part in written.utf8.split(separator: UInt8(ascii: "/")).map({ String(Substring($0)) }) {
      switch part {
      case ".": continue
      case "..":
        guard parts.popLast() != nil else { return nil }
      default: parts.append(part)
      }
    }
    return parts.isEmpty ? nil : parts.joined(separator: "/")
  }

  /// A path of one policy file as another one has to write it; nil where it leads out of the policy directory.
  static func relative(_ written: String, of file: String, from other: String) -> String? {
    if file == other { return written }
    guard let target = resolve(written, in: file) else { return nil }
    let to = target.split(separator: "/")
    let from = other.split(separator: "/").dropLast()
    let shared = zip(to.dropLast(), from).prefix { $0 == $1 }.count
    return (from.dropFirst(shared).map { _ in ".." } + to.dropFirst(shared)).joined(separator: "/")
  }
}
