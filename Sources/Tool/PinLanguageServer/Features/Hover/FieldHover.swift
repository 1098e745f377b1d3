import Diagnostics
import PinPolicy
import PinRules

/// What a field means, in the words of the schema.
enum FieldHover {
  static func text(_ path: [Outline.Step]) -> String? {
    guard case .field(let name)? = path.last, let field = FieldSchema.at(path) else { return nil }
    return text(name, field)
  }

  static func text(_ name: String, _ field: FieldSchema) -> String {
    var lines = ["**" + MarkdownWords.code(name) + "**" + (field.title.map { ": " + $0 } ?? "")]
    if let description = field.description { lines.append(MarkdownWords.plain(description)) }
    if !field.words.isEmpty { lines.append("One of " + MarkdownWords.list(field.words, most: 12)) }
    if field.isBoolean { lines.append("`true` or `false`") }
    if !field.examples.isEmpty { lines.append("For example " + MarkdownWords.list(field.examples)) }
    return lines.joined(separator: "\n\n")
  }

  /// A rule in short, for its code in a suppression.
  static func text(ofRule code: String) -> String? {
    guard let rule = Rule.catalogue.first(where: { $0.code == code }) else { return nil }
    return "**\(rule.code) \(rule.name)** (\(rule.severity.rawValue))\n\n\(rule.title)\n\n\(rule.rationale)"
  }
}
