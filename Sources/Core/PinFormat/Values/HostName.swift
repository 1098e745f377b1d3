/// A host in its canonical form: a lower-case A-label name without a trailing dot, or an IP address.
///
/// - A name: labels of letters, digits and hyphens (RFC 1123 section 2.1), 1 to 63 octets each, 253 in all, the last
///   label not a number (digits only, or `0x` and hexadecimal digits only).
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

    /// The kind of a host in canonical form: only an IPv6 address has colons, and no name is of digits and dots alone.
    init(ofCanonical text: String) {
      if text.utf8.contains(UInt8(ascii: ":")) {
        self = .ipv6
      } else {
        let isNumeric = text.utf8.allSatisfy { $0 <= UInt8(ascii: "9") && $0 != UInt8(ascii: "-") }
        self = isNumeric ? .ipv4 : .name
      }
    }
  }

  /// What kind of host this is.
  public let kind: Kind
  /// The canonical text: `api.example.com`, `10.0.0.5`, `2001:db8::1`.
  public let text: String

  /// The canonical text.
  public var description: String { text }

  /// True for an IPv4 or IPv6 address.
  public var isAddress: Bool { kind != .name }

  /// Takes a host that is in canonical form.
  package init(_ host: borrowing CanonicalHost) {
    kind = host.kind
    // A text that is known to be ASCII is compared and hashed as bytes, without Unicode normalisation.
    text = host.withBytes { String(copying: UTF8Span(unchecked: $0, isKnownASCII: true)) }
  }

  /// Takes canonical text that a scanner has checked.
  package init(checked text: String, kind: Kind) {
    self.kind = kind
    self.text = text
  }

  /// Brings ASCII text into canonical form: lower case, no trailing dot, no brackets around an IPv6 address.
  ///
  /// U-labels aren't converted here: that takes IDNA tables, which only the compiler carries.
  ///
  /// - Parameter text: A name or an address as a person or a URL writes it.
  /// - Throws: ``HostNameError`` saying why the text isn't a host.
  public init(canonicalising text: String) throws(HostNameError) {
    // Most names are canonical already, so the text itself can be used.
    if CanonicalHost.isCanonicalName(text.utf8Span.span, isQuestion: false) {
      self.init(checked: text, kind: .name)
      return
    }
    self.init(try CanonicalHost(text.utf8Span.span, isQuestion: false))
  }

  /// Orders by canonical text.
  public static func < (left: HostName, right: HostName) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}

/// Why a text isn't a host.
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
  /// An ASCII character that isn't a letter, digit or hyphen.
  case invalidCharacter(UInt8)
  /// A character outside ASCII: a U-label that was not converted.
  case notASCII
  /// It looks like an IP address but isn't one in a form that everybody reads alike.
  case invalidAddress
}
