package import PinFormat

/// When a certificate that a server shows is valid.
package struct CertificateSpan: Hashable, Sendable {
  /// What it is in the chain.
  package enum Role: Int, Hashable, Sendable, Comparable, CaseIterable {
    case leaf
    case intermediate
    case root

    package static func < (left: Role, right: Role) -> Bool { left.rawValue < right.rawValue }
  }

  /// The server's index in the scenario.
  package var server: Int
  package var role: Role
  /// What people call it, such as its common name.
  package var name: String
  /// The first instant at which it is valid; nil where it can't be read.
  package var begin: Instant?
  /// The last such instant.
  package var end: Instant

  package init(server: Int, role: Role, name: String, begin: Instant?, end: Instant) {
    self.server = server
    self.role = role
    self.name = name
    self.begin = begin
    self.end = end
  }
}
