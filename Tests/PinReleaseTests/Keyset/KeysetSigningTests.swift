import PinFormat
import PinPolicy
import PinRelease
import PinValidator
import Testing

/// From draft to a keyset that clients accept, and which signers are still missing.
struct KeysetSigningTests {
  private let people: KeysetPeople

  init() throws { people = try KeysetPeople.everybody() }

  private func rotated() throws -> (first: KeysetFile, next: Keyset) {
    let first = try people.file(people.first(), signedBy: "alice", "bob")
    let request = KeysetRequest([.replace("alice", with: try people.key("frank"))], issued: KeysetPeople.later)
    return (first, try request.next(after: first.keyset))
  }

  @Test func aDraftIsReadAndSignedByOneAfterTheOther() throws {
    let draft = try KeysetFile(draft: people.first())
    #expect(draft.signatures.isEmpty)
    let read = try KeysetFile(reading: draft.bytes)
    #expect(read.keyset == draft.keyset && read.bytes == draft.bytes)
    #expect(throws: KeysetError.self) { try TrustedKeyset.load(shipped: draft.bytes, audience: "production") }
    let one = try KeysetFile(reading: read.signed(by: [people.signer("carol")]).bytes)
    let error = #expect(throws: KeysetError.self) {
      try TrustedKeyset.load(shipped: one.bytes, audience: "production")
    }
    #expect(error?.code == .tooFewSignatures)
    let two = try one.signed(by: [people.signer("alice")])
    #expect(two.signed == draft.signed)
    #expect(try TrustedKeyset.load(shipped: two.bytes, audience: "production").keyset == draft.keyset)
  }

  @Test func theOrderOfSignersDoesNotMatter() throws {
    let draft = try KeysetFile(draft: people.first())
    // Ed25519 only, because ECDSA signatures differ each time.
    let (alice, carol) = (try people.signer("alice"), try people.signer("carol"))
    #expect(try draft.signed(by: [alice, carol]).bytes == draft.signed(by: [carol]).signed(by: [alice, alice]).bytes)
  }

  @Test func whoIsMissingIsTold() throws {
    let (first, next) = try rotated()
    func tallies(_ names: String...) throws -> [KeysetSignatures.Tally] {
      let file = try KeysetFile(draft: next).signed(by: names.map { try people.signer($0) })
      return try KeysetSignatures(of: file, after: first).tallies
    }
    #expect(
      try tallies() == [
        .init(version: 1, threshold: 2, signed: [], open: ["alice", "bob", "carol"]),
        .init(version: 2, threshold: 2, signed: [], open: ["bob", "carol", "frank"]),
      ])
    // The removed root counts only for the previous version, the new one only for its own.
    #expect(try tallies("alice", "frank").map(\.missing) == [1, 1])
    #expect(try tallies("alice", "bob").map(\.missing) == [0, 1])
    #expect(try tallies("alice", "bob", "frank").map(\.missing) == [0, 0])
    #expect(try tallies("bob", "carol").map(\.signed) == [["bob", "carol"], ["bob", "carol"]])
  }

  /// A client accepts a keyset if and only if it is reported as complete.
  @Test func completeIsWhatAClientTakes() throws {
    let (first, next) = try rotated()
    let trusted = try TrustedKeyset.load(shipped: first.bytes, audience: "production")
    let names = ["alice", "bob", "carol", "frank"]
    var complete = 0
    for choice in 1..<16 {
      let chosen = names.indices.filter { choice >> $0 & 1 == 1 }.map { names[$0] }
      let file = try KeysetFile(draft: next).signed(by: chosen.map { try people.signer($0) })
      let isComplete = try KeysetSignatures(of: file, after: first).isComplete
      #expect(isComplete == ((try? trusted.successor(file.bytes)) != nil), "\(chosen)")
      if isComplete { complete += 1 }
    }
    // Of the 15 choices, those with two of alice, bob, carol and two of bob, carol, frank.
    #expect(complete == 6)
  }

  @Test func wrongAndStrangeSignaturesAreTold() throws {
    let file = try KeysetFile(draft: people.first()).signed(by: [people.signer("alice"), people.signer("ci")])
    let signatures = try KeysetSignatures(of: file, after: nil)
    #expect(signatures.strangers == [try people.signer("ci").keys[0].id], "a signer is no root")
    #expect(signatures.invalid.isEmpty && !signatures.isComplete)
    // The signature of another keyset under the same key.
    var other = try people.first()
    other.minimumSerial = 2
    let moved = try KeysetFile(
      reading: SignatureEnvelope.encode(
        signed: other.signedBytes(),
        signatures: people.file(people.first(), signedBy: "alice", "bob").signatures))
    let wrong = try KeysetSignatures(of: moved, after: nil)
    #expect(wrong.invalid.sorted() == ["alice", "bob"] && wrong.tallies[0].signed.isEmpty && !wrong.isComplete)
  }

  /// The same key signs manifests too, and only the media type tells the two apart.
  @Test func aManifestsSignatureIsNoKeysets() throws {
    let keyset = try people.first()
    let message = SignatureEnvelope.preAuthenticationEncoding(of: keyset.signedBytes(), as: .manifest)
    let signature = try people.signer("alice").sign(message)
    let file = try KeysetFile(
      reading: SignatureEnvelope.encode(signed: keyset.signedBytes(), signatures: [signature]))
    #expect(try KeysetSignatures(of: file, after: nil).invalid == ["alice"])
  }

  @Test func whatIsNoKeysetIsNotRead() throws {
    let draft = try KeysetFile(draft: people.first())
    for bytes in [[], Array("{}".utf8), draft.bytes + [0x0A], Array(draft.bytes.dropLast())] {
      #expect(throws: KeysetFileError.self) { try KeysetFile(reading: bytes) }
    }
    let large = #expect(throws: KeysetFileError.self) {
      try KeysetFile(reading: [UInt8](repeating: 0x20, count: TrustedKeyset.maximumBytes + 1))
    }
    #expect(large?.message == "the file has 65537 bytes; the limit is 65536")
  }
}
