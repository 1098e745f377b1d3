import PinFormat
import PinPolicy
import PinRelease
import Testing

/// What makes a keyset, and what would make an unusable one.
struct KeysetPlanTests {
  private let people: KeysetPeople

  init() throws { people = try KeysetPeople.everybody() }

  @Test func theFirstVersionHoldsWhatWasAsked() throws {
    let keyset = try people.first()
    #expect(keyset.version == 1 && keyset.serialEpoch == 1 && keyset.minimumSerial == 1)
    #expect(keyset.roots == Keyset.Role(keys: ["alice", "bob", "carol"], threshold: 2))
    #expect(keyset.signers == Keyset.Role(keys: ["ci", "dora", "emil"], threshold: 2))
    #expect(keyset.keys.map(\.name) == ["alice", "bob", "carol", "ci", "dora", "emil"])
  }

  @Test func aKeyUnderOneNameMayHaveBothRoles() throws {
    let keyset = try first(roots: people.keys("alice"), 1, signers: people.keys("alice"), 1)
    #expect(keyset.keys.count == 1 && keyset.roots.keys == keyset.signers.keys)
  }

  @Test func theOrderOfKeysDoesNotMatter() throws {
    let one = try first(roots: people.keys("alice", "bob"), 1, signers: people.keys("ci", "dora"), 1)
    let other = try first(roots: people.keys("bob", "alice"), 1, signers: people.keys("dora", "ci"), 1)
    #expect(one.signedBytes() == other.signedBytes())
  }

  @Test func fewerKeysThanTheThresholdAreRefusedWithTheWayOut() throws {
    try expect("keysets would need the signatures of 2 roots, and there would be 1", "--root-threshold") {
      try first(roots: people.keys("alice"), 2, signers: people.keys("ci"), 1)
    }
    try expect("manifests would need the signatures of 3 signers, and there would be 2", "Add a signer") {
      try first(roots: people.keys("alice"), 1, signers: people.keys("ci", "dora"), 3)
    }
  }

  @Test func whatNobodyCouldSignOrReadIsRefused() throws {
    let (roots, signers) = (try people.keys("alice"), try people.keys("ci"))
    try expect("there would be no key left to sign keysets") { try first(roots: [], 1, signers: signers, 1) }
    try expect("there would be no key left to sign manifests") { try first(roots: roots, 1, signers: [], 1) }
    try expect("a threshold of 0") { try first(roots: roots, 0, signers: signers, 1) }
    try expect("a threshold of -1") { try first(roots: roots, 1, signers: signers, -1) }
    try expect("two keys called 'alice'") {
      try first(roots: roots, 1, signers: [people.key("ci", called: "alice")], 1)
    }
    try expect("'alice' and 'al' are one key") {
      try first(roots: roots, 1, signers: [people.key("alice", called: "al")], 1)
    }
    try expect("'alice' is a root twice") { try first(roots: roots + roots, 1, signers: signers, 1) }
    for name in ["", "Alice", "-a", "a b", "ä", String(repeating: "a", count: 65)] {
      try expect("can't be the name of a key") {
        try first(roots: [people.key("alice", called: name)], 1, signers: signers, 1)
      }
    }
    try expect("it would expire") {
      try first(roots: roots, 1, signers: signers, 1, expires: KeysetPeople.issued)
    }
    try expect("0 can't be the minimum serial") { try first(roots: roots, 1, signers: signers, 1, minimumSerial: 0) }
    try expect("9007199254740992 can't be the minimum serial") {
      try first(roots: roots, 1, signers: signers, 1, minimumSerial: 9_007_199_254_740_992)
    }
    try expect("the audience has 0 bytes") { try first(roots: roots, 1, signers: signers, 1, audience: "") }
    let lines = String(repeating: "\n", count: 2_048)
    _ = try first(roots: roots, 1, signers: signers, 1, audience: lines)
    try expect("the audience has 4097 bytes") { try first(roots: roots, 1, signers: signers, 1, audience: lines + "x") }
  }

  @Test func moreKeysThanTheFormatHasAreRefused() throws {
    let many = (0..<65).map { Keyset.Key(name: "k\($0)", subjectPublicKeyInfo: [UInt8]("\($0)".utf8)) }
    try expect("65 roots are more than the 64") { try first(roots: many, 1, signers: people.keys("ci"), 1) }
  }

  @Test func whatIsNoSigningKeyMakesNoFile() throws {
    var keyset = try people.first()
    keyset.keys[0].subjectPublicKeyInfo = Array("no key".utf8)
    let error = #expect(throws: KeysetFileError.self) { try KeysetFile(draft: keyset) }
    #expect(error?.message.hasPrefix("the key 'alice' can't be used: ") == true)
  }

  private func first(
    roots: [Keyset.Key], _ rootThreshold: Int, signers: [Keyset.Key], _ threshold: Int,
    expires: Instant = KeysetPeople.expires, minimumSerial: Int64 = 1, audience: String = "production"
  ) throws -> Keyset {
    try KeysetPlan.first(
      audience: audience, issued: KeysetPeople.issued, expires: expires, minimumSerial: minimumSerial, roots: roots,
      rootThreshold: rootThreshold, signers: signers, threshold: threshold)
  }
}

/// Expects a refusal with a message and, where given, a help that hold these words.
func expect(
  _ message: String, _ help: String = "", sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> Keyset
) throws {
  let error = #expect(throws: KeysetPlanError.self, sourceLocation: sourceLocation) { _ = try body() }
  let refusal = try #require(error, sourceLocation: sourceLocation)
  #expect(refusal.message.contains(message), sourceLocation: sourceLocation)
  #expect(refusal.help.contains(help) && refusal.help.hasSuffix("."), sourceLocation: sourceLocation)
}
