import PinPolicy

/// Tells which files are of a policy: editors ask about every YAML file that somebody opens.
enum PolicyFolder {
  /// The policy directory that a file belongs to, with a `/` at its end; nil where it is of no policy.
  ///
  /// The nearest directory above with a `manifest.yaml` that is a policy's (other formats have files of that name), or
  /// else the file's own directory, if the file itself looks like a policy, or like tests of one.
  ///
  /// - Parameters:
  ///   - path: Absolute.
  ///   - text: What the file holds.
  ///   - read: Answers what a file holds, by its path, where there is one.
  /// - Returns: The directory's path.
  static func of(_ path: String, text: [UInt8], read: (String) -> [UInt8]?) -> String? {
    let isTest = PolicyDirectory.isTestFile(path)
    guard isTest || PolicyDirectory.isPolicyFile(path) else { return nil }
    let isOurs = isTest ? looks(text, [Array("tests:".utf8)]) : looksLikePolicy(text)
    let (folder, isStated) = PolicyDirectory.rootFolder(above: path)
    guard isStated, folder.utf8.count > 1 else { return isOurs ? ownFolder(of: path) : nil }
    for name in ["manifest.yaml", "manifest.yml"] {
      if let settings = read(folder + name), looksLikePolicy(settings) { return folder }
    }
    return isOurs ? ownFolder(of: path) : nil
  }

  /// True for a text that states a version at the beginning of a line, and one of a policy's other fields.
  static func looksLikePolicy(_ text: [UInt8]) -> Bool { looks(text, fields) }

  private static func looks(_ text: [UInt8], _ fields: [[UInt8]]) -> Bool {
    var hasVersion = false
    var hasField = false
    for line in text.split(separator: UInt8(ascii: "\n")) {
      guard let first = line.first, first >= UInt8(ascii: "a"), first <= UInt8(ascii: "z") else { continue }
      if line.starts(with: version) { hasVersion = true }
      if fields.contains(where: { line.starts(with: $0) }) { hasField = true }
      if hasVersion, hasField { return true }
    }
    return false
  }

  private static let version = Array("version:".utf8)
  private static let fields = ["manifest:", "keys:", "key-sets:", "hosts:", "defaults:"].map { Array($0.utf8) }

  /// The root of the file system never counts as a policy.
  private static func ownFolder(of path: String) -> String? {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return nil }
    return String(path[...slash])
  }
}
