#if Collector
import HTTPTypes
import NIOCore

/// Whose request it is, for the limits of one client.
struct ClientAddress: Sendable {
  /// Whether `X-Forwarded-For` counts at all.
  let trustsForwarded: Bool
  /// The proxies that are believed; empty for anybody who connects.
  let proxies: [AddressRange]

  init(_ settings: CollectorSettings) {
    trustsForwarded = settings.trustsForwarded
    proxies = settings.trustedProxies
  }

  /// Whether the other end of a connection is a proxy that says for whom it asks.
  func isProxy(_ remote: SocketAddress?) -> Bool {
    trustsForwarded && (proxies.isEmpty || remote.flatMap(AddressRange.bytes).map(isProxy) ?? false)
  }

  /// The address that a request counts for.
  ///
  /// Each proxy adds the address that connected to it at the end of `X-Forwarded-For`, so the list is read from its
  /// end: the first address that isn't a trusted proxy's is the last one that a trusted proxy has seen itself. What is
  /// before it is whatever the client wrote.
  ///
  /// - Parameters:
  ///   - remote: The other end of the connection.
  ///   - fields: The fields of the request; empty where only the connection is known.
  /// - Returns: An IPv4 address, or the /64 of an IPv6 address, all of which one client has (RFC 6177).
  func of(_ remote: SocketAddress?, _ fields: HTTPFields = [:]) -> String {
    guard let own = remote.flatMap(AddressRange.bytes) else { return "local" }
    guard isProxy(remote), let forwarded = HTTPField.Name("X-Forwarded-For").flatMap({ fields[$0] }) else {
      return Self.group(own)
    }
    var client = own
    for text in forwarded.split(separator: ",", omittingEmptySubsequences: false).reversed() {
      // Anything but an address is attributed to the proxy that passed it on.
      guard let address = AddressRange.bytes(of: Self.withoutPort(text)) else { break }
      client = address
      if !isProxy(address) { break }
    }
    return Self.group(client)
  }

  /// `192.0.2.1`, as some proxies write it: with spaces around, as `192.0.2.1:5000`, or as `[2001:db8::1]:5000`.
  private static func withoutPort(_ text: Substring) -> Substring {
    let spaces: Set<Character> = [" ", "\t"]
    var text = text.drop(while: spaces.contains)
    while let last = text.last, spaces.contains(last) { text.removeLast() }
    if text.first == "[", let end = text.firstIndex(of: "]") { return text[..<end].dropFirst() }
    return text.count { $0 == ":" } == 1 ? text.prefix { $0 != ":" } : text
  }

  private func isProxy(_ address: [UInt8]) -> Bool { proxies.contains { $0.contains(address) } }

  private static func group(_ address: [UInt8]) -> String {
    address.count == 4
      ? address.map { String($0) }.joined(separator: ".")
      : address.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
  }
}
#endif
