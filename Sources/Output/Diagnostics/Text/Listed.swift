extension [String] {
  /// `a`, `a and b`, `a, b and c`.
  package func listed(_ conjunction: String = "and") -> String {
    guard let last, count > 1 else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " \(conjunction) " + last
  }
}
