/// The most that evidence may hold: what a hostile server can make of it, and what a fleet needs.
package enum EvidenceLimits {
  /// Bytes of a whole file.
  package static let fileBytes = 1 << 28
  /// Targets of one file.
  package static let targets = 100_000
  /// The most targets of a file that is read in pieces.
  package static let streamedTargets = 10_000_000
  /// Addresses of one target.
  package static let addresses = 64
  /// Visits of one address: one for each offer.
  package static let visits = 4
  /// Certificates of one served chain.
  package static let chainCertificates = 32
  /// Bytes of the certificates of one served chain, and so of any one.
  package static let chainBytes = 262_144
  /// Bytes of a stapled OCSP response.
  package static let stapleBytes = 16_384
  /// Trust stores.
  package static let stores = 16
  /// Anchors of one trust store.
  package static let anchors = 1_000
  /// Parts that a fleet can be divided into.
  package static let shards = 10_000
  /// Times that a visit is tried.
  package static let attempts = 1_000
  /// Signed certificate timestamps that are counted.
  package static let timestamps = 1_000
  /// Bytes of a message, as encoded.
  package static let messageBytes = 300
}
