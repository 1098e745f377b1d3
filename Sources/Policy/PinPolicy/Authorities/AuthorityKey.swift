package import PinFormat

/// Where a statement about an authority was read, and what the source says, in words of our own.
package struct AuthoritySource: Hashable, Sendable {
  /// The day of the page, commit or release that was read.
  package let published: Instant
  package let url: String
  package let says: String

  /// Where it was read, and what it says: `https://…, 2025-06-23: …`.
  package var citation: String {
    "\(url), \(published.description.prefix { $0 != "T" }): \(says.hasSuffix(".") ? String(says.dropLast()) : says)"
  }
}

/// An instant that a source states.
package struct DatedStatement: Hashable, Sendable {
  package let instant: Instant
  package let source: AuthoritySource
}

/// A list of roots that clients trust.
package enum TrustStoreName: String, Sendable, CaseIterable, Comparable {
  case mozilla, debian, certifi, chrome, apple, microsoft, android, java

  /// Mozilla's list and the copies of it that services on Linux use.
  package static let mozillaLine: [TrustStoreName] = [.mozilla, .debian, .certifi]

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A key of an authority, with what is known of it on a day.
package struct AuthorityKey: Hashable, Sendable {
  package enum Position: String, Sendable, CaseIterable {
    case root
    /// Of a certificate that issues those of servers.
    case issuing
  }

  /// What a store does with a root.
  package struct Standing: Hashable, Sendable {
    /// The first day on which it is known to be in the store.
    package internal(set) var since: DatedStatement?
    /// Certificates that are issued after this day aren't trusted.
    package internal(set) var distrustAfter: DatedStatement?
    /// The day on which it leaves the store.
    package internal(set) var until: DatedStatement?
  }

  /// Another key, with the day of a statement about both.
  package struct Link: Hashable, Sendable {
    package let key: AuthorityKeyName
    package let date: DatedStatement
  }

  package let name: AuthorityKeyName
  package let pin: Pin
  /// SHA-256 of the certificate that the pin was computed from.
  package let certificate: SHA256Digest
  /// RFC 4514 text.
  package let subject: String
  package let position: Position
  package let created: Instant
  /// When the last known certificate of it ends.
  package let expires: Instant
  package let source: AuthoritySource
  /// The day from which the authority issues no server's certificate under it.
  package internal(set) var issuesUntil: DatedStatement?
  /// The keys that issuance moves to, and from when.
  package internal(set) var successors: [Link] = []
  /// The keys that certified it, and when these certificates end.
  package internal(set) var signedBy: [Link] = []
  package internal(set) var stores: [TrustStoreName: Standing] = [:]

  /// The end of its last certificate, as a statement.
  package var expiry: DatedStatement { DatedStatement(instant: expires, source: source) }
}

/// The name of a key: that of its authority, and its own.
package struct AuthorityKeyName: Hashable, Sendable, CustomStringConvertible {
  package let authority: String
  package let key: String

  package init(authority: String, key: String) {
    self.authority = authority
    self.key = key
  }

  package var description: String { authority + "/" + key }

  /// As a statement of an authority has it, which leaves out its own name.
  func within(_ authority: String) -> Self { self.authority.isEmpty ? Self(authority: authority, key: key) : self }
}

/// A CA, with what is known of its keys on a day.
package struct Authority: Sendable {
  /// What an authority says about changes of its issuing CAs.
  package enum Notice: String, Sendable, CaseIterable {
    /// They change without notice.
    case withoutNotice = "none"
    /// They change after an announcement.
    case announced
  }

  package let name: String
  /// Who is responsible for it.
  package let owner: String
  /// Brands under which people know it.
  package let brands: [String]
  /// How its issuing CAs change; nil where it doesn't say.
  package internal(set) var issuersChange: (notice: Notice, source: AuthoritySource)?
  package internal(set) var keys: [AuthorityKey] = []
}

/// A CDN or managed service that gets certificates for its customers.
package struct CertificateService: Sendable {
  package let name: String
  package let brands: [String]
  /// The authorities that it says it gets certificates from.
  package let authorities: [String]
  package let source: AuthoritySource
}
