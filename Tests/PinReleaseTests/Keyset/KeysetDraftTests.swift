import Diagnostics
import PinFormat
import PinPolicy
import PinRelease
import Testing

/// The state of a keyset that is being signed by its roots, and whose signature it rejects.
struct KeysetDraftTests {
  private let people: KeysetPeople

  init() throws { people = try KeysetPeople.everybody() }

  private func draft(signedBy names: String...) throws -> KeysetDraft {
    try KeysetDraft(of: people.first(), after: nil).signed(by: names.map { try people.signer($0) })
  }

  @Test func aFirstVersionIsToldWhole() throws {
    let sentences = try draft().sentences
    #expect(sentences.first == "version 1 of the keyset for 'production' says:")
    #expect(sentences.count > 1 && sentences.dropFirst().allSatisfy { $0.hasPrefix("  ") })
  }

  @Test func aLaterVersionIsToldByItsChanges() throws {
    let first = try people.file(people.first(), signedBy: "alice", "bob")
    let next = try KeysetRequest([.replace("ci", with: people.key("ci-2"))], issued: KeysetPeople.later)
      .next(after: first.keyset)
    let draft = try KeysetDraft(of: next, after: first)
    #expect(draft.sentences.first == "version 2 of the keyset for 'production' changes version 1:")
    #expect(draft.sentences.contains { $0.contains("ci-2") })
    #expect(
      try draft.standing(in: "2.json")[1] == "  roots of version 1 and of version 2: nobody signed; 2 signatures "
        + "missing, of 'alice', 'bob' or 'carol'")
  }

  @Test func whatStandsInAFile() throws {
    #expect(
      try draft().standing(in: "-") == [
        "the keyset: version 1, a draft that nobody has signed",
        "  roots of version 1: nobody signed; 2 signatures missing, of 'alice', 'bob' or 'carol'",
      ])
    #expect(
      try draft(signedBy: "carol").standing(in: "1.json") == [
        "1.json: version 1, needs more signatures",
        "  roots of version 1: signed by 'carol'; 1 signature missing, of 'alice' or 'bob'",
      ])
    #expect(
      try draft(signedBy: "carol", "alice").standing(in: "1.json") == [
        "1.json: version 1, has all required signatures: clients can be shipped with it"
      ])
  }

  @Test func onlyRootsSign() throws {
    let signer = #expect(throws: WorkFailure.self) { try draft(signedBy: "ci") }
    #expect(
      signer?.kind == .refused && signer?.message.hasPrefix("'ci' signs manifests and is not a root of this") == true)
    let stranger = #expect(throws: WorkFailure.self) { try draft(signedBy: "frank") }
    #expect(stranger?.help == "Sign with the key of a root: 'alice', 'bob' or 'carol'.")
  }

  /// Two people who each sign the same draft must not lose a signature, and no client takes a changed file.
  @Test func whatIsWrongIsRefusedWhoeverSigns() throws {
    let signed = try draft(signedBy: "alice").file
    var bytes = signed.bytes
    // The last byte of the signature in Base64, before the file's end.
    let mark = Array(#""sig":""#.utf8)
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: mark) }) + mark.count
    bytes[place] = bytes[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
    let changed = try KeysetFile(reading: bytes)
    let failure = #expect(throws: WorkFailure.self) { try KeysetDraft(changed, path: "1.json", after: nil) }
    #expect(
      failure?.message.hasSuffix(
        "the signature of 'alice' doesn't fit the signed bytes: one of them was changed "
          + "[invalid-signature]") == true)
    #expect(throws: Never.self) { try KeysetDraft(signed, path: "1.json", after: nil) }
  }
}
