#if !CryptoKit
import CLibCrypto

/// SHA-256 by libcrypto.
///
/// It is on the decision's path: its state is on the stack, so it allocates nothing and takes no lock.
package enum SHA256 {
  /// 32 bytes.
  package typealias Value = InlineArray<32, UInt8>

  /// The digest of bytes, without allocating.
  package static func digest(of bytes: UnsafeRawBufferPointer) throws(CryptoError) -> Value {
    var value = Value(repeating: 0)
    let status = withUnsafeMutableBytes(of: &value) { raw in
      pintle_sha256(bytes.baseAddress, bytes.count, raw.assumingMemoryBound(to: UInt8.self).baseAddress)
    }
    guard status == 1 else { throw CryptoError(.failed, "SHA-256 failed") }
    return value
  }

  /// The digest of bytes, without allocating.
  package static func digest(of bytes: [UInt8]) throws(CryptoError) -> Value {
    try bytes.withUnsafeBufferPointer { (buffer) throws(CryptoError) in
      try digest(of: UnsafeRawBufferPointer(buffer))
    }
  }

  /// The digest of a part of some bytes, without allocating.
  package static func digest(of bytes: [UInt8], in range: Range<Int>) throws(CryptoError) -> Value {
    try bytes.withUnsafeBufferPointer { (buffer) throws(CryptoError) in
      try digest(of: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: buffer[range])))
    }
  }
}
#endif
