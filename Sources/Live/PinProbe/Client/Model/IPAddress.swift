import Glibc

/// An IPv4 or IPv6 address.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
  /// Four or sixteen octets in network order.
  package let octets: [UInt8]
  /// The text of RFC 5952 for IPv6, and dotted for IPv4.
  package let description: String

  /// Reads an address as text; nil where it isn't one.
  package init?(_ text: String) {
    var octets = [UInt8](repeating: 0, count: 16)
    if inet_pton(AF_INET, text, &octets) == 1 {
      self.init(octets: Array(octets.prefix(4)))
    } else if inet_pton(AF_INET6, text, &octets) == 1 {
      self.init(octets: octets)
    } else {
      return nil
    }
  }

  /// Takes four or sixteen octets; nil for any other number.
  package init?(octets: [UInt8]) {
    guard octets.count == 4 || octets.count == 16 else { return nil }
    var text = [CChar](repeating: 0, count: 46)
    let family = octets.count == 4 ? AF_INET : AF_INET6
    guard inet_ntop(family, octets, &text, socklen_t(text.count)) != nil else { return nil }
    self.octets = octets
    description = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
