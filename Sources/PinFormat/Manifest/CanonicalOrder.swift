// The orders of the format: by bytes, never by a language's idea of an alphabet.

extension String {
  /// Orders by UTF-8 bytes.
  func precedes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}

extension [String] {
  func sortedByBytes() -> [String] { sorted { $0.precedes($1) } }
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
