import Foundation
import OpenSSLKit
import PinFormat
import TestSupport

/// An Ed25519 key under a name; the same number always gives the same key.
final class WovenKey: Sendable {
  let number: Int
  let subjectPublicKeyInfo: [UInt8]
  private let pem: [UInt8]

  init(_ number: Int) throws {
    self.number = number
    var random = SeededGenerator(seed: UInt64(number))
    let der: [UInt8] = [0x30, 0x2E, 2, 1, 0, 0x30, 5, 6, 3, 0x2B, 0x65, 0x70, 4, 0x22, 4, 0x20] + random.bytes(32)
    pem = try PEMBlock.write(label: "PRIVATE KEY", bytes: der)
    subjectPublicKeyInfo = try PrivateKey(pem: pem).subjectPublicKeyInfo()
  }

  /// What stands for its key identifier.
  var identifier: [UInt8] { Array(subjectPublicKeyInfo.suffix(20)) }

  func sign(_ message: [UInt8]) throws -> [UInt8] { try PrivateKey(pem: pem).sign(message) }
}

/// A certificate that a test puts together itself: thousands of them, quickly and each time the same.
struct WovenProfile: Hashable {
  enum Fault: Hashable, CaseIterable {
    case expired
    case notYetValid
    case wrongUsage
    case notAnAuthority
    /// Says nothing of it, though its key may sign certificates.
    case notSaidToBeAnAuthority
    case mayNotSign
    /// Permits no name that is asked for.
    case constrained
  }

  var subject: String
  var issuer: String
  var serial: Int
  var isLeaf = false
  var fault: Fault?
  var pathLength: Int?
  /// The identifiers as they are written, whatever the keys are.
  var subjectIdentifier: [UInt8]
  var authorityIdentifier: [UInt8]
  var names = ["example.com"]
  /// Names that are permitted besides.
  var permitted: [String] = []
  /// The beginning and the end of its time, where nothing is wrong with it.
  var begin = "20200101000000Z"
  var end = "20490101000000Z"

  init(_ subject: String, _ key: WovenKey, by issuer: String, _ issuerKey: WovenKey, serial: Int) {
    self.subject = subject
    self.issuer = issuer
    self.serial = serial
    subjectIdentifier = key.identifier
    authorityIdentifier = issuerKey.identifier
  }

  func certificate(_ key: WovenKey, by issuerKey: WovenKey) throws -> [UInt8] {
    let algorithm = der(0x30, der(6, [0x2B, 0x65, 0x70]))
    let times = der(0x30, time(fault == .notYetValid ? "20480101000000Z" : begin), time(lastTime))
    let serial = der(2, [0x40, UInt8(self.serial >> 8 & 0xFF), UInt8(self.serial & 0xFF)])
    let toBeSigned = der(
      0x30, der(0xA0, der(2, [2])), serial, algorithm, name(issuer), times, name(subject), key.subjectPublicKeyInfo,
      der(0xA3, der(0x30, extensions.flatMap { $0 })))
    return der(0x30, toBeSigned, algorithm, der(3, [0], try issuerKey.sign(toBeSigned)))
  }

  private var lastTime: String { fault == .expired ? "20210101000000Z" : end }

  private var extensions: [[UInt8]] {
    var list = [
      written(14, der(4, subjectIdentifier)), written(35, der(0x30, der(0x80, authorityIdentifier))),
    ]
    let isAuthority = !isLeaf && fault != .notAnAuthority
    let length = pathLength.map { der(2, [UInt8($0)]) } ?? []
    if fault != .notSaidToBeAnAuthority {
      list.append(written(19, isCritical: true, der(0x30, isAuthority ? der(1, [0xFF]) + length : [])))
    }
    let signs = isAuthority && fault != .mayNotSign
    list.append(written(15, isCritical: true, signs ? der(3, [2, 4]) : der(3, [7, 0x80])))
    if isLeaf { list.append(written(17, der(0x30, names.flatMap { der(0x82, Array($0.utf8)) }))) }
    if isLeaf || fault == .wrongUsage {
      let usage: UInt8 = fault == .wrongUsage ? 4 : 1
      list.append(written(37, der(0x30, der(6, [0x2B, 6, 1, 5, 5, 7, 3, usage]))))
    }
    let permitted = permitted + (fault == .constrained ? ["elsewhere.test"] : [])
    if !permitted.isEmpty {
      let subtrees = permitted.flatMap { der(0x30, der(0x82, Array($0.utf8))) }
      list.append(written(30, isCritical: true, der(0x30, der(0xA0, subtrees))))
    }
    return list
  }
}

private func der(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] {
  let count = parts.reduce(0) { $0 + $1.count }
  let length: [UInt8] =
    switch count {
    case ..<0x80: [UInt8(count)]
    case ..<0x100: [0x81, UInt8(count)]
    case ..<0x10000: [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
    default: [0x83, UInt8(count >> 16), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
    }
  return [tag] + length + parts.flatMap { $0 }
}

private func name(_ text: String) -> [UInt8] {
  der(0x30, der(0x31, der(0x30, der(6, [0x55, 4, 3]), der(12, Array(text.utf8)))))
}

private func time(_ text: String) -> [UInt8] {
  // RFC 5280 section 4.1.2.5 requires the short form until 2049.
  der(0x17, Array(text.utf8.dropFirst(2)))
}

private func written(_ number: UInt8, isCritical: Bool = false, _ value: [UInt8]) -> [UInt8] {
  der(0x30, der(6, [0x55, 0x1D, number]), isCritical ? der(1, [0xFF]) : [], der(4, value))
}
