import PinFormat
import PinPolicy
import PinRelease
import PinValidator
import Testing

/// Walking from version to version as a client does, and where it ends.
struct KeysetWalkTests {
  private let people: KeysetPeople
  private let files: [[UInt8]]

  init() throws {
    people = try KeysetPeople.everybody()
    let first = try people.first()
    let second = try KeysetRequest(
      [.revoke("ci", adding: [people.key("ci-2")])], issued: KeysetPeople.later, restartSerialsAt: 9
    ).next(after: first)
    let third = try KeysetRequest([.replace("alice", with: people.key("frank"))], issued: KeysetPeople.later)
      .next(after: second)
    files = [
      try people.file(first, signedBy: "alice", "carol").bytes,
      try people.file(second, signedBy: "alice", "bob").bytes,
      try people.file(third, signedBy: "alice", "bob", "frank").bytes,
    ]
  }

  private func walk(_ numbers: Int..., audience: String? = nil) throws -> KeysetWalk {
    var walk = try KeysetWalk(shipped: files[numbers[0]], path: "\(numbers[0])", audience: audience)
    for number in numbers.dropFirst() { try walk.take(files[number], path: "\(number)") }
    return walk
  }

  @Test func everyVersionInTurn() throws {
    let walk = try walk(0, 1, 2, audience: "production")
    #expect(walk.steps.map(\.path) == ["0", "1", "2"])
    #expect(walk.newest.version == 3 && walk.newest.keyset.serialEpoch == 2)
    #expect(try self.walk(1, 2).newest.version == 3, "a client may be shipped with a later one")
  }

  @Test func theSameAgainChangesNothing() throws {
    #expect(try walk(0, 0, 1, 1).steps.map(\.path) == ["0", "1"])
  }

  @Test(arguments: [
    ([0, 2], KeysetError.Code.skippedVersion, "2", Int64?(1)), ([0, 1, 0], .olderVersion, "0", 2),
    ([2, 1], .tooFewSignatures, "1", 3),
  ])
  func whereAWalkEnds(_ numbers: [Int], _ code: KeysetError.Code, _ path: String, _ version: Int64?) throws {
    let refusal = #expect(throws: KeysetWalk.Refusal.self) {
      var walk = try KeysetWalk(shipped: files[numbers[0]], path: "\(numbers[0])", audience: nil)
      for number in numbers.dropFirst() { try walk.take(files[number], path: "\(number)") }
    }
    #expect(refusal?.error.code == code)
    #expect(refusal?.path == path && refusal?.trusted?.version == version)
  }

  @Test func anotherAudienceIsRefusedAtOnce() throws {
    let refusal = #expect(throws: KeysetWalk.Refusal.self) { try walk(0, 1, audience: "staging") }
    #expect(refusal?.error.code == .wrongAudience && refusal?.trusted == nil && refusal?.path == "0")
  }
}
