#if Collector
/// The names that the collector may be asked by, which keeps web pages away from it.
///
/// A page of any site can have a browser send requests to addresses that only the browser can reach. Two things tell such
/// requests from others, because no page can change them: `Host` has the name that the page used, which is the
/// attacker's where DNS was rebound to this address; and `Origin` has the page's own.
struct AskedNames: Sendable {
  private let names: Set<String>
  private let isLoopback: Bool
  /// Whether any name will do, because a certificate proves which server it is.
  private let isAny: Bool

  init(_ settings: CollectorSettings) {
    names = Set((settings.hostNames + [settings.host]).map(Self.normal))
    isLoopback = Self.isLoopback(settings.host)
    isAny = settings.tls != nil && settings.hostNames.isEmpty
  }

  /// Whether the collector may be asked by a name.
  ///
  /// An IP address can't be rebound to another one, so any will do; but on loopback only those of loopback reach it.
  ///
  /// - Parameter authority: `Host`; nil where there is none, which no browser sends.
  /// - Returns: False for a name that isn't the collector's, and for what isn't a name.
  func allows(_ authority: String?) -> Bool {
    guard let authority else { return true }
    guard let host = Self.host(of: authority) else { return false }
    if isAny || names.contains(host) || host == "localhost" { return true }
    guard AddressRange.bytes(of: host) != nil else { return false }
    return !isLoopback || Self.isLoopback(host)
  }

  /// Whether a page has the origin of what it asks.
  ///
  /// The scheme isn't compared, because a proxy may serve HTTPS for a collector that doesn't.
  static func isSame(origin: String, as authority: String?) -> Bool {
    for (scheme, port) in [("https://", ":443"), ("http://", ":80")] where origin.hasPrefix(scheme) {
      let page = origin.dropFirst(scheme.count).lowercased()
      guard let asked = authority?.lowercased(), !page.isEmpty else { return false }
      return page == asked || page + port == asked || page == asked + port
    }
    return false
  }

  /// Whether only this machine has an address.
  static func isLoopback(_ host: String) -> Bool {
    if normal(host) == "localhost" { return true }
    guard let bytes = AddressRange.bytes(of: host) else { return false }
    return bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
  }

  /// The host of `host:port` (RFC 9110 section 7.2), an IPv6 address without its brackets; nil if it isn't one.
  private static func host(of authority: String) -> String? {
    var host = authority[...]
    if let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") {
      guard authority[authority.index(after: colon)...].utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
        return nil
      }
      host = authority[..<colon]
    }
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    return host.isEmpty ? nil : normal(String(host))
  }

  /// In small letters, without the dot that ends a full name.
  private static func normal(_ host: String) -> String {
    let host = host.lowercased()
    return host.hasSuffix(".") ? String(host.dropLast()) : host
  }
}
#endif
