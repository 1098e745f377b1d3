#if Collector
import HTTPTypes
import Hummingbird
import NIOCore

/// What is known of a request beside its text.
struct CollectorContext: RequestContext, RemoteAddressRequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }

  var remoteAddress: SocketAddress? { channel.remoteAddress }
}

/// Whose request it is, for the rate limits.
enum ClientAddress {
  /// The address that a rate limit holds for: an IPv4 address, or the /64 of an IPv6 address, which one client has
  /// all of (RFC 6177).
  ///
  /// - Parameters:
  ///   - remote: The other end of the connection.
  ///   - forwarded: `X-Forwarded-For`, where it can be believed: what the proxy itself added stands last.
  /// - Returns: What the limits of one client are kept under.
  static func of(_ remote: SocketAddress?, forwarded: String?) -> String {
    if let last = forwarded?.split(separator: ",").last {
      let text = last.drop(while: { $0 == " " }).prefix(64)
      let trimmed = String(text.reversed().drop(while: { $0 == " " }).reversed())
      if let address = try? SocketAddress(ipAddress: trimmed, port: 0) { return group(address) }
    }
    return remote.map(group) ?? "unknown"
  }

  /// Whose request it is.
  static func of(_ request: Request, _ context: CollectorContext, trustsForwarded: Bool) -> String {
    let forwarded = trustsForwarded ? HTTPField.Name("X-Forwarded-For").flatMap { request.headers[$0] } : nil
    return of(context.remoteAddress, forwarded: forwarded)
  }

  private static func group(_ address: SocketAddress) -> String {
    switch address {
    case .v6(let address):
      withUnsafeBytes(of: address.address) { structure in
        // Behind the family, the port and the flow label (RFC 3493 section 3.3).
        let bytes = Array(structure.dropFirst(8).prefix(16))
        // An IPv4 address in an IPv6 one (RFC 4291 section 2.5.5.2) is that address.
        if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10...11].allSatisfy({ $0 == 0xFF }) {
          return bytes[12...].map { String($0) }.joined(separator: ".")
        }
        return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
      }
    case .v4: address.ipAddress ?? "unknown"
    default: "local"
    }
  }
}
#endif
