#if CryptoKit
/// What Pintle's own checks need of a certificate (RFC 5280 section 4.1), from its DER.
struct CertificateFields: Sendable {
  private(set) var notBefore: Int64?
  private(set) var notAfter: Int64?
  private(set) var key: KeyFields?
  private(set) var signature: CertificateSignature
  private(set) var usages: [String]?
  private(set) var repeatsAnExtension = false
  private(set) var hasUsageBesidesSigning = false

  /// The most extensions that are read: several times what any authority writes, and few enough to compare in pairs.
  private static let maximumExtensions = 64

  /// Nil where the outer structure isn't DER, or an extension that is used here can't be read.
  init?(_ bytes: UnsafeRawBufferPointer) {
    var whole = DERReader(bytes, bytes.startIndex..<bytes.endIndex)
    guard var certificate = whole.enter(.sequence), whole.isAtEnd, var signed = certificate.enter(.sequence),
      let outer = certificate.skip(.sequence), certificate.skip(.bitString) != nil, certificate.isAtEnd
    else { return nil }
    _ = signed.skip(.context0)
    guard signed.skip(.integer) != nil, let inner = signed.skip(.sequence), signed.skip(.sequence) != nil,
      var validity = signed.enter(.sequence), signed.skip(.sequence) != nil, let spki = signed.skip(.sequence)
    else { return nil }
    _ = signed.skip(.issuerUniqueID)
    // The tag of subjectUniqueID is also that of a DNS name.
    _ = signed.skip(.dnsName)
    notBefore = Self.seconds(&validity, bytes)
    notAfter = Self.seconds(&validity, bytes)
    guard validity.isAtEnd else { return nil }
    key = KeyFields(bytes, spki)
    // Both are the same, or it isn't clear which one counts (RFC 5280 section 4.1.1.2).
    signature =
      bytes[outer].elementsEqual(bytes[inner])
      ? CertificateSignature(algorithm: outer, in: bytes)
      : CertificateSignature(family: .other("two algorithms"), digest: nil)
    guard var tagged = signed.enter(.context3) else {
      guard signed.isAtEnd else { return nil }
      return
    }
    guard signed.isAtEnd, let list = tagged.enter(.sequence), tagged.isAtEnd, readExtensions(list, bytes) else {
      return nil
    }
  }

  private mutating func readExtensions(_ list: DERReader, _ bytes: UnsafeRawBufferPointer) -> Bool {
    var list = list
    var names: [[UInt8]] = []
    while !list.isAtEnd {
      guard names.count < Self.maximumExtensions, var one = list.enter(.sequence),
        let name = one.contents(.objectIdentifier)
      else { return false }
      _ = one.skip(.boolean)
      guard let value = one.contents(.octetString), one.isAtEnd else { return false }
      repeatsAnExtension = repeatsAnExtension || names.contains { bytes[name].elementsEqual($0) }
      names.append(Array(bytes[name]))
      // id-ce-keyUsage, 2.5.29.15: unused bits, then digitalSignature, nonRepudiation, keyEncipherment, dataEncipherment,
      // keyAgreement, keyCertSign, cRLSign, encipherOnly, decipherOnly.
      if bytes[name].elementsEqual([0x55, 0x1D, 0x0F]) {
        var usage = DERReader(bytes, value)
        guard let bits = usage.contents(.bitString), usage.isAtEnd, bits.count > 1 else { return false }
        hasUsageBesidesSigning = bytes[bits.lowerBound + 1] & 0x39 != 0 || bits.count > 2
      }
      // id-ce-extKeyUsage, 2.5.29.37
      guard bytes[name].elementsEqual([0x55, 0x1D, 0x25]) else { continue }
      guard let read = Self.usages(value, bytes) else { return false }
      usages = (usages ?? []) + read
    }
    return true
  }

  private static func usages(_ value: Range<Int>, _ bytes: UnsafeRawBufferPointer) -> [String]? {
    var whole = DERReader(bytes, value)
    guard var list = whole.enter(.sequence), whole.isAtEnd, !list.isAtEnd else { return nil }
    var usages: [String] = []
    while !list.isAtEnd {
      guard let usage = list.contents(.objectIdentifier) else { return nil }
      // id-kp, 1.3.6.1.5.5.7.3
      let isPurpose = bytes[usage].dropLast().elementsEqual([0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03])
      switch (isPurpose, bytes[usage].last) {
      case (true, 1): usages.append("serverAuth")
      case (true, 2): usages.append("clientAuth")
      default: usages.append("other")
      }
    }
    return usages
  }

  /// A time in seconds since 1970; nil where it isn't one of the two forms of RFC 5280 section 4.1.2.5.
  private static func seconds(_ validity: inout DERReader, _ bytes: UnsafeRawBufferPointer) -> Int64? {
    let isShort: Bool
    let contents: Range<Int>
    if let found = validity.contents(.utcTime) {
      (isShort, contents) = (true, found)
    } else if let found = validity.contents(.generalizedTime) {
      (isShort, contents) = (false, found)
    } else {
      return nil
    }
    guard contents.count == (isShort ? 13 : 15), bytes[contents].last == UInt8(ascii: "Z") else { return nil }
    var digits: [Int64] = []
    for byte in bytes[contents].dropLast() {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      digits.append(Int64(byte - UInt8(ascii: "0")))
    }
    let pairs = stride(from: 0, to: digits.count, by: 2).map { digits[$0] * 10 + digits[$0 + 1] }
    let year = isShort ? pairs[0] + (pairs[0] < 50 ? 2_000 : 1_900) : pairs[0] * 100 + pairs[1]
    let rest = pairs.suffix(5)
    let (month, day, hour) = (rest[rest.startIndex], rest[rest.startIndex + 1], rest[rest.startIndex + 2])
    let (minute, second) = (rest[rest.startIndex + 3], rest[rest.startIndex + 4])
    guard (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 60 else { return nil }
    return days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second
  }

  /// Days since 1970, in years that begin in March, so that a leap day is the last one.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let (year, month) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
    return 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 719_469
  }
}
#endif
