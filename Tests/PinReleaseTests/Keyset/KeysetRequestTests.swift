import PinFormat
import PinPolicy
import PinRelease
import Testing

/// The next version of a keyset: what changes, and what clients would refuse.
struct KeysetRequestTests {
  private let people: KeysetPeople
  private let last: Keyset

  init() throws {
    people = try KeysetPeople.everybody()
    last = try people.first()
  }

  private func next(
    _ edits: [KeysetRequest.Edit] = [], after other: Keyset? = nil, _ change: (inout KeysetRequest) -> Void = { _ in }
  ) throws -> Keyset {
    var request = KeysetRequest(edits, issued: KeysetPeople.later)
    change(&request)
    return try request.next(after: other ?? last)
  }

  @Test func rotatingASignerKeepsEverythingElse() throws {
    let next = try next([.replace("ci", with: people.key("ci-2"))])
    var expected = last
    expected.version = 2
    expected.issued = KeysetPeople.later
    expected.signers.keys = ["ci-2", "dora", "emil"]
    expected.keys = try people.keys("alice", "bob", "carol", "ci-2", "dora", "emil")
    #expect(next == expected)
  }

  @Test func aRotatedKeyMayKeepTheName() throws {
    let next = try next([.replace("ci", with: people.key("ci-2", called: "ci"))])
    #expect(next.signers == last.signers)
    #expect(next.key("ci")?.subjectPublicKeyInfo == (try people.key("ci-2").subjectPublicKeyInfo))
  }

  @Test func rotatingOrRevokingIsForAllRolesOfAKey() throws {
    let both = try next([.addSigner(people.key("alice"))])
    let rotated = try next([.replace("alice", with: people.key("frank"))], after: both)
    #expect(rotated.roots.keys == ["bob", "carol", "frank"])
    #expect(rotated.signers.keys == ["ci", "dora", "emil", "frank"])
    let revoked = try next([.revoke("alice", adding: [])], after: both)
    #expect(revoked.roots.keys == ["bob", "carol"] && revoked.signers.keys == ["ci", "dora", "emil"])
    #expect(revoked.key("alice") == nil)
  }

  @Test func aRemovedRoleLeavesTheOther() throws {
    let both = try next([.addSigner(people.key("alice"))])
    let next = try next([.removeSigner("alice")], after: both)
    #expect(next.roots == last.roots && next.signers == last.signers && next.keys == last.keys)
  }

  @Test func revokingBelowTheThresholdIsRefused() throws {
    let two = try next([.revoke("ci", adding: [])])
    try expect("manifests would need the signatures of 2 signers, and there would be 1", "--threshold") {
      try next([.revoke("dora", adding: [])], after: two)
    }
    let one = try next([.revoke("dora", adding: [])], after: two) { $0.threshold = 1 }
    #expect(one.signers == Keyset.Role(keys: ["emil"], threshold: 1))
    let replaced = try next([.revoke("dora", adding: [people.key("frank")])], after: two)
    #expect(replaced.signers == Keyset.Role(keys: ["emil", "frank"], threshold: 2))
  }

  @Test func keysThatAreNotThereAreNamed() throws {
    try expect("the keyset has no key 'zoe'", "'alice', 'bob', 'carol', 'ci', 'dora', 'emil'") {
      try next([.revoke("zoe", adding: [])])
    }
    try expect("'alice' is not a signer, it is a root", "--remove-root alice") { try next([.removeSigner("alice")]) }
    try expect("'ci' is not a root, it is a signer", "--remove-signer ci") { try next([.removeRoot("ci")]) }
    try expect("the new key is the one that 'ci' has already", "pintle key ci.key") {
      try next([.replace("ci", with: people.key("ci", called: "ci-2"))])
    }
    try expect("'bob' and 'robert' are one key") {
      try next([.replace("ci", with: people.key("bob", called: "robert"))])
    }
  }

  @Test func serialsRiseOrBeginAgainInANewEpoch() throws {
    let raised = try next { $0.minimumSerial = 40 }
    #expect(raised.minimumSerial == 40 && raised.serialEpoch == 1)
    try expect("the minimum serial can't fall from 40 to 39", "--restart 39") {
      try next(after: raised) { $0.minimumSerial = 39 }
    }
    let restarted = try next(after: raised) { $0.restartSerialsAt = 39 }
    #expect(restarted.minimumSerial == 39 && restarted.serialEpoch == 2)
    try expect("0 can't be the minimum serial") { try next(after: raised) { $0.restartSerialsAt = 0 } }
  }

  @Test func whatHasNoNextIsRefused() throws {
    var end = last
    end.version = 9_007_199_254_740_991
    try expect("there is no version after 9007199254740991") {
      try next(after: end) { $0.expires = KeysetPeople.expires.adding(seconds: 1) }
    }
    end = last
    end.serialEpoch = 9_007_199_254_740_991
    try expect("there is no epoch after 9007199254740991") { try next(after: end) { $0.restartSerialsAt = 1 } }
  }

  @Test func aVersionThatChangesNothingIsRefused() throws {
    try expect("version 2 would say what version 1 says", "--expires") { try next() }
    try expect("version 2 would say what version 1 says") { try next { $0.expires = last.expires } }
    try expect("it would expire") { try next { $0.expires = KeysetPeople.later } }
    #expect(try next { $0.expires = KeysetPeople.expires.adding(seconds: 1) }.version == 2)
  }
}
