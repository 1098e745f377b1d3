import PinFormat
import PinPolicy
import Testing

/// What the signers of a keyset are shown.
struct KeysetChangesTests {
  private let people: KeysetPeople
  private let last: Keyset

  init() throws {
    people = try KeysetPeople.everybody()
    last = try people.first()
  }

  private func words(_ edits: [KeysetRequest.Edit], _ change: (inout KeysetRequest) -> Void = { _ in }) throws
    -> [String]
  {
    var request = KeysetRequest(edits, issued: KeysetPeople.later)
    change(&request)
    let next = try KeysetFile(draft: request.next(after: last))
    return KeysetChanges(from: try KeysetFile(draft: last), to: next).sentences
  }

  private func named(_ name: String) throws -> String {
    let file = try KeysetFile(draft: try last.with(people.key(name)))
    let member = try #require(file.keyring[name])
    return "(\(member.algorithm.name) \(member.keyID.hex))"
  }

  @Test func aFirstVersionIsToldWhole() throws {
    let words = KeysetChanges(of: try KeysetFile(draft: last)).sentences
    #expect(
      words == [
        "'alice' may sign keysets \(try named("alice"))", "'bob' may sign keysets \(try named("bob"))",
        "'carol' may sign keysets \(try named("carol"))", "keysets need 2 of 3 signatures",
        "'ci' may sign manifests \(try named("ci"))", "'dora' may sign manifests \(try named("dora"))",
        "'emil' may sign manifests \(try named("emil"))", "manifests need 2 of 3 signatures",
        "it expires \(KeysetPeople.expires)",
      ])
    var other = last
    other.minimumSerial = 7
    #expect(
      KeysetChanges(of: try KeysetFile(draft: other)).sentences.contains(
        "manifests with a serial below 7 are rejected"))
  }

  @Test func keysThatComeAndGo() throws {
    #expect(
      try words([.replace("ci", with: people.key("ci-2"))]) == [
        "'ci' may no longer sign manifests \(named("ci"))", "'ci-2' may sign manifests \(named("ci-2"))",
      ])
    #expect(
      try words([.revoke("carol", adding: [])]) == [
        "'carol' may no longer sign keysets \(named("carol"))",
        "keysets need 2 of 2 signatures, before: 2 of 3 signatures",
      ])
  }

  /// A name that stays while the key behind it changes must not hide the change.
  @Test func anotherKeyUnderTheSameName() throws {
    #expect(
      try words([.replace("ci", with: people.key("ci-2", called: "ci"))]) == [
        "'ci' may no longer sign manifests \(named("ci"))", "'ci' may sign manifests \(named("ci-2"))",
      ])
  }

  @Test func anotherNameForTheSameKey() throws {
    var renamed = last
    renamed.version = 2
    renamed.keys[3].name = "ci-a"
    renamed.signers.keys[0] = "ci-a"
    let changes = KeysetChanges(from: try KeysetFile(draft: last), to: try KeysetFile(draft: renamed))
    #expect(changes.sentences == ["the key of 'ci' is called 'ci-a' now"])
  }

  @Test func thresholdsSerialsAndExpiry() throws {
    #expect(
      try words([]) {
        $0.threshold = 3
        $0.rootThreshold = 1
      } == [
        "keysets need 1 of 3 signatures, before: 2 of 3 signatures",
        "manifests need 3 of 3 signatures, before: 2 of 3 signatures",
      ])
    #expect(
      try words([]) { $0.minimumSerial = 40 } == [
        "manifests with a serial below 40 are rejected, before: below 1"
      ])
    #expect(
      try words([]) { $0.restartSerialsAt = 58 } == [
        "serials begin again at 58, in epoch 2: how far clients were doesn't count any more"
      ])
    let later = KeysetPeople.expires.adding(seconds: 86_400)
    #expect(
      try words([]) { $0.expires = later } == ["it expires \(later), before: \(KeysetPeople.expires)"])
  }

  @Test func nothingIsSaidOfNothing() throws {
    let file = try KeysetFile(draft: last)
    #expect(KeysetChanges(from: file, to: file).sentences.isEmpty)
  }
}

extension Keyset {
  /// With a further signer, where the key isn't there yet.
  fileprivate func with(_ key: Key) throws -> Keyset {
    guard self.key(key.name) == nil else { return self }
    var keyset = self
    keyset.keys.append(key)
    keyset.signers.keys.append(key.name)
    return keyset
  }
}
