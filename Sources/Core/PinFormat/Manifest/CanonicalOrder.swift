// The format orders by bytes, not by locale.

extension String {
  /// Orders by UTF-8 bytes.
  package func precedes(_ other: String) -> Bool { utf8Span.span.order(other.utf8Span.span) < 0 }
}

extension Array {
  /// The elements in an order, which is asked by their indices, so that comparing copies none; where they are in it
  /// already, which is soon seen, nothing is copied at all.
  func sortedUnlessInOrder(_ precedes: (Int, Int) -> Bool) -> [Element] {
    for index in indices.dropFirst() where precedes(index, index - 1) {
      return indices.sorted { precedes($0, $1) }.map { self[$0] }
    }
    return self
  }
}

extension RandomAccessCollection {
  /// The index of the first element that passes a test, where all that don't come first; the end's for none.
  @inlinable
  package func partitioningIndex(where passes: (Element) -> Bool) -> Index {
    var low = startIndex
    var count = count
    while count > 0 {
      let middle = index(low, offsetBy: count / 2)
      if passes(self[middle]) {
        count /= 2
      } else {
        low = index(after: middle)
        count -= count / 2 + 1
      }
    }
    return low
  }
}

extension [String] {
  func sortedByBytes() -> [String] { sortedUnlessInOrder { self[$0].precedes(self[$1]) } }
}

extension Manifest.Exception {
  /// Orders by certificate, then failure.
  func precedes(_ other: Manifest.Exception) -> Bool {
    if certificate != other.certificate { return certificate < other.certificate }
    return failure.rawValue.precedes(other.failure.rawValue)
  }
}
