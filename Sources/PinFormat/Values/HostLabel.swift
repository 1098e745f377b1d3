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
}
