import OpenSSLKit
import PinFormat
import PinValidator
import TestSupport
import Testing

/// Root keys `r0`, `r1`, `r2` and signers `s0`, `s1`, and keysets made of them.
struct KeysetKeys {
  let roots: [TestSigner]
  let signers: [TestSigner]

  init() throws {
    roots = [try TestSigner(.ed25519), try TestSigner(.ecdsaP256), try TestSigner()]
    signers = [try TestSigner(), try TestSigner(.ecdsaP256), try TestSigner()]
  }

  /// A keyset with these roots and signers, by their numbers.
  func keyset(
    _ version: Int64, roots: [Int] = [0, 1], threshold: Int = 2, signers: [Int] = [0, 1], _ signersThreshold: Int = 1,
    _ change: (inout Keyset) throws -> Void = { _ in }
  ) throws -> Keyset {
    var keyset = Keyset(
      audience: "production", version: version, issued: try instant("2026-11-01"), expires: try instant("2027-11-01"),
      roots: Keyset.Role(keys: roots.map { "r\($0)" }, threshold: threshold),
      signers: Keyset.Role(keys: signers.map { "s\($0)" }, threshold: signersThreshold),
      keys: roots.map { Keyset.Key(name: "r\($0)", subjectPublicKeyInfo: self.roots[$0].publicKey) }
        + signers.map { Keyset.Key(name: "s\($0)", subjectPublicKeyInfo: self.signers[$0].publicKey) })
    try change(&keyset)
    return keyset
  }

  func file(_ keyset: Keyset, signedBy roots: [Int] = [0, 1]) throws -> [UInt8] {
    try file(keyset.signedBytes(), signedBy: roots.map { self.roots[$0] })
  }

  func file(_ signed: [UInt8], signedBy signers: [TestSigner]) throws -> [UInt8] {
    SignatureEnvelope.encode(signed: signed, signatures: try signers.map { try $0.signature(of: signed, as: .keyset) })
  }
}

@Suite("Trusting keysets")
struct TrustedKeysetTests {
  private let keys: KeysetKeys
  private let first: TrustedKeyset

  init() throws {
    keys = try KeysetKeys()
    first = try TrustedKeyset.load(shipped: keys.file(keys.keyset(1)), audience: "production")
  }

  private func shipped(_ bytes: [UInt8]) -> String {
    do throws(KeysetError) {
      return "version \(try TrustedKeyset.load(shipped: bytes, audience: "production").version)"
    } catch { return error.code.description }
  }

  private func successor(_ bytes: [UInt8], of keyset: TrustedKeyset? = nil) -> String {
    do throws(KeysetError) {
      return "version \(try (keyset ?? first).successor(bytes).version)"
    } catch { return error.code.description }
  }

  @Test("A shipped one says what it says, and may have expired long ago")
  func whatItSays() throws {
    #expect(first.version == 1 && first.audience == "production")
    #expect(first.roots.threshold == 2 && first.roots.keyIDs == [keys.roots[0].keyID, keys.roots[1].keyID])
    #expect(first.signers.threshold == 1 && first.signers.keyIDs == [keys.signers[0].keyID, keys.signers[1].keyID])
    #expect(first.expires == (try instant("2027-11-01")))
    let old = try keys.keyset(9) {
      $0.issued = .earliest; $0.expires = .earliest
    }
    #expect(shipped(try keys.file(old)) == "version 9")
  }

  struct Row: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var outcome: String
    var file: @Sendable (KeysetKeys) throws -> [UInt8]

    init(_ name: String, _ outcome: String, _ file: @escaping @Sendable (KeysetKeys) throws -> [UInt8]) {
      testDescription = name
      self.outcome = outcome
      self.file = file
    }
  }

  /// What is refused whether it is the first or the next: all have version 2.
  static let either = [
    Row("as it should be", "version 2") { try $0.file($0.keyset(2)) },
    Row("with a signature of somebody's besides", "version 2") { try $0.file($0.keyset(2), signedBy: [0, 1, 2]) },
    Row("nothing", "malformed-file") { _ in [] },
    Row("without signatures", "malformed-file") {
      SignatureEnvelope.encode(signed: try $0.keyset(2).signedBytes(), signatures: [])
    },
    Row("65537 bytes", "too-large") { _ in [UInt8](repeating: 0x7B, count: 65_537) },
    Row("65536 bytes", "malformed-file") { _ in [UInt8](repeating: 0x7B, count: 65_536) },
    Row("signed by one", "too-few-signatures") { try $0.file($0.keyset(2), signedBy: [0]) },
    Row("signed by one, twice", "malformed-file") {
      let signed = try $0.keyset(2).signedBytes()
      let one = try $0.roots[0].signature(of: signed, as: .keyset)
      return SignatureEnvelope.encode(signed: signed, signatures: [one, one])
    },
    Row("signed by a stranger in place of one", "too-few-signatures") { try $0.file($0.keyset(2), signedBy: [0, 2]) },
    Row("signed by those who sign manifests", "too-few-signatures") {
      try $0.file($0.keyset(2).signedBytes(), signedBy: $0.signers)
    },
    Row("signed as a manifest", "invalid-signature") { keys in
      let signed = try keys.keyset(2).signedBytes()
      return SignatureEnvelope.encode(
        signed: signed, signatures: try keys.roots[0...1].map { try $0.signature(of: signed, as: .manifest) })
    },
    Row("signed by two, with a third that doesn't fit", "version 2") { keys in
      let signed = try keys.keyset(2).signedBytes()
      var forged = try keys.roots[1].signature(of: signed, as: .keyset)
      forged.keyID = keys.roots[2].keyID
      return SignatureEnvelope.encode(
        signed: signed, signatures: try keys.roots[0...1].map { try $0.signature(of: signed, as: .keyset) } + [forged])
    },
    Row("another audience", "wrong-audience") { try $0.file($0.keyset(2) { $0.audience = "staging" }) },
    Row("the audience in capitals", "wrong-audience") { try $0.file($0.keyset(2) { $0.audience = "Production" }) },
    Row("an extension", "unknown-extension") { try $0.file($0.keyset(2) { $0.critical = ["x"] }) },
    Row("a manifest", "malformed-keyset") { keys in
      let signed = try Manifest.sample(hosts: []).signedBytes()
      return try keys.file(signed, signedBy: Array(keys.roots[0...1]))
    },
    Row("content that isn't canonical", "malformed-keyset") { keys in
      try keys.file(try keys.keyset(2).signedBytes().dropLast() + Array(" }".utf8), signedBy: Array(keys.roots[0...1]))
    },
    Row("a signer's key that is none", "unusable-signer") { keys in
      try keys.file(keys.keyset(2) { $0.keys[2].subjectPublicKeyInfo = [0x30, 1, 2] })
    },
    Row("a signer's key in PEM", "unusable-signer") { keys in
      try keys.file(
        keys.keyset(2) { keyset in
          let pem = try PublicKey(subjectPublicKeyInfo: keys.signers[0].publicKey).pem()
          keyset.keys[2].subjectPublicKeyInfo = pem
          #expect(pem.count <= 128)
        })
    },
    Row("a signer's key on another curve", "unusable-signer") { keys in
      try keys.file(
        keys.keyset(2) { keyset in
          var key = keys.signers[1].publicKey
          // prime256v1 becomes prime239v1.
          let place = key.indices.first { key[$0...].starts(with: [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]) }
          key[(place ?? 0) + 7] = 0x04
          keyset.keys[3].subjectPublicKeyInfo = key
        })
    },
    Row("a signer's key with a point compressed", "unusable-signer") { keys in
      try keys.file(
        keys.keyset(2) { keyset in
          let key = keys.signers[1].publicKey
          let head: [UInt8] = [0x30, 0x39] + key[2..<23] + [0x03, 0x22, 0x00]
          keyset.keys[3].subjectPublicKeyInfo = head + [2 + (key[90] & 1)] + key[27..<59]
        })
    },
  ]

  @Test("is the same for the first and for the next", arguments: either)
  func first(row: Row) throws {
    let bytes = try row.file(keys)
    #expect(shipped(bytes) == row.outcome)
    #expect(successor(bytes) == row.outcome)
  }

  static let next = [
    Row("the same signed bytes", "version 1") { try $0.file($0.keyset(1)) },
    Row("the same signed bytes, signed by nobody who counts", "version 1") { try $0.file($0.keyset(1), signedBy: [2]) },
    Row("the same version with other bytes", "conflicting-version") {
      try $0.file($0.keyset(1) { $0.minimumSerial = 2 })
    },
    Row("one skipped", "skipped-version") { try $0.file($0.keyset(3)) },
    Row("all skipped", "skipped-version") { try $0.file($0.keyset(9_007_199_254_740_991)) },
    Row("signed by the new roots only", "too-few-signatures") {
      try $0.file($0.keyset(2, roots: [1, 2]), signedBy: [1, 2])
    },
    Row("signed by the old roots only", "too-few-signatures") {
      try $0.file($0.keyset(2, roots: [1, 2]), signedBy: [0, 1])
    },
    Row("signed by the old and the new roots", "version 2") {
      try $0.file($0.keyset(2, roots: [1, 2]), signedBy: [0, 1, 2])
    },
    Row("a higher threshold than was signed", "too-few-signatures") {
      try $0.file($0.keyset(2, roots: [0, 1, 2], threshold: 3), signedBy: [0, 1])
    },
    Row("a lower threshold, signed by as many only", "too-few-signatures") {
      try $0.file($0.keyset(2, roots: [0, 1], threshold: 1), signedBy: [0])
    },
    Row("a lower threshold", "version 2") { try $0.file($0.keyset(2, roots: [0], threshold: 1), signedBy: [0, 1]) },
    Row("a new root's signature that doesn't fit", "invalid-signature") { keys in
      let signed = try keys.keyset(2, roots: [0, 1, 2]).signedBytes()
      var forged = try keys.roots[0].signature(of: signed, as: .keyset)
      forged.keyID = keys.roots[2].keyID
      return SignatureEnvelope.encode(
        signed: signed, signatures: try keys.roots[0...1].map { try $0.signature(of: signed, as: .keyset) } + [forged])
    },
    Row("an earlier expiry", "version 2") { keys in
      try keys.file(
        keys.keyset(2) {
          $0.issued = .earliest; $0.expires = .earliest
        })
    },
  ]

  @Test("is vouched for by the one before", arguments: next)
  func successor(row: Row) throws { #expect(successor(try row.file(keys)) == row.outcome) }

  @Test("Nothing of the next is read before the trusted roots have signed it")
  func order() throws {
    // If it were read, it would be malformed, or of another audience.
    let garbage = Array("{\"x\":1}".utf8)
    #expect(successor(try keys.file(garbage, signedBy: [keys.roots[2], keys.signers[0]])) == "too-few-signatures")
    #expect(successor(try keys.file(garbage, signedBy: Array(keys.roots[0...1]))) == "malformed-keyset")
    #expect(
      successor(try keys.file(keys.keyset(9, roots: [2], threshold: 1) { $0.audience = "x" }, signedBy: [2]))
        == "too-few-signatures")
  }

  @Test(
    "Serials may rise, and begin again only in a higher epoch",
    arguments: [
      (1, 10, "version 2"), (1, 11, "version 2"), (1, 9, "serials-fall"), (2, 1, "version 2"), (3, 10, "version 2"),
    ])
  func serials(epoch: Int64, minimum: Int64, outcome: String) throws {
    let base = try TrustedKeyset.load(
      shipped: keys.file(keys.keyset(1) { $0.minimumSerial = 10 }), audience: "production")
    let next = try keys.keyset(2) {
      $0.serialEpoch = epoch; $0.minimumSerial = minimum
    }
    #expect(successor(try keys.file(next), of: base) == outcome)
    let later = try TrustedKeyset.load(
      shipped: keys.file(
        keys.keyset(1) {
          $0.serialEpoch = 4; $0.minimumSerial = 10
        }), audience: "production")
    #expect(successor(try keys.file(next), of: later) == "serials-fall")
  }

  @Test("Versions lead on as long as each vouches for the next, whatever the roots become")
  func walk() throws {
    var trusted = first
    for (version, roots, signing) in [(2, [1, 2], [0, 1, 2]), (3, [2], [1, 2]), (4, [0, 1], [0, 1, 2])]
      as [(Int64, [Int], [Int])]
    {
      let threshold = min(2, roots.count)
      trusted = try trusted.successor(
        keys.file(keys.keyset(version, roots: roots, threshold: threshold), signedBy: signing))
      #expect(trusted.version == version && trusted.roots.threshold == threshold)
    }
    #expect(successor(try keys.file(keys.keyset(3)), of: trusted) == "older-version")
  }

  @Test("A changed bit anywhere in a file is refused", arguments: [(1, 0), (8, 1), (32, 2)])
  func changedByte(bit: UInt8, turn: Int) throws {
    for bytes in [try keys.file(keys.keyset(2)), try keys.file(keys.keyset(2), signedBy: [0, 1, 2])] {
      #expect(successor(bytes) == "version 2")
      // By default each byte is changed in one of the three bits, in turn.
      for place in bytes.indices where Thoroughness.pick(place % 3, full: turn) == turn {
        var changed = bytes
        changed[place] ^= bit
        // Signatures by unknown keys are ignored, so the change must be in one of a known key, or in the signed bytes.
        let isStrangers = isForeign(place, in: bytes)
        let outcome = successor(changed)
        #expect(isStrangers || !outcome.hasPrefix("version"), "at \(place): \(outcome)")
        if !isStrangers { #expect(!shipped(changed).hasPrefix("version"), "at \(place)") }
      }
    }
  }

  /// Whether a byte belongs to the third root's signature, who is a stranger to both keysets.
  private func isForeign(_ place: Int, in bytes: [UInt8]) -> Bool {
    let needle = Array(keys.roots[2].keyID.hex.utf8)
    guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: needle) }) else { return false }
    let end = bytes[start...].firstIndex(of: UInt8(ascii: "}")) ?? bytes.endIndex
    return (start..<end).contains(place)
  }

  @Test("Bytes before, behind and in between are refused")
  func surplus() throws {
    let bytes = try keys.file(keys.keyset(2))
    for place in stride(from: 0, through: bytes.count, by: 3) {
      for byte: UInt8 in [0x20, 0x0A, 0x30, 0x7D] {
        var longer = bytes
        longer.insert(byte, at: place)
        #expect(!successor(longer).hasPrefix("version"), "\(byte) at \(place)")
      }
      #expect(place == bytes.count || !successor(Array(bytes[..<place])).hasPrefix("version"))
    }
  }
}
