import Diagnostics
import PinFormat

/// The fields that a mapping may have, each with what reads its value into the record.
struct Fields<Record>: Sendable {
  /// Takes exactly one value from the reader.
  typealias Read = @Sendable (inout Record, inout DocumentReader) -> Void

  /// What the mapping is, as problems call it.
  let within: String
  /// The numbers of the fields that a mapping must have.
  let required: [Int]
  /// The numbers of the fields of which a mapping has exactly one.
  let alternatives: [Int]
  let names: [String]
  private let readers: [Read]
  private let keys: [FieldKey]

  init(
    of within: String, required: [String] = [], oneOf alternatives: [String] = [], _ fields: KeyValuePairs<String, Read>
  ) {
    let names = fields.map(\.key)
    self.within = within
    self.names = names
    self.required = required.compactMap { names.firstIndex(of: $0) }
    self.alternatives = alternatives.compactMap { names.firstIndex(of: $0) }
    readers = fields.map(\.value)
    keys = names.map { FieldKey($0.utf8Span.span) }
    precondition(
      self.required.count == required.count && self.alternatives.count == alternatives.count,
      "the requested fields must be fields")
  }

  /// The number of a field, by its name in UTF-8.
  func index(of name: Span<UInt8>) -> Int? {
    let key = FieldKey(name)
    for index in keys.indices where keys[index] == key {
      if name.count <= FieldKey.capacity || names[index].utf8Span.span.equals(name) { return index }
    }
    return nil
  }

  subscript(index: Int) -> Read { readers[index] }
}

/// A name's length and its first bytes: most names are told apart by one comparison.
private struct FieldKey: Equatable {
  static let capacity = 7

  private var number: UInt64

  init(_ name: Span<UInt8>) {
    number = UInt64(truncatingIfNeeded: name.count)
    for index in 0..<min(name.count, Self.capacity) {
      number = number << 8 | UInt64(name[index])
    }
  }
}
