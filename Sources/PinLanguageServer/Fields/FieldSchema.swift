import FoundationEssentials

/// A part of `schemas/policy.schema.json`: what may be at a place of a policy file, and what it means.
///
/// The schema is the one source of what editors say of a field; a test holds the text that is built in to the file.
struct FieldSchema: Decodable, Sendable {
  /// The name of the definition that holds what isn't said here.
  var reference: String?
  var title: String?
  var description: String?
  /// The words of an enumeration, each once, as a policy writes them.
  var words: [String]
  var types: [String]
  var properties: [String: FieldSchema]
  var required: [String]
  /// Of a mapping whose names the policy's author chose.
  private var others: [FieldSchema]
  private var itemSchema: [FieldSchema]
  /// What a value is that may be a mapping or a name: the mapping, then the name.
  private var choices: [FieldSchema]
  var examples: [String]
  var pattern: String?

  enum CodingKeys: String, CodingKey {
    case reference = "$ref"
    case title, description
    case words = "enum"
    case types = "type"
    case properties, required
    case others = "additionalProperties"
    case itemSchema = "items"
    case mapping = "then"
    case name = "else"
    case examples, pattern
  }

  init(from decoder: any Decoder) throws {
    let object = try decoder.container(keyedBy: CodingKeys.self)
    reference = try object.decodeIfPresent(String.self, forKey: .reference).map { text in
      text.lastIndex(of: "/").map { String(text[text.index(after: $0)...]) } ?? text
    }
    title = try object.decodeIfPresent(String.self, forKey: .title)
    description = try object.decodeIfPresent(String.self, forKey: .description)
    // The schema has 1.2 as text and as a number; a policy doesn't distinguish them.
    var seen: Set<String> = []
    words = (try object.decodeIfPresent([Word].self, forKey: .words) ?? []).map(\.text).filter {
      seen.insert($0).inserted
    }
    types =
      (try? object.decode([String].self, forKey: .types)) ?? (try? [object.decode(String.self, forKey: .types)]) ?? []
    properties = try object.decodeIfPresent([String: FieldSchema].self, forKey: .properties) ?? [:]
    required = try object.decodeIfPresent([String].self, forKey: .required) ?? []
    others = (try? object.decode(FieldSchema.self, forKey: .others)).map { [$0] } ?? []
    itemSchema = (try object.decodeIfPresent(FieldSchema.self, forKey: .itemSchema)).map { [$0] } ?? []
    choices = [
      try object.decodeIfPresent(FieldSchema.self, forKey: .mapping),
      try object.decodeIfPresent(FieldSchema.self, forKey: .name),
    ].compactMap { $0 }
    examples = (try? object.decode([Word].self, forKey: .examples))?.map(\.text) ?? []
    pattern = try object.decodeIfPresent(String.self, forKey: .pattern)
  }

  /// A value of the schema as a policy would write it.
  private struct Word: Decodable {
    var text: String

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if let text = try? value.decode(String.self) {
        self.text = text
      } else if let number = try? value.decode(Int.self) {
        text = String(number)
      } else {
        text = String(try value.decode(Double.self))
      }
    }
  }

  var other: FieldSchema? { others.first }
  var item: FieldSchema? { itemSchema.first }
  /// The mapping that may be in place of a name.
  var mapping: FieldSchema? { choices.first }
}

/// The whole schema, looked up by the way from the top of a file.
struct PolicySchema: Sendable {
  private let root: FieldSchema
  private let definitions: [String: FieldSchema]

  private struct File: Decodable {
    var definitions: [String: FieldSchema]

    enum CodingKeys: String, CodingKey { case definitions = "$defs" }
  }

  /// The schema that is built in; nil only if it weren't a schema.
  static let builtIn = try? PolicySchema(Array(PolicySchemaText.json.utf8))

  init(_ json: [UInt8]) throws {
    root = try JSON.decode(FieldSchema.self, from: json)
    definitions = try JSON.decode(File.self, from: json).definitions
  }

  /// What may be behind a path; nil where nothing may.
  func schema(at path: [Outline.Step]) -> FieldSchema? {
    var current = root
    for step in path {
      let mapping = current.mapping.map(resolved) ?? current
      let next: FieldSchema?
      switch step {
      case .field(let name): next = mapping.properties[name] ?? mapping.other
      case .item: next = mapping.item
      }
      guard let next else { return nil }
      current = resolved(next)
    }
    return current
  }

  /// What may be behind a path that holds a mapping, where it might be a name as well.
  func schema(ofMappingAt path: [Outline.Step]) -> FieldSchema? {
    schema(at: path).map { found in found.mapping.map(resolved) ?? found }
  }

  /// The schema with what its definition says besides: its own words go first.
  private func resolved(_ schema: FieldSchema) -> FieldSchema {
    guard let name = schema.reference, let definition = definitions[name] else { return schema }
    var whole = resolved(definition)
    whole.reference = name
    whole.title = schema.title ?? whole.title
    whole.description = schema.description ?? whole.description
    if !schema.examples.isEmpty { whole.examples = schema.examples }
    return whole
  }
}
