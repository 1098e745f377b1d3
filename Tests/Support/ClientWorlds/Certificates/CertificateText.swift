import Foundation
import OpenSSLKit
import PinFormat

/// What a certificate says; made and signed in process, because a run needs some ten thousand of them.
struct CertificateText: Hashable, Sendable {
  var subject: String
  var issuer: String
  var isCA: Bool
  var pathLength: Int?
  var names: [String] = []
  var permitted: [String] = []
  var excluded: [String] = []
  /// The bits of Key Usage; nil for no such extension.
  var keyUsage: [UInt8]?
  /// The last arc of the key purposes; nil for no such extension.
  var purposes: [UInt8]?
  var hasSubjectKeyIdentifier = true
  /// Whether its identifier is another one than certificates below it name.
  var hasOtherIdentifier = false
  var hasAuthorityKeyIdentifier = true
  var notBefore: Instant
  var notAfter: Instant

  static let digitalSignature: [UInt8] = [0x03, 0x02, 0x07, 0x80]
  static let certSign: [UInt8] = [0x03, 0x02, 0x01, 0x06]
  static let crlSign: [UInt8] = [0x03, 0x02, 0x01, 0x02]

  /// The certificate, DER.
  func signed(_ key: KeyPair, by issuer: KeyPair, isPSS: Bool = false) throws -> [UInt8] {
    let algorithm = Self.algorithm(issuer, isPSS: isPSS)
    var content: [UInt8] = [0xA0, 0x03, 0x02, 0x01, 0x02]
    // The serial number depends on all that it says, so that equal certificates have equal bytes but for ECDSA's chance.
    let facts = "\(self)\(key.pin)\(issuer.pin)"
    content += Self.element(0x02, [0x10] + (try digest(of: Array(facts.utf8))).prefix(14))
    content += algorithm + Self.name(self.issuer)
    content += Self.element(0x30, Self.time(notBefore) + Self.time(notAfter))
    content += Self.name(subject) + key.publicKey
    content += Self.element(0xA3, Self.element(0x30, try extensions(key, issuer)))
    let signed = Self.element(0x30, content)
    let signature = try issuer.sign(signed, isPSS: isPSS)
    return Self.element(0x30, signed + algorithm + Self.element(0x03, [0] + signature))
  }

  private func extensions(_ key: KeyPair, _ issuer: KeyPair) throws -> [UInt8] {
    var all: [UInt8] = []
    func add(_ id: UInt8, _ value: [UInt8], isCritical: Bool = false) {
      all += Self.element(
        0x30, [0x06, 0x03, 0x55, 0x1D, id] + (isCritical ? [0x01, 0x01, 0xFF] : []) + Self.element(0x04, value))
    }
    func identifier(_ key: KeyPair) throws -> [UInt8] { Array(try digest(of: key.publicKey).prefix(20)) }
    let length = pathLength.map { Self.element(0x02, [UInt8($0)]) } ?? []
    add(0x13, Self.element(0x30, (isCA ? [0x01, 0x01, 0xFF] : []) + length), isCritical: true)
    if hasSubjectKeyIdentifier {
      add(0x0E, Self.element(0x04, hasOtherIdentifier ? [UInt8](repeating: 7, count: 20) : try identifier(key)))
    }
    if hasAuthorityKeyIdentifier, key !== issuer {
      add(0x23, Self.element(0x30, Self.element(0x80, try identifier(issuer))))
    }
    if let keyUsage { add(0x0F, keyUsage, isCritical: true) }
    if let purposes {
      add(0x25, Self.element(0x30, purposes.flatMap { [0x06, 0x08, 0x2B, 6, 1, 5, 5, 7, 3, $0] }))
    }
    if !names.isEmpty { add(0x11, Self.element(0x30, names.flatMap { Self.element(0x82, Array($0.utf8)) })) }
    func subtrees(_ tag: UInt8, _ names: [String]) -> [UInt8] {
      names.isEmpty ? [] : Self.element(tag, names.flatMap { Self.element(0x30, Self.element(0x82, Array($0.utf8))) })
    }
    if !permitted.isEmpty || !excluded.isEmpty {
      add(0x1E, Self.element(0x30, subtrees(0xA0, permitted) + subtrees(0xA1, excluded)), isCritical: true)
    }
    return all
  }

  private static func algorithm(_ issuer: KeyPair, isPSS: Bool) -> [UInt8] {
    switch issuer.kind {
    case .p256: [0x30, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 2]
    case .p384: [0x30, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 3]
    case .ed25519: [0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70]
    case .rsa2048, .rsa3072, .rsaEvenExponent:
      isPSS ? pss : [0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 11, 0x05, 0x00]
    }
  }

  /// RSASSA-PSS with SHA-256 and a salt of 32 bytes.
  private static let pss: [UInt8] =
    [0x30, 0x41, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 10, 0x30, 0x34]
    + [0xA0, 0x0F, 0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1, 0x05, 0x00]
    + [0xA1, 0x1C, 0x30, 0x1A, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 8]
    + [0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1, 0x05, 0x00, 0xA2, 0x03, 0x02, 0x01, 0x20]

  private static func name(_ text: String) -> [UInt8] {
    element(0x30, element(0x31, element(0x30, [0x06, 0x03, 0x55, 0x04, 0x03] + element(0x0C, Array(text.utf8)))))
  }

  private static func time(_ instant: Instant) -> [UInt8] {
    let digits = instant.description.utf8.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    return element(0x17, digits.dropFirst(2) + [UInt8(ascii: "Z")])
  }

  /// One DER element.
  private static func element(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
    switch contents.count {
    case ..<0x80: [tag, UInt8(contents.count)] + contents
    case ..<0x100: [tag, 0x81, UInt8(contents.count)] + contents
    default: [tag, 0x82, UInt8(contents.count >> 8 & 0xFF), UInt8(contents.count & 0xFF)] + contents
    }
  }
}

/// Bytes as PEM.
func pem(_ label: String, _ der: [UInt8]) -> [UInt8] {
  let text = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
  return Array("-----BEGIN \(label)-----\n\(text)\n-----END \(label)-----\n".utf8)
}

/// SHA-256, as bytes.
func digest(of bytes: [UInt8]) throws -> [UInt8] {
  let digest = try SHA256.digest(of: bytes)
  return digest.indices.map { digest[$0] }
}
