import CLibCrypto
import Glibc

/// The names of a certificate that a TLS client compares with: DNS names and addresses of the Subject Alternative Name.
package struct AlternativeNames: Hashable, Sendable {
  /// As they stand in the certificate, wildcards included.
  package var dns: [String] = []
  /// As text: `10.0.0.5`, `2001:db8::1`.
  package var addresses: [String] = []

  /// All of them as text, the DNS names first.
  package var texts: [String] { dns + addresses }
}

extension Certificate {
  /// The Subject Alternative Name; empty where there is none or it is malformed.
  package var alternativeNames: AlternativeNames {
    var names = AlternativeNames()
    guard let list = pintle_alternative_names(pointer) else { return names }
    defer { GENERAL_NAMES_free(list) }
    for index in 0..<pintle_general_names_count(list) {
      guard let name = pintle_general_names_at(list, index) else { continue }
      var kind: Int32 = 0
      guard let value = GENERAL_NAME_get0_value(name, &kind) else { continue }
      // Both kinds are ASN1_STRINGs (RFC 5280 section 4.2.1.6: IA5String and OCTET STRING).
      let string = UnsafePointer(value.assumingMemoryBound(to: ASN1_STRING.self))
      switch kind {
      case GEN_DNS: names.dns.append(String(decoding: bytes(of: string), as: UTF8.self))
      case GEN_IPADD: if let text = addressText(bytes(of: string)) { names.addresses.append(text) }
      default: continue
      }
    }
    return names
  }
}

private func bytes(of string: UnsafePointer<ASN1_STRING>) -> [UInt8] {
  Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(string), count: Int(ASN1_STRING_length(string))))
}

private func addressText(_ bytes: [UInt8]) -> String? {
  let family: Int32
  switch bytes.count {
  case 4: family = AF_INET
  case 16: family = AF_INET6
  default: return nil
  }
  var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
  guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return nil }
  return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
