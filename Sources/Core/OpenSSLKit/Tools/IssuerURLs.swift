#if !CryptoKit
import CLibCrypto

extension Certificate {
  /// Where Authority Information Access says that the issuer's certificate is (RFC 5280 section 4.2.2.1), in its order.
  ///
  /// URIs only, at most eight, each of at most 2,048 bytes.
  package var issuerURLs: [String] {
    guard let list = keepingErrorQueue({ pintle_authority_information_access(pointer) }) else { return [] }
    defer { AUTHORITY_INFO_ACCESS_free(list) }
    var urls: [String] = []
    for index in 0..<pintle_access_count(list) where urls.count < 8 {
      guard let access = pintle_access_at(list, index), OBJ_obj2nid(access.pointee.method) == NID_ad_ca_issuers
      else { continue }
      var kind: Int32 = 0
      guard let value = GENERAL_NAME_get0_value(access.pointee.location, &kind), kind == GEN_URI else { continue }
      let string = UnsafePointer(value.assumingMemoryBound(to: ASN1_STRING.self))
      let count = Int(ASN1_STRING_length(string))
      guard count > 0, count <= 2_048 else { continue }
      let bytes = UnsafeBufferPointer(start: ASN1_STRING_get0_data(string), count: count)
      urls.append(String(decoding: bytes, as: UTF8.self))
    }
    return urls
  }
}
#endif
