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

  /// The first attribute of a kind, as UTF-8; nil where there is none.
  static func attribute(_ nid: Int32, of name: OpaquePointer?) -> String? {
    guard let name else { return nil }
    let index = X509_NAME_get_index_by_NID(name, nid, -1)
    guard index >= 0, let value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, index)) else { return nil }
    var text: UnsafeMutablePointer<UInt8>?
    let count = keepingErrorQueue { ASN1_STRING_to_UTF8(&text, value) }
    guard count >= 0, let text else { return nil }
    defer { pintle_free(text) }
    return String(decoding: UnsafeBufferPointer(start: text, count: Int(count)), as: UTF8.self)
  }
}
