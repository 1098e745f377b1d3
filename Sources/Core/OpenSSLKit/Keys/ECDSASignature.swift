/// The order of P-256 (SEC 2 version 2, section 2.4.2), big-endian.
private let orderOfP256: [UInt8] = [
  0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
  0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
]

/// True for a signature in its one DER form (RFC 3279 section 2.2.3) with both numbers from 1 to n - 1.
///
/// libcrypto checks the numbers too and refuses most of BER; checked here so that two numbers have exactly
/// one encoding with any version. (There are always two right pairs of numbers, s and n - s.)
func isCanonicalP256Signature(_ signature: [UInt8]) -> Bool {
  // Two numbers of at most 33 bytes, so the length has one byte.
  guard signature.count >= 8, signature.count <= 72, signature[0] == 0x30, Int(signature[1]) == signature.count - 2
  else { return false }
  var rest = signature[2...]
  return takeNumber(&rest) && takeNumber(&rest) && rest.isEmpty
}

/// Takes one INTEGER off the front; false where it isn't minimal or isn't from 1 to n - 1.
private func takeNumber(_ rest: inout ArraySlice<UInt8>) -> Bool {
  guard rest.count >= 3, rest.popFirst() == 0x02, let count = rest.popFirst(), count > 0, rest.count >= Int(count)
  else { return false }
  var number = rest.prefix(Int(count))
  rest = rest.dropFirst(Int(count))
  guard let first = number.first, first < 0x80 else { return false }
  if first == 0, number.count > 1 {
    number = number.dropFirst()
    guard let next = number.first, next >= 0x80 else { return false }
  }
  guard number.count <= 32, number.contains(where: { $0 != 0 }) else { return false }
  return number.count < 32 || number.lexicographicallyPrecedes(orderOfP256)
}
