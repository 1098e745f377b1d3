package import PinFormat

/// A released manifest that was verified before it was read.
package struct Baseline: Sendable {
  /// The file as it was released.
  package var bytes: [UInt8]
  package var manifest: Manifest
  /// SHA-256 over the signed bytes: what the next release names as its predecessor.
  package var digest: SHA256Digest

  package init(bytes: [UInt8], manifest: Manifest, digest: SHA256Digest) {
    self.bytes = bytes
    self.manifest = manifest
    self.digest = digest
  }
}
