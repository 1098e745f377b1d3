/// The fields that a mapping may have, each with what reads its value into the record.
struct Fields<Record>: Sendable {
  /// Takes exactly one value from the reader.
  typealias Read = @Sendable (inout Record, inout DocumentReader) -> Void

  /// What the mapping is, as problems call it.
  let within: String
  let required: [String]
  /// Fields of which a mapping has exactly one.
  let alternatives: [String]
  let names: [String]
  private let readers: [Read]

  init(
    of within: String, required: [String] = [], oneOf alternatives: [String] = [], _ fields: KeyValuePairs<String, Read>
  ) {
    self.within = within
    self.required = required
    self.alternatives = alternatives
    names = fields.map(\.key)
    readers = fields.map(\.value)
  }

  subscript(name: String) -> Read? {
    names.firstIndex(of: name).map { readers[$0] }
  }
}
