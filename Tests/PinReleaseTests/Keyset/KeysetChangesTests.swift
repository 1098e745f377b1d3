import PinFormat
import PinPolicy
import PinRelease
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
    let sentences = KeysetChanges(from: try KeysetFile(draft: last), to: next).sentences
    let issued = "it is issued \(KeysetPeople.later), before: \(KeysetPeople.issued)"
    #expect(sentences.contains(issued))
    return sentences.filter { $0 != issued }
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
        "it is issued \(KeysetPeople.issued)", "it expires \(KeysetPeople.expires)",
      ])
    var other = last
    other.minimumSerial = 7
    #expect(
      KeysetChanges(of: try KeysetFile(draft: other)).sentences.contains(
        "manifests with a serial below 7 are rejected"))
  }

  /// Changes of one value each, by the field that they are in.
  private func mutants() throws -> [(field: String, change: (inout Keyset) -> Void)] {
    let frank = try people.key("frank")
    return [
      ("audience", { $0.audience = "staging" }), ("version", { $0.version += 1 }),
      ("issued", { $0.issued = $0.issued.adding(seconds: 1) }),
      ("expires", { $0.expires = $0.expires.adding(seconds: 1) }),
      ("serialEpoch", { $0.serialEpoch += 1 }), ("minimumSerial", { $0.minimumSerial += 1 }),
      ("roots", { $0.roots.threshold -= 1 }), ("roots", { $0.roots.keys.removeLast() }),
      ("roots", { $0.roots.keys.append("ci") }), ("signers", { $0.signers.threshold += 1 }),
      ("signers", { $0.signers.keys.removeFirst() }), ("signers", { $0.signers.keys.append("alice") }),
      ("keys", { $0.keys[0] = Keyset.Key(name: $0.keys[0].name, subjectPublicKeyInfo: frank.subjectPublicKeyInfo) }),
      (
        "keys",
        {
          let (first, second) = ($0.keys[0], $0.keys[1])
          $0.keys[0].subjectPublicKeyInfo = second.subjectPublicKeyInfo
          $0.keys[1].subjectPublicKeyInfo = first.subjectPublicKeyInfo
        }
      ),
      (
        "keys",
        {
          $0.keys.append(frank)
          $0.signers.keys.append(frank.name)
        }
      ),
      ("critical", { $0.critical = ["x-new"] }),
    ]
  }

  // what-you-see-keyset
  @Test("whatever is signed is shown: a keyset that differs in any value is rejected, or shown in other words")
  func everyValueIsShown() throws {
    var next = last
    next.version = 2
    next.issued = KeysetPeople.later
    let fields = Set(Mirror(reflecting: next).children.compactMap(\.label))
    #expect(Set(try mutants().map(\.field)) == fields, "each field has a mutant")
    for (base, previous) in [(last, nil), (next, try KeysetFile(draft: last))] {
      let shown = try #require(Self.shown(base, after: previous))
      for (field, change) in try mutants() {
        var mutant = base
        change(&mutant)
        #expect(Self.shown(mutant, after: previous) != shown, "\(field) of version \(base.version)")
      }
    }
  }

  /// What signers are shown; nil where it is rejected.
  private static func shown(_ keyset: Keyset, after previous: KeysetFile?) -> [String]? {
    try? KeysetDraft(of: keyset, after: previous).sentences
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
        "serials begin again at 58, in epoch 2: clients accept them after higher ones"
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
