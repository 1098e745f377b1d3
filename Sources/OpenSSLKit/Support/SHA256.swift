import CLibCrypto

/// SHA-256 by libcrypto.
///
/// The one-shot form is on the decision's path: its state is on the stack, so it allocates nothing and takes no lock.
package struct SHA256: ~Copyable {
  /// 32 bytes.
  package typealias Value = InlineArray<32, UInt8>

  private let context: OpaquePointer

  /// Begins a digest of bytes that come piece by piece.
  package init() throws(CryptoError) {
    guard let context = EVP_MD_CTX_new() else { throw CryptoError(.outOfMemory, "no memory for a digest") }
    guard EVP_DigestInit_ex2(context, fetchedSHA256.pointer, nil) == 1 else {
      EVP_MD_CTX_free(context)
      throw CryptoError(.failed, "SHA-256 isn't to be had")
    }
    self.context = context
  }

  deinit {
    EVP_MD_CTX_free(context)
  }

  /// Adds bytes.
  package mutating func update(_ bytes: [UInt8]) throws(CryptoError) {
    let status = bytes.withUnsafeBytes { EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
    guard status == 1 else { throw CryptoError(.failed, "SHA-256 failed") }
  }

  /// The digest of all bytes that were added.
  package consuming func finish() throws(CryptoError) -> Value {
    var value = Value(repeating: 0)
    let status = withUnsafeMutableBytes(of: &value) { raw in
      EVP_DigestFinal_ex(context, raw.assumingMemoryBound(to: UInt8.self).baseAddress, nil)
    }
    guard status == 1 else { throw CryptoError(.failed, "SHA-256 failed") }
    return value
  }

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

/// The fetched algorithm, for the life of the process.
///
/// `@unchecked`: the object is never written to after the fetch, and a process never frees it.
private struct FetchedDigest: @unchecked Sendable {
  let pointer: OpaquePointer?
}

private let fetchedSHA256 = FetchedDigest(pointer: EVP_MD_fetch(nil, "SHA256", nil))
