/// Comparing and copying runs of bytes, eight at a time where they are compared.
extension Span where Element == UInt8 {
  /// True where both hold the same bytes.
  package func equals(_ other: Span<UInt8>) -> Bool {
    count == other.count && commonPrefix(with: other) == count
  }

  /// Negative where this run sorts before the other one by its bytes, zero where they are equal.
  func order(_ other: Span<UInt8>) -> Int {
    let common = commonPrefix(with: other)
    if common < count, common < other.count { return Int(self[common]) - Int(other[common]) }
    return count - other.count
  }

  /// The number of bytes before the first that differs.
  private func commonPrefix(with other: Span<UInt8>) -> Int {
    let end = Swift.min(count, other.count)
    let left = bytes
    let right = other.bytes
    var offset = 0
    while end - offset >= 8 {
      let difference =
        left.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
        ^ right.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
      if difference != 0 { return offset + difference.littleEndian.trailingZeroBitCount / 8 }
      offset += 8
    }
    while offset < end, self[offset] == other[offset] { offset += 1 }
    return offset
  }
}

extension [UInt8] {
  /// Appends a run of bytes at once.
  mutating func append(copying other: Span<UInt8>) {
    other.withUnsafeBufferPointer { append(contentsOf: $0) }
  }
}
