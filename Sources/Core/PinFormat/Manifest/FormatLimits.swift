/// The most that a manifest or a keyset may hold: far above what anybody needs, so that nobody's mistake or malice costs more.
package enum FormatLimits {
  /// Bytes of a whole file; offsets have 28 bits in the tables.
  package static let fileBytes = 1 << 28 - 1
  /// The default limit of clients for a whole manifest file, in bytes.
  package static let clientFileBytes = 64 << 20
  /// What a release may add to what its policy says: signatures, provenance, the reason for a drastic change.
  package static let releaseBytes = 64 << 10
  /// Signatures of one file.
  package static let signatures = 64
  /// Bytes of one signature.
  package static let signatureBytes = 512
  /// Bytes of any free text, as encoded.
  package static let textBytes = 4_096
  /// Bytes of a report URI.
  package static let uriBytes = 2_048
  /// URIs of one list.
  package static let urisOfAList = 16
  /// Distinct lists of report URIs.
  package static let reportingLists = 65_536
  /// Bytes of a certificate.
  package static let certificateBytes = 65_536
  /// Critical extensions.
  package static let criticalExtensions = 64
  /// Items of any list of `trust`.
  package static let trustItems = 1_024
  /// Keys of one set.
  package static let keysOfASet = 1_024
  /// Bytes of a whole keyset file.
  package static let keysetBytes = 65_536
  /// Keys of one role of a keyset.
  package static let keysOfARole = 64
  /// Bytes of a signing key's SubjectPublicKeyInfo.
  package static let signingKeyBytes = 128
}
