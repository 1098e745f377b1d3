#if Collector
import NIOCore

/// An IP address, or all that begin with the same bits: `192.0.2.1`, `10.0.0.0/8`, `2001:db8::/32`.
public struct AddressRange: Hashable, Sendable {
  private let bytes: [UInt8]
  private let bits: Int

  /// Reads an address, with `/` and a number of bits or without; nil if it isn't one.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let bytes = Self.bytes(of: first) else { return nil }
    var bits = bytes.count * 8
    if parts.count == 2 {
      guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let given = Int(parts[1]), given <= bits else {
        return nil
      }
      bits = given
    }
    self.bytes = bytes
    self.bits = bits
  }

  /// Whether an address is one of them.
  func contains(_ address: [UInt8]) -> Bool {
    guard address.count == bytes.count else { return false }
    return address.indices.allSatisfy { index in
      let rest = bits - index * 8
      let mask: UInt8 = rest >= 8 ? 0xFF : rest <= 0 ? 0 : 0xFF << UInt8(8 - rest)
      return (address[index] ^ bytes[index]) & mask == 0
    }
  }

  /// The 4 or 16 bytes of an address in text.
  static func bytes(of text: some StringProtocol) -> [UInt8]? {
    // No address is longer than 45 characters, and a zone has a meaning only on one machine.
    guard text.utf8.count <= 45, !text.utf8.contains(UInt8(ascii: "%")) else { return nil }
    return (try? SocketAddress(ipAddress: String(text), port: 0)).flatMap(bytes)
  }

  /// The 4 or 16 bytes of an address; nil if it isn't an IP address.
  static func bytes(of address: SocketAddress) -> [UInt8]? {
    switch address {
    case .v4(let address):
      // After the family and the port (RFC 3493 section 3.3).
      return withUnsafeBytes(of: address.address) { Array($0.dropFirst(4).prefix(4)) }
    case .v6(let address):
      // After the family, the port and the flow label.
      let bytes = withUnsafeBytes(of: address.address) { Array($0.dropFirst(8).prefix(16)) }
      // An IPv4-mapped IPv6 address (RFC 4291 section 2.5.5.2) is treated as IPv4.
      let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10...11].allSatisfy { $0 == 0xFF }
      return isMapped ? Array(bytes[12...]) : bytes
    default: return nil
    }
  }
}
#endif
