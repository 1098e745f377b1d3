#if !CryptoKit
import CLibCrypto

/// The texts of an `X509_NAME`.
enum DistinguishedName {
  /// RFC 4514: the last attribute first, characters outside ASCII as UTF-8.
  static func text(_ name: OpaquePointer?) -> String {
    guard let name, X509_NAME_entry_count(name) > 0, let bio = try? MemoryBIO() else { return "" }
    let written = keepingErrorQueue { X509_NAME_print_ex(bio.pointer, name, 0, pintle_rfc4514_flags()) }
    guard written >= 0 else { return "" }
    return bio.text
  }
}
#endif
