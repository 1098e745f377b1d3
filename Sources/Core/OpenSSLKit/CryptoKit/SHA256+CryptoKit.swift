#if CryptoKit
#if canImport(CryptoKit)
import CryptoKit

private typealias Hash = CryptoKit.SHA256
#else
import Crypto

private typealias Hash = Crypto.SHA256
#endif

/// SHA-256 by CryptoKit.
package enum SHA256 {
  /// 32 bytes.
  package typealias Value = InlineArray<32, UInt8>

  /// The digest of bytes.
  package static func digest(of bytes: UnsafeRawBufferPointer) throws(CryptoError) -> Value {
    var hash = Hash()
    hash.update(bufferPointer: bytes)
    var value = Value(repeating: 0)
    var place = 0
    for byte in hash.finalize() {
      value[place] = byte
      place += 1
    }
    return value
  }

  /// The digest of bytes.
  package static func digest(of bytes: [UInt8]) throws(CryptoError) -> Value {
    try digest(of: bytes, in: bytes.indices)
  }

  /// The digest of a part of some bytes.
  package static func digest(of bytes: [UInt8], in range: Range<Int>) throws(CryptoError) -> Value {
    try bytes.withUnsafeBufferPointer { (buffer) throws(CryptoError) in
      try digest(of: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: buffer[range])))
    }
  }
}
#endif
