import Diagnostics
import Foundation
import PolicySupport
import Testing

/// A place of a policy file, of a file of authorities or of one of tests, as its schema describes it.
struct SchemaPlace: Sendable, CustomTestStringConvertible {
  typealias Value = LocatedJSON.Value

  /// The files whose schema says what the reader takes.
  enum Format: String, CaseIterable {
    case policy, authorities
    case tests = "policy-test"

    var file: URL { ExampleFiles.directory.appending(path: "../../../schemas/\(rawValue).schema.json") }

    fileprivate static let roots: [Format: Value] = allCases.reduce(into: [:]) { roots, format in
      roots[format] = (try? Data(contentsOf: format.file)).flatMap { try? LocatedJSON(Array($0)) }?.root
    }
  }

  let format: Format
  /// Such as `hosts/-/trust`.
  var path: String
  /// What the schema says of it, and the definitions that this refers to: each counts.
  private var layers: [Value]
  /// What is around a value at this place, so that nothing else is wrong.
  private var before = "", after = ""

  var testDescription: String { "\(format) file " + path }

  /// Each place once; a mapping whose names the author chose has one entry.
  static let all: [SchemaPlace] = Format.allCases.flatMap { format in
    Format.roots[format].map { SchemaPlace(format, path: "", $0).andBelow } ?? []
  }

  private init(_ format: Format, path: String, _ value: Value) {
    self.format = format
    self.path = path
    layers = [value]
    while let name = layers.last?["$ref"]?.text?.split(separator: "/").last,
      let next = Format.roots[format]?["$defs"]?.members?.first(where: { $0.name.text == String(name) })?.value
    {
      layers.append(next)
    }
  }

  /// The file with this value at the place, in YAML.
  func text(_ value: String) -> String { before + value + after }

  func all(_ name: StaticString) -> [Value] { layers.compactMap { $0[name] } }
  func said(_ name: StaticString) -> Value? { all(name).first }
  func number(_ name: StaticString) -> Int? { said(name)?.written.flatMap { Int($0) } }

  var fields: [String] { said("properties")?.members?.compactMap(\.name.text) ?? [] }
  var required: [String] { said("required")?.items?.compactMap(\.text) ?? [] }
  /// The fields of which there must be exactly one.
  var alternatives: [String] { said("oneOf")?.items?.compactMap { $0["required"]?.items?.first?.text } ?? [] }
  var isList: Bool { said("items") != nil }
  var isMapping: Bool { said("properties") != nil || said("additionalProperties")?.members != nil }
  /// The set that may be in place of its name.
  private var isChoice: Bool { said("then") != nil }
  var isScalar: Bool { !isList && !isMapping && !isChoice }

  // MARK: Parts

  private func inside(_ name: String, _ value: Value, _ open: String, _ close: String) -> SchemaPlace {
    var part = SchemaPlace(format, path: path.isEmpty ? name : path + "/" + name, value)
    part.before = before + open
    part.after = close + after
    return part
  }

  /// A field, beside what its mapping needs.
  private func field(_ name: String, _ value: Value) -> SchemaPlace {
    let others = required + (alternatives.contains(name) ? [] : Array(alternatives.prefix(1)))
    var beside = others.filter { $0 != name }.map { "\($0): \(sample(of: $0))" }
    // What is in defaults is resolved for an entry.
    if format == .policy, path.isEmpty, name != "hosts" { beside.append("hosts: [{ host: z.example.com }]") }
    return inside(name, value, "{ " + beside.map { $0 + ", " }.joined() + name + ": ", " }")
  }

  private var parts: [SchemaPlace] {
    var parts = (said("properties")?.members ?? []).map { field($0.name.text ?? "", $0.value) }
    if let value = said("items") { parts.append(inside("-", value, "[", "]")) }
    if let value = said("additionalProperties"), value.members != nil {
      parts.append(inside("any-name", value, "{ any-name: ", " }"))
    }
    for (number, value) in [said("then"), said("else")].compactMap(\.self).enumerated() {
      parts.append(inside(number == 0 ? "set" : "name", value, "", ""))
    }
    return parts
  }

  private var andBelow: [SchemaPlace] { [self] + parts.flatMap(\.andBelow) }

  // MARK: Values

  private func sample(of field: String) -> String {
    said("properties")?.members?.first { $0.name.text == field }.map {
      SchemaPlace(format, path: field, $0.value).sample
    } ?? ""
  }

  /// A value that the schema accepts.
  var sample: String {
    if let example = said("examples")?.items?.first ?? said("enum")?.items?.first ?? said("const") {
      return Self.yaml(example)
    }
    if isList { return "[\(parts.first?.sample ?? "")]" }
    if isMapping {
      let fields = (required + alternatives.prefix(1)).map { "\($0): \(sample(of: $0))" }
      return "{ " + fields.joined(separator: ", ") + " }"
    }
    return switch said("type")?.text {
    case "boolean": "true"
    case "integer": "\(number("minimum") ?? 0)"
    default: "https://example.com"
    }
  }

  private static func yaml(_ value: Value) -> String {
    if let text = value.text { return quoted(text) }
    if let items = value.items { return "[" + items.map(yaml).joined(separator: ", ") + "]" }
    if let members = value.members {
      return "{ " + members.map { "\($0.name.text ?? ""): \(yaml($0.value))" }.joined(separator: ", ") + " }"
    }
    return value.written ?? "\(value.bool ?? false)"
  }

  static func quoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      switch scalar {
      case "\"", "\\": "\\\(scalar)"
      case " "..."~": String(scalar)
      default: String(format: "\\U%08x", scalar.value)
      }
    }
    return "\"" + escaped.joined() + "\""
  }

  // MARK: Scalars

  /// A scalar as an editor reads it (YAML 1.2.2 section 10.3.2), as far as the tests write such.
  enum Scalar {
    case text(String), number(String), bool, null

    init(_ text: String, isQuoted: Bool) {
      switch text {
      case _ where isQuoted: self = .text(text)
      case "true", "false": self = .bool
      case "null", "~", "": self = .null
      default: self = Double(text) == nil ? .text(text) : .number(text)
      }
    }
  }

  /// Whether the schema accepts a scalar.
  func accepts(_ scalar: Scalar) throws -> Bool { try layers.allSatisfy { try Self.accepts(scalar, $0) } }

  private static func accepts(_ scalar: Scalar, _ schema: Value) throws -> Bool {
    if let type = schema["type"] {
      let types = type.items?.compactMap(\.text) ?? [type.text ?? ""]
      let isOfType =
        switch scalar {
        case .text: types.contains("string")
        case .number(let text): types.contains("number") || types.contains("integer") && Int(text) != nil
        case .bool: types.contains("boolean")
        case .null: types.contains("null")
        }
      guard isOfType else { return false }
    }
    if let words = schema["enum"]?.items ?? schema["const"].map({ [$0] }) {
      let isListed =
        switch scalar {
        case .text(let text): words.contains { $0.text == text }
        case .number(let text): words.contains { $0.text == nil && $0.written == text }
        case .bool, .null: false
        }
      guard isListed else { return false }
    }
    func limit(_ name: StaticString) -> Int? { schema[name]?.written.flatMap { Int($0) } }
    switch scalar {
    case .text(let text):
      guard text.count >= limit("minLength") ?? 0, text.count <= limit("maxLength") ?? .max else { return false }
      if let pattern = schema["pattern"]?.text {
        let range = NSRange(text.startIndex..., in: text)
        // In ECMAScript the end is the very end.
        let expression = try NSRegularExpression(pattern: pattern.replacing(/\$$/, with: "\\z"))
        guard expression.firstMatch(in: text, range: range) != nil else { return false }
      }
    case .number(let text):
      if let number = Int(text) {
        guard number >= limit("minimum") ?? .min, number <= limit("maximum") ?? .max else { return false }
      }
    case .bool, .null: break
    }
    return try schema["not"].map { try !accepts(scalar, $0) } ?? true
  }
}
