// The orders of the format: by bytes, never by a language's idea of an alphabet.

extension String {
  /// Orders by UTF-8 bytes.
  package func precedes(_ other: String) -> Bool {
    let left = utf8Span.span.bytes
    let right = other.utf8Span.span.bytes
    let common = min(left.byteCount, right.byteCount)
    var offset = 0
    while offset + 8 <= common {
      let one = left.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
      let two = right.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
      if one != two { return one.bigEndian < two.bigEndian }
      offset += 8
    }
    while offset < common {
      let one = left.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
      let two = right.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
      if one != two { return one < two }
      offset += 1
    }
    return left.byteCount < right.byteCount
  }
}

extension Array {
  /// The elements in an order; where they stand in it already, which is soon seen, nothing is copied.
  func sortedUnlessInOrder(_ precedes: (borrowing Element, borrowing Element) -> Bool) -> [Element] {
    // Through a span elements are compared where they are.
    let elements = span
    var index = 1
    while index < elements.count {
      if precedes(elements[index], elements[index - 1]) { return sorted { precedes($0, $1) } }
      index += 1
    }
    return self
  }
}

extension [String] {
  func sortedByBytes() -> [String] { sortedUnlessInOrder { $0.precedes($1) } }
}

extension Manifest.HostEntry {
  /// Orders by host, then port, those without a port first.
  package func precedes(_ other: Manifest.HostEntry) -> Bool {
    if host.text != other.host.text { return host.text.precedes(other.host.text) }
    return (port ?? 0) < (other.port ?? 0)
  }
}

extension Manifest.Exception {
  /// Orders by certificate, then failure.
  func precedes(_ other: Manifest.Exception) -> Bool {
    if certificate != other.certificate { return certificate < other.certificate }
    return failure.rawValue.precedes(other.failure.rawValue)
  }
}
