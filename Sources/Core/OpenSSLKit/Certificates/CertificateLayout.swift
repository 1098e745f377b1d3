/// Where the parts of a DER certificate are in its bytes (RFC 5280 section 4.1), found without parsing the rest.
///
/// A pin is over the certificate's own bytes, so they are sliced out, never re-encoded. DER only: definite lengths in
/// their shortest form, and nothing behind the certificate.
package struct CertificateLayout: Hashable, Sendable {
  package let issuer: Range<Int>
  package let subject: Range<Int>
  package let subjectPublicKeyInfo: Range<Int>
  /// The AlgorithmIdentifier beside the signature.
  package let signatureAlgorithm: Range<Int>

  /// Walks the outer structure of a certificate; nil where it isn't one in DER.
  ///
  /// Allocates nothing.
  package init?(_ der: [UInt8]) {
    let found = der.withUnsafeBufferPointer { Self.walk(UnsafeRawBufferPointer($0)) }
    guard let found else { return nil }
    self = found
  }

  private static func walk(_ der: UnsafeRawBufferPointer) -> CertificateLayout? {
    var whole = DERReader(der, der.startIndex..<der.endIndex)
    guard var certificate = whole.enter(.sequence), whole.isAtEnd,
      var signed = certificate.enter(.sequence),
      let algorithm = certificate.skip(.sequence), certificate.skip(.bitString) != nil, certificate.isAtEnd
    else { return nil }
    _ = signed.skip(.context0)
    guard signed.skip(.integer) != nil, signed.skip(.sequence) != nil,
      let issuer = signed.skip(.sequence), signed.skip(.sequence) != nil,
      let subject = signed.skip(.sequence), let key = signed.skip(.sequence)
    else { return nil }
    return CertificateLayout(issuer: issuer, subject: subject, subjectPublicKeyInfo: key, signatureAlgorithm: algorithm)
  }

  private init(
    issuer: Range<Int>, subject: Range<Int>, subjectPublicKeyInfo: Range<Int>, signatureAlgorithm: Range<Int>
  ) {
    self.issuer = issuer
    self.subject = subject
    self.subjectPublicKeyInfo = subjectPublicKeyInfo
    self.signatureAlgorithm = signatureAlgorithm
  }
}

extension CertificateLayout {
  /// SHA-256 over the SubjectPublicKeyInfo of a certificate in DER: the pin's bytes; nil where it isn't one.
  ///
  /// Allocates nothing.
  package static func publicKeyDigest(ofCertificate der: Span<UInt8>) -> SHA256.Value? {
    der.withUnsafeBytes { bytes in
      guard let key = walk(bytes)?.subjectPublicKeyInfo else { return nil }
      return try? SHA256.digest(of: UnsafeRawBufferPointer(rebasing: bytes[key]))
    }
  }
}

/// A cursor over DER elements.
///
/// Every read is checked against the bounds of the element that it is in.
struct DERReader {
  enum Tag: UInt8 {
    case integer = 0x02
    case bitString = 0x03
    case octetString = 0x04
    case null = 0x05
    case objectIdentifier = 0x06
    case sequence = 0x30
    case dnsName = 0x82
    /// Also the version of a certificate.
    case context0 = 0xA0
    case context1 = 0xA1
    #if CryptoKit
    case boolean = 0x01
    case utcTime = 0x17
    case generalizedTime = 0x18
    case issuerUniqueID = 0x81
    case context3 = 0xA3
    #else
    case rfc822Name = 0x81
    #endif
  }

  private let bytes: UnsafeRawBufferPointer
  private var position: Int
  private let end: Int

  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
    self.bytes = bytes
    position = range.lowerBound
    end = range.upperBound
  }

  var isAtEnd: Bool { position == end }

  /// Steps over an element with this tag and answers where all of it is; nil, and no step, for any other.
  @inline(__always)
  mutating func skip(_ tag: Tag) -> Range<Int>? {
    let start = position
    guard let contents = next(tag) else { return nil }
    position = contents.upperBound
    return start..<contents.upperBound
  }

  /// Steps over an element with this tag and answers a cursor over its contents.
  @inline(__always)
  mutating func enter(_ tag: Tag) -> DERReader? {
    guard let contents = next(tag) else { return nil }
    position = contents.upperBound
    return DERReader(bytes, contents)
  }

  /// Steps over an element with this tag and answers where its contents stand.
  mutating func contents(_ tag: Tag) -> Range<Int>? {
    guard let contents = next(tag) else { return nil }
    position = contents.upperBound
    return contents
  }

  /// Where the contents of the next element stand, if it has this tag.
  @inline(__always)
  private func next(_ tag: Tag) -> Range<Int>? {
    guard end - position >= 2, bytes[position] == tag.rawValue else { return nil }
    let length = Int(bytes[position + 1])
    guard length < 0x80 else { return nextOfLongForm() }
    let start = position + 2
    guard end - start >= length else { return nil }
    return start..<start + length
  }

  /// The same where the length has bytes of its own; tag and first byte have been looked at.
  private func nextOfLongForm() -> Range<Int>? {
    let start = position + 2
    let count = Int(bytes[position + 1]) - 0x80
    // 0x80 is BER's indefinite length; no certificate needs a length of more than four bytes.
    guard (1...4).contains(count), end - start >= count else { return nil }
    var length = 0
    for index in start..<start + count { length = length << 8 | Int(bytes[index]) }
    // DER requires the shortest form: no leading zero byte, and the long form only from 128.
    guard bytes[start] != 0, length >= 0x80, end - start - count >= length else { return nil }
    return start + count..<start + count + length
  }
}
