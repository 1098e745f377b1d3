#if Collector
/// The values of a statement, in the binary form of the protocol, whose types the server infers from the statement.
struct PostgresParameters {
  /// The bytes of all values, one behind the other.
  private var block: [UInt8] = []
  /// Where each value is in it; nil for null.
  private var places: [Range<Int>?] = []

  init(_ values: [SQLValue]) {
    for value in values {
      let start = block.count
      switch value {
      case .null:
        places.append(nil)
        continue
      case .integer(let value): withUnsafeBytes(of: value.bigEndian) { block.append(contentsOf: $0) }
      case .text(let value): block.append(contentsOf: value.utf8)
      case .bytes(let value): block.append(contentsOf: value)
      }
      places.append(start..<block.count)
    }
    // Makes sure that the block has an address even if all values are empty.
    block.append(0)
  }

  var count: Int { places.count }

  /// Lends the lists that libpq asks for.
  func withPointers<Answer>(
    _ body: (UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?) -> Answer
  ) -> Answer {
    block.withUnsafeBytes { block in
      let values = places.map { place in
        place.flatMap { place in block.baseAddress.map { ($0 + place.lowerBound).assumingMemoryBound(to: CChar.self) } }
      }
      let lengths = places.map { Int32($0?.count ?? 0) }
      let formats = places.map { _ in Int32(1) }
      return values.withUnsafeBufferPointer { values in
        lengths.withUnsafeBufferPointer { lengths in
          formats.withUnsafeBufferPointer { body(values.baseAddress, lengths.baseAddress, $0.baseAddress) }
        }
      }
    }
  }
}
#endif
