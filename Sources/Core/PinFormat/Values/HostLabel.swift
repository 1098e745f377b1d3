/// How messages name a host and its port.
package enum HostLabel {
  /// `api.example.com`, `api.example.com:8443`, `[2001:db8::1]:8443`.
  package static func text(host: HostName, port: UInt16?) -> String {
    text(host: host.text, port: port)
  }

  /// The same of a canonical host's text; only an IPv6 address has colons.
  package static func text(host: String, port: UInt16?) -> String {
    guard let port else { return host }
    return (host.utf8.contains(UInt8(ascii: ":")) ? "[" + host + "]" : host) + ":" + String(port)
  }

  /// True where a text is the label of an entry that there could be.
  static func isLabel(_ text: Span<UInt8>) -> Bool {
    var colons = 0
    var last = 0
    for index in text.indices where text[index] == UInt8(ascii: ":") {
      colons += 1
      last = index
    }
    let hasBrackets = !text.isEmpty && text[0] == UInt8(ascii: "[")
    guard colons == 1 || hasBrackets else {
      let kind = CanonicalHost.kind(ofCanonical: text)
      return kind != nil && (colons > 0) == (kind == .ipv6)
    }
    guard isPort(text.extracting(last + 1..<text.count)) else { return false }
    guard hasBrackets else { return CanonicalHost.kind(ofCanonical: text.extracting(first: last)) != nil }
    return last > 1 && text[last - 1] == UInt8(ascii: "]")
      && CanonicalHost.kind(ofCanonical: text.extracting(1..<last - 1)) == .ipv6
  }

  /// 1 to 65535, without leading zeros.
  private static func isPort(_ text: Span<UInt8>) -> Bool {
    guard (1...5).contains(text.count), text[0] != UInt8(ascii: "0") else { return false }
    var port = 0
    for index in text.indices {
      guard text[index] >= UInt8(ascii: "0"), text[index] <= UInt8(ascii: "9") else { return false }
      port = port * 10 + Int(text[index] - UInt8(ascii: "0"))
    }
    return port <= 65_535
  }
}

extension Span where Element == UInt8 {
  /// True for the name of a key set: a name, or `host:` and an entry's label.
  var isKeySetName: Bool {
    if holds("host:", at: 0) { return HostLabel.isLabel(extracting(5..<count)) }
    guard (1...64).contains(count), ByteSet.lettersAndDigits.contains(self[0]) else { return false }
    for index in indices where !ByteSet.name.contains(self[index]) { return false }
    return true
  }
}
