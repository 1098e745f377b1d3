// The orders of the format: by bytes, never by a language's idea of an alphabet.

extension String {
  /// Orders by UTF-8 bytes.
  package func precedes(_ other: String) -> Bool {
    let left = utf8Span.span
    let right = other.utf8Span.span
    var offset = 0
    while let one = ByteLanes(left, at: offset), let two = ByteLanes(right, at: offset) {
      let difference = one.difference(from: two)
      if difference != 0 {
        let lane = ByteLanes.first(difference)
        return one.byte(lane) < two.byte(lane)
      }
      offset += 8
    }
    while offset < min(left.count, right.count) {
      if left[offset] != right[offset] { return left[offset] < right[offset] }
      offset += 1
    }
    return left.count < right.count
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
