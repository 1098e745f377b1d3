/// How messages name a host and its port.
public enum HostLabel {
  /// `api.example.com`, `api.example.com:8443`, `[2001:db8::1]:8443`.
  public static func text(host: HostName, port: UInt16?) -> String {
    guard let port else { return host.text }
    return (host.kind == .ipv6 ? "[" + host.text + "]" : host.text) + ":" + String(port)
  }
}
