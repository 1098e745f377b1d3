#if !CryptoKit
import CLibCrypto

/// A buffer that libcrypto reads from or writes to.
struct MemoryBIO: ~Copyable {
  let pointer: OpaquePointer

  /// An empty buffer to write to.
  ///
  /// A secret one is wiped when it is freed.
  init(secret: Bool = false) throws(CryptoError) {
    guard let bio = LibcryptoUse.during({ BIO_new(secret ? BIO_s_secmem() : BIO_s_mem()) }) else {
      throw CryptoError(.outOfMemory, "no memory for a buffer")
    }
    pointer = bio
  }

  deinit {
    LibcryptoUse.during { _ = BIO_free(pointer) }
  }

  /// What was written to it.
  var bytes: [UInt8] {
    var data: UnsafeMutablePointer<CChar>?
    let count = pintle_bio_mem_data(pointer, &data)
    guard let data, count > 0 else { return [] }
    return Array(UnsafeRawBufferPointer(start: data, count: count))
  }

  /// What was written to it, as text.
  var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension MemoryBIO {
  /// Lends a read-only buffer over bytes, which aren't copied.
  static func reading<Result>(
    _ bytes: [UInt8], _ body: (OpaquePointer) throws(CryptoError) -> Result
  ) throws(CryptoError) -> Result {
    guard let count = Int32(exactly: bytes.count) else { throw CryptoError(.malformed, "too many bytes") }
    return try withBytes(of: bytes) { (raw) throws(CryptoError) in
      guard let bio = LibcryptoUse.during({ BIO_new_mem_buf(raw.baseAddress, count) }) else {
        throw CryptoError(.outOfMemory, "no memory for a buffer")
      }
      defer { LibcryptoUse.during { _ = BIO_free(bio) } }
      return try body(bio)
    }
  }
}
#endif
