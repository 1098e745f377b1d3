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
}
