import CLibCrypto
import Glibc

/// SHA-256 by libcrypto, the algorithm fetched once for the process.
///
/// The one-shot form keeps a context for each thread: from a thread's second digest on, nothing is allocated and no
/// lock is taken.
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
    try Self.finish(context)
  }

  /// The digest of bytes, without allocating.
  package static func digest(of bytes: UnsafeRawBufferPointer) throws(CryptoError) -> Value {
    guard let context = threadContext() else { throw CryptoError(.outOfMemory, "no memory for a digest") }
    guard EVP_DigestInit_ex2(context, fetchedSHA256.pointer, nil) == 1,
      EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
    else { throw CryptoError(.failed, "SHA-256 failed") }
    return try finish(context)
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

  private static func finish(_ context: OpaquePointer) throws(CryptoError) -> Value {
    var value = Value(repeating: 0)
    let status = withUnsafeMutableBytes(of: &value) { raw in
      EVP_DigestFinal_ex(context, raw.assumingMemoryBound(to: UInt8.self).baseAddress, nil)
    }
    guard status == 1 else { throw CryptoError(.failed, "SHA-256 failed") }
    return value
  }

  /// This thread's context, made at its first use; the thread's end frees it.
  private static func threadContext() -> OpaquePointer? {
    guard let key = contextKey else { return nil }
    if let existing = pthread_getspecific(key) { return OpaquePointer(existing) }
    guard let context = EVP_MD_CTX_new() else { return nil }
    guard pthread_setspecific(key, UnsafeRawPointer(context)) == 0 else {
      EVP_MD_CTX_free(context)
      return nil
    }
    return context
  }
}

/// The fetched algorithm, for the life of the process.
///
/// `@unchecked`: the object is never written to after the fetch, and a process never frees it.
private struct FetchedDigest: @unchecked Sendable {
  let pointer: OpaquePointer?
}

private let fetchedSHA256 = FetchedDigest(pointer: EVP_MD_fetch(nil, "SHA256", nil))

private let contextKey: pthread_key_t? = {
  var key = pthread_key_t()
  return pthread_key_create(&key, freeContext) == 0 ? key : nil
}()

private func freeContext(_ context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  EVP_MD_CTX_free(OpaquePointer(context))
}
