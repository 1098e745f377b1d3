extension NamesAbove {
  /// The names above a name, the nearest first.
  package static func all(of name: String) -> [String] {
    var names: [String] = []
    var above = NamesAbove()
    let bytes = name.utf8Span.span
    while let start = above.next(in: bytes) { names.append(String(Substring(name.utf8.dropFirst(start)))) }
    return names
  }
}

extension HostName {
  /// The names above it, the nearest first; an address has none.
  package var namesAbove: [String] { isAddress ? [] : NamesAbove.all(of: text) }
}
