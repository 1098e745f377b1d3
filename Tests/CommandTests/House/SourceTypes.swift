import Foundation

/// The types that the sources declare, by reading their lines: names, and where they are.
struct SourceTypes {
  /// A declaration of a type.
  struct Declaration {
    var name: String
    var file: String
    /// Outside of other declarations, and not the file's own.
    var isVisible: Bool
  }

  static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized

  let all: [Declaration]

  init() throws {
    let files = FileManager.default.enumerator(atPath: Self.root.appending(path: "Sources").path())
    let paths = (files?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".swift") }.sorted()
    all = try paths.flatMap { path in
      let text = try String(contentsOf: Self.root.appending(path: "Sources/" + path), encoding: .utf8)
      return text.split(separator: "\n").compactMap { Self.declaration(in: $0, of: path) }
    }
  }

  private static func declaration(in line: Substring, of file: String) -> Declaration? {
    var words = line.split(whereSeparator: { " :<({".contains($0) })[...]
    while let first = words.first, first.hasPrefix("@") || modifiers.contains(first) { words.removeFirst() }
    guard let kind = words.first, kinds.contains(kind), let name = words.dropFirst().first else { return nil }
    let isPrivate = line.hasPrefix("private ") || line.hasPrefix("fileprivate ")
    return Declaration(name: String(name), file: file, isVisible: !line.hasPrefix(" ") && !isPrivate)
  }

  private static let kinds: Set<Substring> = ["struct", "class", "enum", "actor", "protocol"]
  private static let modifiers: Set<Substring> = [
    "package", "public", "private", "fileprivate", "final", "indirect", "nonisolated", "open",
  ]
}

extension SourceTypes.Declaration {
  /// The last word of a name that has several: `Report` of `MismatchReport`.
  var noun: String? {
    guard let start = name.lastIndex(where: \.isUppercase), start != name.startIndex else { return nil }
    let noun = name[start...]
    return noun.count > 2 && name[..<start].contains(where: \.isLowercase) ? String(noun) : nil
  }
}
