import OpenSSLKit
import PinFormat

/// The digest that a manifest's provenance names its sources by (`docs/manifest-format.md`).
enum SourcesDigest {
  /// SHA-256 over the SHA-256 values of all files, in order of their bytes.
  ///
  /// Paths are left out: what a file is called, and so in which order files are found, never changes a manifest.
  ///
  /// - Parameter files: The content of each file.
  /// - Returns: The digest.
  /// - Throws: ``CryptoError`` where libcrypto has no memory for it.
  static func compute(_ files: [[UInt8]]) throws(CryptoError) -> SHA256Digest {
    var digests: [[UInt8]] = []
    for content in files { digests.append(SHA256Digest(try SHA256.digest(of: content)).bytes) }
    digests.sort { $0.lexicographicallyPrecedes($1) }
    return SHA256Digest(try SHA256.digest(of: Array(digests.joined())))
  }
}
