import PinFormat

/// An HTTP proxy that connections go through (CONNECT, RFC 9110 section 9.3.6), and the servers that are reached without.
package struct Proxy: Hashable, Sendable {
  /// Where the proxy listens.
  package let endpoint: Endpoint
  /// The value of `Proxy-Authorization`; never shown.
  let authorization: String?
  private let exceptions: ServerList

  /// Reads what `HTTPS_PROXY` and `NO_PROXY` say; nil where the first is empty.
  ///
  /// - Parameters:
  ///   - text: `http://[USER:PASSWORD@]HOST:PORT[/]`, the scheme may be left out. User and password are percent-encoded
  ///     (RFC 3986 section 2.1).
  ///   - exceptions: The servers that are reached without the proxy, see ``ServerList``.
  /// - Throws: ``ProxyTextError``, whose message holds nothing of the text, since a password may be in it.
  package init?(_ text: String, except exceptions: String = "") throws(ProxyTextError) {
    guard !text.isEmpty else { return nil }
    var authority = try Self.withoutScheme(text)
    if authority.hasSuffix("/") { authority = authority.dropLast() }
    var authorization: String?
    if let at = authority.lastIndex(of: "@") {
      authorization = try Self.basic(authority[..<at])
      authority = authority[authority.index(after: at)...]
    }
    guard let endpoint = Endpoint(String(authority)), endpoint.host.utf8.allSatisfy(Self.isOfHost) else {
      throw ProxyTextError(
        "the proxy's host and port can't be read; write http://HOST:PORT, and special characters of a user or password "
          + "percent-encoded")
    }
    self.endpoint = endpoint
    self.authorization = authorization
    self.exceptions = ServerList(exceptions)
  }

  /// Whether to connect to a server through the proxy.
  package func applies(to host: String, port: UInt16) -> Bool { !exceptions.contain(host, port: port) }

  private static func withoutScheme(_ text: String) throws(ProxyTextError) -> Substring {
    guard let colon = text.firstRange(of: "://") else { return text[...] }
    switch text[..<colon.lowerBound].lowercased() {
    case "http": return text[colon.upperBound...]
    case "https":
      throw ProxyTextError("a proxy that itself speaks TLS (https://) isn't supported; http://HOST:PORT is")
    case "socks", "socks4", "socks4a", "socks5", "socks5h":
      throw ProxyTextError("SOCKS proxies aren't supported; http://HOST:PORT, an HTTP proxy with CONNECT, is")
    default: throw ProxyTextError("only HTTP proxies are supported; write http://HOST:PORT")
    }
  }

  /// Makes the credentials of RFC 7617 from what is before the `@`.
  private static func basic(_ userInfo: Substring) throws(ProxyTextError) -> String {
    let parts = userInfo.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let user = percentDecoded(parts[0]), let password = percentDecoded(parts.count > 1 ? parts[1] : "") else {
      throw ProxyTextError("the proxy's user or password isn't percent-encoded: two hex digits follow each %")
    }
    guard !user.contains(UInt8(ascii: ":")) else {
      throw ProxyTextError("the proxy's user has a colon, which HTTP's Basic authentication can't send")
    }
    guard (user + password).allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw ProxyTextError("the proxy's user or password has control characters")
    }
    return "Basic " + Base64.encode(user + [UInt8(ascii: ":")] + password)
  }

  private static func percentDecoded(_ text: Substring) -> [UInt8]? {
    var decoded: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        decoded.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(hexadecimal), let low = rest.popFirst().flatMap(hexadecimal) else {
        return nil
      }
      decoded.append(high << 4 | low)
    }
    return decoded
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  private static func isOfHost(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"):
      true
    default: false
    }
  }
}

/// The proxy without its user and password, in whatever way it is written.
extension Proxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "http://\(endpoint)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: ["endpoint": endpoint]) }
}

/// Why the text of a proxy can't be taken; the message holds nothing of the text.
package struct ProxyTextError: Error, Hashable, Sendable {
  package let message: String

  init(_ message: String) {
    self.message = message
  }
}
