#if !CryptoKit
import CLibCrypto

/// Reads one object with a `d2i` function; all of the bytes must belong to it.
///
/// - Parameters:
///   - what: The object as messages name it: `the certificate`.
///   - der: The bytes.
///   - damaged: The message for bytes that don't contain such an object.
///   - read: The `d2i` function, which moves the pointer behind what it has read.
///   - free: Frees an object that turns out to be followed by something.
/// - Returns: The object, which the caller owns.
/// - Throws: ``CryptoError`` of code `malformed` where the bytes are something else, or more.
func decoded(
  _ what: StaticString, from der: [UInt8], damaged: StaticString = "is damaged",
  by read: (inout UnsafePointer<UInt8>?, Int) -> OpaquePointer?, free: (OpaquePointer) -> Void
) throws(CryptoError) -> OpaquePointer {
  try withBytes(of: der) { (bytes) throws(CryptoError) in
    LibcryptoUse.begin()
    defer { LibcryptoUse.end() }
    var cursor = bytes.baseAddress
    guard let object = read(&cursor, bytes.count) else { throw CryptoError(.malformed, "\(what) \(damaged)") }
    guard cursor == bytes.baseAddress?.advanced(by: bytes.count) else {
      free(object)
      throw CryptoError(.malformed, "bytes follow \(what)")
    }
    return object
  }
}

/// Lends an array's bytes; the pointer is never nil, also where there are none.
func withBytes<Result>(
  of bytes: [UInt8], _ body: (UnsafeBufferPointer<UInt8>) throws(CryptoError) -> Result
) throws(CryptoError) -> Result {
  guard !bytes.isEmpty else {
    var nothing: UInt8 = 0
    return try withUnsafePointer(to: &nothing) { (pointer) throws(CryptoError) in
      try body(UnsafeBufferPointer(start: pointer, count: 0))
    }
  }
  return try bytes.withUnsafeBufferPointer { (buffer) throws(CryptoError) in try body(buffer) }
}

/// Takes what an `i2d` function writes: it is asked for the length first, then for the bytes.
func encoded(_ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) throws(CryptoError) -> [UInt8] {
  let count = encode(nil)
  guard count > 0 else { throw CryptoError(.failed, "libcrypto could not encode an object") }
  let bytes = [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, initialized in
    var cursor = buffer.baseAddress
    initialized = encode(&cursor) == count ? Int(count) : 0
  }
  guard !bytes.isEmpty else { throw CryptoError(.failed, "libcrypto could not encode an object") }
  return bytes
}
#endif
