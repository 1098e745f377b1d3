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
  /// Reads all blocks of a text, in its order; ordinary text outside the blocks is skipped.
  ///
  /// What looks like a block, a certificate or a key and can't be read is an error, never skipped.
  package static func read(_ text: [UInt8]) throws(CryptoError) -> [PEMBlock] {
    let count = try PEMScan.blocks(in: text)
    let blocks = try MemoryBIO.reading(text) { (bio) throws(CryptoError) in
      var blocks: [PEMBlock] = []
      while let block = try next(bio) { blocks.append(block) }
      return blocks
    }
    guard blocks.count == count else { throw CryptoError(.malformed, "the PEM text has a block that can't be read") }
    return blocks
  }
  #endif

  /// The one block of a text, a public key.
  static func onlyPublicKey(in text: [UInt8]) throws(CryptoError) -> PEMBlock {
    let blocks = try read(text)
    guard let block = blocks.first else { throw CryptoError(.nothingFound, "no public key in the PEM text") }
    guard blocks.count == 1 else { throw CryptoError(.malformed, "more than one block in the PEM text") }
    guard block.isLabelled("PUBLIC KEY") else { throw block.misplaced("a public key") }
    return block
  }

  /// True if a text contains the beginning of a block, so that it must be read as PEM rather than DER.
  package static func looksLikePEM(_ bytes: [UInt8]) -> Bool {
    for index in 0..<bytes.count where PEMScan.has("-----BEGIN ", bytes, at: index) { return true }
    return false
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
