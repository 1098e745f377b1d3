/// A host in its canonical form: a lower-case A-label name without a trailing dot, or an IP address.
///
/// - A name: labels of letters, digits and hyphens (RFC 1123 section 2.1), 1 to 63 octets each, 253 in all, the last
///   label not all digits.
/// - An IPv4 address: four decimal numbers without leading zeros.
/// - An IPv6 address: RFC 5952 text, without brackets and without a zone. An IPv4-mapped address (`::ffff:10.0.0.5`)
///   is the IPv4 address, because it reaches the same server.
public struct HostName: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// What kind of host this is.
  public enum Kind: Hashable, Sendable {
    /// A DNS name.
    case name
    /// An IPv4 address.
    case ipv4
    /// An IPv6 address.
    case ipv6
  }

  /// What kind of host this is.
  public let kind: Kind
  /// The canonical text: `api.example.com`, `10.0.0.5`, `2001:db8::1`.
  public let text: String

  /// The canonical text.
  public var description: String { text }

  /// True for an IPv4 or IPv6 address.
  public var isAddress: Bool { kind != .name }

  /// Brings ASCII text into canonical form: lower case, no trailing dot, no brackets around an IPv6 address.
  ///
  /// U-labels aren't converted here: that takes IDNA tables, which only the compiler carries.
  ///
  /// - Parameter text: A name or an address as a person or a URL writes it.
  /// - Throws: ``HostNameError`` saying why the text is no host.
  public init(canonicalising text: String) throws(HostNameError) {
    if text.utf8.contains(UInt8(ascii: ":")) || text.utf8.first == UInt8(ascii: "[") {
      guard let groups = IPAddressText.ipv6(text) else { throw .invalidAddress }
      if groups[..<5].allSatisfy({ $0 == 0 }), groups[5] == 0xFFFF {
        kind = .ipv4
        self.text = IPAddressText.ipv4([groups[6] >> 8, groups[6] & 0xFF, groups[7] >> 8, groups[7] & 0xFF])
      } else {
        kind = .ipv6
        self.text = IPAddressText.canonical(groups)
      }
      return
    }
    var bytes = Array(text.utf8)
    if bytes.last == UInt8(ascii: "."), bytes.count > 1 { bytes.removeLast() }
    guard !bytes.isEmpty else { throw .empty }
    guard bytes.count <= 253 else { throw .tooLong }
    for index in bytes.indices where bytes[index] >= UInt8(ascii: "A") && bytes[index] <= UInt8(ascii: "Z") {
      bytes[index] |= 0x20
    }
    let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    for label in labels { try Self.check(label) }
    let canonical = String(decoding: bytes, as: UTF8.self)
    guard let last = labels.last, last.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else {
      kind = .name
      self.text = canonical
      return
    }
    // URL parsers read a name that ends in a number as an IPv4 address; only its one canonical form is taken.
    guard IPAddressText.isCanonicalIPv4(labels) else { throw .invalidAddress }
    kind = .ipv4
    self.text = canonical
  }

  /// Orders by canonical text.
  public static func < (left: HostName, right: HostName) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }

  /// True where this name stands below the other one, at any depth; never for an address.
  public func isSubdomain(of ancestor: HostName) -> Bool {
    guard kind == .name, ancestor.kind == .name, text.utf8.count > ancestor.text.utf8.count else { return false }
    return text.utf8.suffix(ancestor.text.utf8.count + 1)
      .elementsEqual([UInt8(ascii: ".")] + Array(ancestor.text.utf8))
  }

  private static func check(_ label: ArraySlice<UInt8>) throws(HostNameError) {
    guard let first = label.first, let last = label.last else { throw .emptyLabel }
    guard label.count <= 63 else { throw .labelTooLong }
    for byte in label {
      guard byte < 0x80 else { throw .notASCII }
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): continue
      default: throw .invalidCharacter(byte)
      }
    }
    guard first != UInt8(ascii: "-"), last != UInt8(ascii: "-") else { throw .hyphenAtEdge }
  }
}

/// Why a text is no host.
public enum HostNameError: Error, Hashable, Sendable {
  /// Nothing is there.
  case empty
  /// Two dots stand side by side, or a dot leads.
  case emptyLabel
  /// More than 253 octets.
  case tooLong
  /// A label of more than 63 octets.
  case labelTooLong
  /// A label begins or ends with a hyphen.
  case hyphenAtEdge
  /// An ASCII character that is no letter, digit or hyphen.
  case invalidCharacter(UInt8)
  /// A character outside ASCII: a U-label that was not converted.
  case notASCII
  /// It looks like an IP address but isn't one in a form that everybody reads alike.
  case invalidAddress
}
