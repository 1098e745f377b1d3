/// Comparing and copying runs of bytes, eight at a time where they are compared.
extension Span where Element == UInt8 {
  /// True where both hold the same bytes.
  @inline(never)
  package func equals(_ other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    guard count >= 4 else { return commonPrefix(with: other) == count }
    guard count >= 8 else { return isSame(UInt32.self, other, at: 0) && isSame(UInt32.self, other, at: count - 4) }
    var offset = 0
    while count - offset > 8 {
      guard isSame(UInt64.self, other, at: offset) else { return false }
      offset += 8
    }
    // The last eight bytes; some of them may have been compared already.
    return isSame(UInt64.self, other, at: count - 8)
  }

  /// True where both hold the same word at an offset, behind which both have room for it.
  @inline(__always)
  private func isSame<Word: FixedWidthInteger & BitwiseCopyable>(
    _ word: Word.Type, _ other: Span<UInt8>, at offset: Int
  ) -> Bool {
    bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: word)
      == other.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: word)
  }

  /// Negative where this run sorts before the other one by its bytes, zero where they are equal.
  func order(_ other: Span<UInt8>) -> Int {
    let common = commonPrefix(with: other)
    if common < count, common < other.count { return Int(self[common]) - Int(other[common]) }
    return count - other.count
  }

  /// True where a text is at an offset.
  package func holds(_ literal: StaticString, at offset: Int) -> Bool {
    let count = literal.utf8CodeUnitCount
    guard offset >= 0, self.count - offset >= count else { return false }
    return literal.withUTF8Buffer { extracting(offset..<offset + count).equals($0.span) }
  }

  /// The range of a name that was accepted, from its first character to the quotation mark behind it.
  func nameRange(at start: Int) -> Range<Int> {
    var end = start
    while end < count, self[end] != UInt8(ascii: "\"") { end += 1 }
    return start..<end
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

extension String {
  /// True where both have the same bytes, as names and codes are compared.
  ///
  /// `==` also takes texts for equal that Unicode does, for which a small library would need tables of 20 KB.
  package func isSame(as other: String) -> Bool { utf8Span.span.equals(other.utf8Span.span) }
}

extension [UInt8] {
  /// Appends a run of bytes at once.
  mutating func append(copying other: Span<UInt8>) {
    other.withUnsafeBufferPointer { append(contentsOf: $0) }
  }
}
