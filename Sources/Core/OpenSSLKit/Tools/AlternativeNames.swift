#if !CryptoKit
import CLibCrypto

/// The names of the Subject Alternative Name: DNS names and addresses, which a TLS client compares with, and URIs.
package struct AlternativeNames: Hashable, Sendable {
  /// As they are in the certificate, wildcards included.
  package var dns: [String] = []
  /// As text: `10.0.0.5`, `2001:db8::1`.
  package var addresses: [String] = []

  /// Such as SPIFFE's; no client compares them.
  package var uris: [String] = []

  /// Those that clients compare as text, the DNS names first.
  package var texts: [String] { dns + addresses }
}

extension Certificate {
  /// The Subject Alternative Name; empty where there is none or it is malformed.
  package var alternativeNames: AlternativeNames {
    var names = AlternativeNames()
    guard let list = keepingErrorQueue({ pintle_alternative_names(pointer) }) else { return names }
    defer { GENERAL_NAMES_free(list) }
    for index in 0..<pintle_general_names_count(list) {
      guard let name = pintle_general_names_at(list, index) else { continue }
      var kind: Int32 = 0
      guard let value = GENERAL_NAME_get0_value(name, &kind) else { continue }
      // All three kinds are ASN1_STRINGs (RFC 5280 section 4.2.1.6: IA5String and OCTET STRING).
      let string = UnsafePointer(value.assumingMemoryBound(to: ASN1_STRING.self))
      switch kind {
      case GEN_DNS: names.dns.append(String(decoding: bytes(of: string), as: UTF8.self))
      case GEN_URI: names.uris.append(String(decoding: bytes(of: string), as: UTF8.self))
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

/// The text of an address's octets; nil where they are neither 4 nor 16.
private func addressText(_ octets: [UInt8]) -> String? {
  switch octets.count {
  case 4: return joined(octets.map { String($0) }, by: ".")
  case 16:
    let groups = (0..<8).map { UInt16(octets[2 * $0]) << 8 | UInt16(octets[2 * $0 + 1]) }
    let cut = longestZeros(in: groups)
    let texts = groups.map { String($0, radix: 16) }
    guard !cut.isEmpty else { return joined(texts, by: ":") }
    return joined(Array(texts[..<cut.lowerBound]), by: ":") + "::" + joined(Array(texts[cut.upperBound...]), by: ":")
  default: return nil
  }
}

/// The first longest run of at least two zero groups, which RFC 5952 section 4.2 writes as `::`.
private func longestZeros(in groups: [UInt16]) -> Range<Int> {
  var best = 0..<0
  var start = 0
  while start < groups.count {
    var end = start
    while end < groups.count, groups[end] == 0 { end += 1 }
    if end - start > max(best.count, 1) { best = start..<end }
    start = max(end, start + 1)
  }
  return best
}

private func joined(_ parts: [String], by separator: String) -> String {
  var text = ""
  for (index, part) in parts.enumerated() { text += index == 0 ? part : separator + part }
  return text
}
#endif
