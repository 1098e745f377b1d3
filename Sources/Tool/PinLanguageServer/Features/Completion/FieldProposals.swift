import PinPolicy

/// Proposes the fields of a mapping.
struct FieldProposals {
  let schema: FieldSchema
  let present: Set<String>

  var proposals: [Proposal] {
    schema.fields.filter { !present.contains($0.name) }.map { name, field in
      Proposal(
        label: name, kind: .field, detail: field.title, documentation: FieldHover.text(name, field), text: name + ": ")
    }
  }

  /// A whole host entry, where one may begin.
  static func hostEntry(indent: Int, behindDash: Bool, sets: [String]) -> Proposal {
    let margin = String(repeating: " ", count: indent)
    let choice = sets.isEmpty ? "${2:key-set}" : "${2|" + sets.prefix(50).joined(separator: ",") + "|}"
    return Proposal(
      label: "host entry", kind: .snippet, detail: "A host and its keys",
      documentation: "A host entry with the fields that nearly every one has.",
      text: (behindDash ? "" : "- ") + "host: ${1:api.example.com}\n\(margin)keys: " + choice + "$0", isSnippet: true)
  }
}
