import Diagnostics

/// A part of a file in `schemas/`: what may be at a place of a policy file or of a file of authorities, in which order, and
/// what it means.
///
/// That file, which the build embeds, is the one source of the policy's fields. What `fmt` and editors know of them is
/// taken from here, and a test compares the reader with it.
package final class FieldSchema: Sendable {
  /// The definition with most of what applies to it, such as `instant`; nil if it refers to none.
  package let definition: String?
  package let title: String?
  package let description: String?
  /// The words of an enumeration, each once, as a policy writes them.
  package let words: [String]
  package let isBoolean: Bool
  /// The fields of a mapping, in the order in which they are written.
  package let fields: [(name: String, schema: FieldSchema)]
  package let fieldNames: [String]
  package let examples: [String]
  /// What each item of a list is.
  package let item: FieldSchema?
  /// What each value is in a mapping whose names the policy's author chose.
  let other: FieldSchema?

  /// The text of the schema.
  package static let file = PackageResources.policy_schema_json

  /// A whole policy file.
  package static let policy = FieldSchema(of: file)

  /// A whole file of authorities.
  package static let authorities = FieldSchema(of: PackageResources.authorities_schema_json)

  /// A whole file of tests.
  package static let tests = FieldSchema(of: testsFile)

  /// The text of its schema.
  package static let testsFile = PackageResources.policy_test_schema_json

  /// What a file of these fields is; a policy file unless it has what only another kind of file has.
  package static func ofFile(with names: [String]) -> FieldSchema {
    let isOther = { (name: String) in !policy.fieldNames.contains(name) }
    return [authorities, tests].first { $0.fieldNames.filter(isOther).contains(where: names.contains) } ?? policy
  }

  /// Whether it is a whole file.
  var isFile: Bool { [FieldSchema.policy, .authorities, .tests].contains { $0 === self } }

  private convenience init(of file: [UInt8]) {
    let root = (try? LocatedJSON(file))?.root
    self.init([root].compactMap(\.self), definitions: root?["$defs"])
  }

  /// - Parameters:
  ///   - layers: What says something of the value; of what several say, the first counts.
  ///   - definitions: What references refer to; none refers back to itself.
  private init(_ layers: [LocatedJSON.Value], definitions: LocatedJSON.Value?) {
    var layers = layers
    var definition: String?
    while let last = layers.last {
      if let name = last["$ref"]?.text?.split(separator: "/").last.map(String.init),
        let next = definitions?.members?.first(where: { $0.name.text == name })?.value
      {
        definition = name
        layers.append(next)
      } else if let mapping = last["then"] {
        // A mapping that may be in place of a name.
        layers.append(mapping)
      } else {
        break
      }
    }
    func said(_ name: StaticString) -> LocatedJSON.Value? { layers.lazy.compactMap { $0[name] }.first }
    func part(_ value: LocatedJSON.Value?) -> FieldSchema? {
      value.flatMap { $0.members == nil ? nil : FieldSchema([$0], definitions: definitions) }
    }
    self.definition = definition
    title = said("title")?.text
    description = said("description")?.text
    // 1.2 is there as a text and as a number; both are the same to a policy.
    words = (said("enum")?.items ?? []).compactMap(\.written).reduce(into: []) { words, word in
      if !words.contains(word) { words.append(word) }
    }
    isBoolean = said("type")?.text == "boolean"
    fields = (said("properties")?.members ?? []).map { member in
      (member.name.text ?? "", FieldSchema([member.value], definitions: definitions))
    }
    fieldNames = fields.map(\.name)
    examples = (said("examples")?.items ?? []).compactMap(\.written)
    item = part(said("items"))
    other = part(said("additionalProperties"))
  }

  /// What the value of a field may be; nil where there is no such field.
  package func field(_ name: String) -> FieldSchema? { fields.first { $0.name == name }?.schema ?? other }
}
