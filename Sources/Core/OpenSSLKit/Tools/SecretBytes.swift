#if !CryptoKit
import CLibCrypto

/// A passphrase: a few bytes that are overwritten as soon as nobody needs them any longer.
///
/// A class, so that there is one place to overwrite and not a copy wherever it was passed on.
package final class SecretBytes {
  /// The most bytes that are kept.
  ///
  /// libcrypto takes no more of a passphrase for a PEM file in its old form.
  package static let limit = 1_023

  private let buffer: UnsafeMutablePointer<CChar>
  package private(set) var count = 0

  package init() {
    buffer = .allocate(capacity: Self.limit + 1)
    buffer.initialize(repeating: 0, count: Self.limit + 1)
  }

  deinit {
    OPENSSL_cleanse(buffer, Self.limit + 1)
    buffer.deallocate()
  }

  package var isEmpty: Bool { count == 0 }

  /// Adds a byte; false where there is no room, or it is 0, which ends a passphrase for libcrypto.
  package func append(_ byte: UInt8) -> Bool {
    guard count < Self.limit, byte != 0 else { return false }
    buffer[count] = CChar(bitPattern: byte)
    count += 1
    return true
  }

  /// True where both hold the same bytes.
  package func isEqual(to other: SecretBytes) -> Bool {
    CRYPTO_memcmp(buffer, other.buffer, Self.limit + 1) == 0
  }

  /// Lends the bytes, behind which is a 0.
  func withBytes<Result>(_ body: (UnsafeMutablePointer<CChar>) -> Result) -> Result { body(buffer) }
}

/// Overwrites bytes that were secret, in the copy that is given.
package func wipe(_ bytes: inout [UInt8]) {
  bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
}
#endif
