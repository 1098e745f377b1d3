/// A family of keys that a server can be asked to prove itself with.
package enum KeyFamily: String, Hashable, Sendable, CaseIterable {
  /// Elliptic curves: ECDSA, and EdDSA with it.
  case ecdsa
  /// ML-DSA-44, -65 and -87, in TLS 1.3 only.
  case mlDSA = "ml-dsa"
  case rsa

  /// As people write it.
  package var title: String {
    switch self {
    case .ecdsa: "ECDSA"
    case .mlDSA: "ML-DSA"
    case .rsa: "RSA"
    }
  }
}

/// A protocol that begins in clear text and changes to TLS when asked.
package enum StartTLS: String, Hashable, Sendable, CaseIterable {
  /// RFC 9051 section 6.2.1.
  case imap
  /// RFC 4511 section 4.14.
  case ldap
  /// RFC 2595 section 4.
  case pop3
  /// SSLRequest of PostgreSQL's frontend/backend protocol.
  case postgres
  /// RFC 3207.
  case smtp

  /// The protocol that a port is known for, where it begins in clear text; nil where TLS comes first.
  package init?(wellKnownPort port: UInt16) {
    switch port {
    case 25, 587: self = .smtp
    case 110: self = .pop3
    case 143: self = .imap
    case 389: self = .ldap
    case 5432: self = .postgres
    default: return nil
    }
  }
}
