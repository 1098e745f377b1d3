import OpenSSLKit
import PinFormat
import PinPolicy
import PinRelease
import Testing

/// People with keys of their own, made once a test, and a first keyset of theirs.
struct KeysetPeople {
  private var signers: [String: Signer] = [:]

  init(_ names: String...) throws {
    for (index, name) in names.enumerated() {
      // Both algorithms, so that tests don't depend on one of them.
      signers[name] = try Signer(privateKey: PrivateKey(generating: index % 2 == 0 ? .ed25519 : .ecdsaP256))
    }
  }

  static func everybody() throws -> KeysetPeople {
    try KeysetPeople("alice", "bob", "carol", "ci", "dora", "emil", "frank", "ci-2")
  }

  func signer(_ name: String) throws -> Signer { try #require(signers[name]) }

  func key(_ name: String, called other: String? = nil) throws -> Keyset.Key {
    Keyset.Key(name: other ?? name, subjectPublicKeyInfo: try signer(name).keys[0].publicKey)
  }

  func keys(_ names: String...) throws -> [Keyset.Key] { try names.map { try key($0) } }

  /// 2 of 3 roots, 2 of 3 signers.
  func first() throws -> Keyset {
    try KeysetPlan.first(
      audience: "production", issued: Self.issued, expires: Self.expires, roots: keys("alice", "bob", "carol"),
      rootThreshold: 2, signers: keys("ci", "dora", "emil"), threshold: 2)
  }

  func file(_ keyset: Keyset, signedBy names: String...) throws -> KeysetFile {
    try KeysetFile(draft: keyset).signed(by: names.map { try signer($0) })
  }

  static let issued = Instant(secondsSinceEpoch: 1_795_219_200)  // 2026-11-21T00:00:00Z
  static let later = issued.adding(seconds: 86_400)
  static let expires = issued.adding(seconds: 300 * 86_400)
}
