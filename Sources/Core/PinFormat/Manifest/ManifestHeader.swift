extension Manifest {
  /// What holds for the whole manifest.
  package struct Header: Sendable {
    package var audience: String
    package var serial: Int64
    package var issued: Instant
    package var refreshAfter: Instant
    package var expires: Instant
    package var onStale: ExpiryAction
    package var previous: SHA256Digest?
    package var provenance: Provenance
    package var unpinnedHosts: UnpinnedHosts
    package var critical: [String]
    package var drasticChange: String?
  }
}
