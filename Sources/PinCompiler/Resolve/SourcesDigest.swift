import OpenSSLKit
import PinFormat

/// The digest that a manifest's provenance names its sources by (`docs/manifest-format.md`).
enum SourcesDigest {
  /// SHA-256 over every file, in order of the bytes of its path: the path's length in 8 bytes (the highest first), the
  /// path, the content's length in 8 bytes, the content.
  ///
  /// - Parameter files: Contents by path relative to the policy directory.
  /// - Returns: The digest.
  /// - Throws: ``CryptoError`` where libcrypto has no memory for it.
  static func compute(_ files: [String: [UInt8]]) throws(CryptoError) -> SHA256Digest {
    var digest = try SHA256()
    for (path, content) in files.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
      let name = Array(path.utf8)
      try digest.update(length(of: name))
      try digest.update(name)
      try digest.update(length(of: content))
      try digest.update(content)
    }
    return SHA256Digest(try digest.finish())
  }

  private static func length(of bytes: [UInt8]) -> [UInt8] {
    let count = UInt64(bytes.count)
    return (0..<8).reversed().map { UInt8(truncatingIfNeeded: count >> UInt64(8 * $0)) }
  }
}
