import TestSupport
import Testing

/// The cases that matter most, with what their findings have to say, word for word where a person acts on it.
struct MustBeShownTests {
  private func finding(_ code: String, of name: String) throws -> ProbeReport.Finding {
    let setup = try #require(Setup.table.first { $0.name == name })
    let run = try SetupRun(setup, in: .standing())
    #expect(run.live.status == setup.status)
    #expect(run.live.findings.map(\.code) == [code])
    #expect(run.replay.findings == run.live.findings)
    return try #require(run.live.findings.first)
  }

  /// Words that send people to the wrong party.
  @Test(arguments: [
    ("P501", "unknown-issuer", ["intermediate 'Acme"]), ("P501", "intercepted", ["anchors:", "intermediate 'mitm"]),
    ("P510", "constrained-on-one-path", ["Reissue"]),
    ("P515", "bad-signature", ["Reissue"]), ("P516", "oversized-count", ["could not be", "not reached"]),
    ("P520", "intercepted-and-trusted", ["pin: sha256/", "have the server present"]),
  ])
  func theWrongPartyIsNotNamed(code: String, name: String, words: [String]) throws {
    let found = try finding(code, of: name)
    for word in words { #expect(!found.text.contains(word), "\(found.text)") }
  }

  /// What is fastest and safe comes first.
  @Test func aKeyThatClientsHaveComesFirst() throws {
    let found = try finding("P520", of: "unpinned")
    #expect(
      found.help.hasPrefix(
        "Fastest and safest: have the server present a chain with a pinned key, 'spare' (backup, a safe) or 'stranger'. "
      ),
      "\(found.help)")
  }

  @Test func theAddressWithTheUnpinnedKeyIsNamed() throws {
    let found = try finding("P520", of: "one-address-unpinned")
    #expect(found.message.hasSuffix(" at 127.0.0.2; its pins match at 127.0.0.1"), "\(found.message)")
  }

  @Test func theTypeThatIsNotPinnedIsNamed() throws {
    let found = try finding("P528", of: "one-type-unpinned")
    #expect(
      found.message.hasSuffix(" with its RSA certificate; its pins match with its ECDSA certificate"),
      "\(found.message)")
  }

  @Test func theStoreUnderWhichThePinsFailIsNamed() throws {
    let found = try finding("P522", of: "cross-signed-stores")
    #expect(
      found.message.hasSuffix(" under the trust store 'system'; its pins match under 'other'"), "\(found.message)")
  }
}
