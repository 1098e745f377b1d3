#if !CryptoKit
import CLibCrypto
#endif

/// One block of a PEM text (RFC 7468): its label and its bytes.
package struct PEMBlock: Hashable, Sendable {
  /// What is between `BEGIN` and the dashes, such as `CERTIFICATE`.
  package let label: String
  /// True where the header lines say that a passphrase protects the bytes (RFC 1421).
  package let isEncrypted: Bool
  package internal(set) var bytes: [UInt8]

  /// True for a block of one of these kinds.
  package func isLabelled(_ labels: StaticString...) -> Bool {
    labels.contains { $0.description.isSame(as: label) }
  }

  #if !CryptoKit
  /// Reads all blocks of a text, in its order; what is outside the blocks is skipped.
  ///
  /// A block that begins and doesn't end well is an error, never skipped, and so is one that doesn't begin its line.
  package static func read(_ text: [UInt8]) throws(CryptoError) -> [PEMBlock] {
    let blocks = try MemoryBIO.reading(text) { (bio) throws(CryptoError) in
      var blocks: [PEMBlock] = []
      while let block = try next(bio) { blocks.append(block) }
      return blocks
    }
    try checkAllRead(blocks, of: text)
    return blocks
  }
  #endif

  /// libcrypto skips a block that doesn't begin its line, as if it were prose.
  static func checkAllRead(_ blocks: [PEMBlock], of text: [UInt8]) throws(CryptoError) {
    guard beginnings(in: text, most: blocks.count + 1) == blocks.count else {
      throw CryptoError(.malformed, "the PEM text has a block that doesn't begin its line")
    }
  }

  /// True if a text contains the beginning of a block, so that it must be read as PEM rather than DER.
  package static func looksLikePEM(_ bytes: [UInt8]) -> Bool { beginnings(in: bytes, most: 1) > 0 }

  private static func beginnings(in bytes: [UInt8], most: Int) -> Int {
    let mark = Array("-----BEGIN ".utf8)
    var count = 0
    for start in bytes.indices.dropLast(mark.count - 1) where bytes[start] == mark[0] {
      if bytes[start..<(start + mark.count)].elementsEqual(mark) { count += 1 }
      if count == most { break }
    }
    return count
  }

  #if !CryptoKit
  private static func next(_ bio: OpaquePointer) throws(CryptoError) -> PEMBlock? {
    var name: UnsafeMutablePointer<CChar>?
    var header: UnsafeMutablePointer<CChar>?
    var data: UnsafeMutablePointer<UInt8>?
    var count = 0
    LibcryptoUse.begin()
    defer { LibcryptoUse.end() }
    guard PEM_read_bio(bio, &name, &header, &data, &count) == 1 else {
      let error = ERR_peek_last_error()
      guard ERR_GET_LIB(error) == ERR_LIB_PEM, ERR_GET_REASON(error) == PEM_R_NO_START_LINE else {
        throw CryptoError(.malformed, "the PEM text is damaged")
      }
      return nil
    }
    defer {
      pintle_free(name)
      pintle_free(header)
      // The bytes may be a private key's.
      if let data { OPENSSL_cleanse(data, count) }
      pintle_free(data)
    }
    guard let name, let header, let data else { throw CryptoError(.failed, "libcrypto could not read PEM") }
    return PEMBlock(
      label: String(cString: name),
      isEncrypted: String(cString: header).utf8.starts(with: "Proc-Type: 4,ENCRYPTED".utf8),
      bytes: Array(UnsafeBufferPointer(start: data, count: count)))
  }

  /// Writes a block: lines of 64 characters between its two marks.
  package static func write(label: String, bytes: [UInt8]) throws(CryptoError) -> [UInt8] {
    let bio = try MemoryBIO()
    let written = PEM_write_bio(bio.pointer, label, "", bytes, bytes.count)
    guard written > 0 else { throw CryptoError(.failed, "libcrypto could not write PEM") }
    return bio.bytes
  }
  #endif
}
