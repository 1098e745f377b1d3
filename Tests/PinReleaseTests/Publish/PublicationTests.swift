import Diagnostics
import PinFormat
import PinPolicy
import PinRelease
import PinValidator
import TestSupport
import Testing

/// What is published, in which order, and what isn't.
@Suite("Publication")
struct PublicationTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var published: [String: String] = [:]
    var releases: [String]
    var keysets = 1...2
    /// What is written, in order; or the code of the refusal.
    var result: [String] = []
    var code: String?
  }

  private static let pointer = "production/manifest.json"
  private static let both = [
    "production/keysets/1.keyset.json": "k1", "production/keysets/2.keyset.json": "k2",
  ]
  private static func at(_ serials: String...) -> [String: String] {
    var all = both
    for serial in serials { all["production/\(serial).json"] = serial }
    all[pointer] = serials.last
    return all
  }

  private static let rows = [
    Row(
      testDescription: "everything for the first time: what never changes first, in order", releases: ["2", "1", "3"],
      result: [
        "production/keysets/1.keyset.json", "production/keysets/2.keyset.json", "production/1.json",
        "production/2.json", "production/3.json", pointer,
      ]),
    Row(testDescription: "all of it again", published: at("1", "2", "3"), releases: ["1", "2", "3"], result: []),
    Row(
      testDescription: "the next release", published: at("1", "2"), releases: ["1", "2", "3"],
      result: ["production/3.json", pointer]),
    Row(
      testDescription: "the next release without the file of the one before", published: at("2"), releases: ["3"],
      result: ["production/3.json", pointer]),
    Row(
      testDescription: "a release between that was never published", published: at("2"), releases: ["4"],
      result: ["production/4.json", pointer]),
    Row(
      testDescription: "the rest, after an interruption",
      published: both.merging(["production/2.json": "2", "production/3.json": "3", pointer: "2"]) { $1 },
      releases: ["2", "3"], result: [pointer]),
    Row(
      testDescription: "the next version of the keyset alone",
      published: ["production/keysets/1.keyset.json": "k1", pointer: "1"], releases: [],
      result: ["production/keysets/2.keyset.json"]),
    Row(
      testDescription: "a later version that follows the published one",
      published: ["production/keysets/1.keyset.json": "k1"], releases: ["3"], keysets: 2...2,
      result: ["production/keysets/2.keyset.json", "production/3.json", pointer]),
    Row(
      testDescription: "serials that begin again", published: at("3", "4"), releases: ["4", "e1"], keysets: 1...3,
      result: ["production/keysets/3.keyset.json", "production/epoch-2/1.json", pointer]),
    Row(testDescription: "an older release", published: at("2", "3"), releases: ["2"], code: "older-serial"),
    Row(
      testDescription: "an older epoch", published: at("4").merging([pointer: "e1"]) { $1 }, releases: ["4"],
      keysets: 1...3, code: "too-few-signatures"),
    Row(
      testDescription: "another release with the published serial", published: at("2"), releases: ["2'"],
      code: "not-a-successor"),
    Row(
      testDescription: "other signatures on the published serial", published: at("2"), releases: ["2+"],
      code: "conflicting-serial"),
    Row(
      testDescription: "other bytes under a release's name",
      published: both.merging(["production/3.json": "2'", pointer: "2"]) { $1 }, releases: ["3"],
      code: "conflicting-serial"),
    Row(
      testDescription: "two files with one serial", releases: ["1", "2", "2'"], code: "conflicting-serial"),
    Row(
      testDescription: "issued before the published one", published: at("3"), releases: ["early"],
      code: "not-a-successor"),
    Row(
      testDescription: "no predecessor, though one is published", published: at("3"), releases: ["alone"],
      code: "not-a-successor"),
    Row(testDescription: "a stranger's signature", releases: ["stranger"], code: "too-few-signatures"),
    Row(testDescription: "another audience than the keyset's", releases: ["staging"], code: "wrong-audience"),
    Row(testDescription: "a signer that the newest keyset lacks", releases: ["1"], code: "too-few-signatures"),
    Row(
      testDescription: "an unverifiable pointer, which may be newer",
      published: at("1").merging([pointer: "stranger"]) { $1 },
      releases: ["2"], code: "too-few-signatures"),
    Row(
      testDescription: "a pointer for another audience", published: at("1").merging([pointer: "staging"]) { $1 },
      releases: ["2"], code: "wrong-audience"),
    Row(
      testDescription: "another file as a version of the keyset",
      published: ["production/keysets/1.keyset.json": "k1'"], releases: ["2"], code: "conflicting-version"),
    Row(
      testDescription: "an older keyset than the published one",
      published: both.merging(["production/keysets/3.keyset.json": "k3"]) { $1 }, releases: ["2"], code: "older-version"
    ),
    Row(
      testDescription: "a keyset without the one before it", releases: ["3"], keysets: 2...2, code: "skipped-version"),
    Row(
      testDescription: "a keyset that clients of the one before it reject",
      published: ["production/keysets/1.keyset.json": "1"], releases: ["3"], keysets: 2...2,
      code: "malformed-keyset"),
  ]

  @Test(arguments: rows)
  func plans(row: Row) throws {
    let scene = try PublicationScene()
    let target = try scene.target(row.published)
    do {
      let plan = try scene.publication(row.releases, row.keysets).plan(for: target)
      #expect(row.code == nil, "\(plan.missing.map(\.path))")
      #expect(plan.missing.map(\.path) == row.result)
      try plan.write(to: target)
      #expect(target.order == row.result)
      if let newest = row.releases.last, row.result.contains(Self.pointer) || row.result.isEmpty {
        #expect(target.files[Self.pointer] == scene.files[newest])
      }
      let again = try scene.publication(row.releases, row.keysets).plan(for: target)
      #expect(again.missing.isEmpty, "publishing again writes nothing")
    } catch let failure as WorkFailure {
      #expect(failure.code == row.code, "\(failure.message)")
      #expect([.refused, .unsafeRotation].contains(failure.kind), "\(failure.message)")
      #expect(failure.help != nil, "\(failure.message)")
      #expect(target.order.isEmpty)
    }
  }

  @Test("After a failure at any write, what is published is whole, and publishing again completes it")
  func failures() throws {
    let scene = try PublicationScene()
    let before = ["production/keysets/1.keyset.json": "k1", "production/1.json": "1", Self.pointer: "1"]
    let publication = try scene.publication(["1", "2", "3"])
    let whole = try scene.target(before)
    try publication.plan(for: whole).write(to: whole)
    let count = whole.order.count
    #expect(count == 4)
    for writes in 0..<count {
      let target = try scene.target(before)
      target.fail(after: writes)
      let failure = #expect(throws: WorkFailure.self) { try publication.plan(for: target).write(to: target) }
      #expect(failure?.message == "the disk is full")
      #expect(failure?.help?.hasPrefix("\(writes) of 4 files are written") == true)
      #expect(target.order == Array(whole.order.prefix(writes)))
      #expect(target.files[Self.pointer] == scene.files["1"])
      target.fail(after: .max)
      try publication.plan(for: target).write(to: target)
      #expect(target.files == whole.files)
    }
  }

  @Test func aPointerThatChangedMeanwhileStays() throws {
    let scene = try PublicationScene()
    let target = try scene.target(Self.at("2"))
    let plan = try scene.publication(["3"]).plan(for: target)
    let other = try scene.publication(["4"]).plan(for: target)
    try other.write(to: target)
    #expect(throws: WorkFailure.self) { try plan.write(to: target) }
    #expect(target.files[Self.pointer] == scene.files["4"])
  }

  @Test("A keyset whose clients reject the published manifest is noticed")
  func endorsement() throws {
    let scene = try PublicationScene()
    for (pointer, isEndorsed) in [("1", false), ("2", true)] {
      let target = try scene.target(["production/keysets/1.keyset.json": "k1", Self.pointer: pointer])
      #expect(try scene.publication([]).plan(for: target).isPointerEndorsed == isEndorsed, "\(pointer)")
    }
  }

  @Test("With keys, one run publishes several audiences, all pointers last")
  func audiences() throws {
    let scene = try PublicationScene()
    let trust = Trust(publicKeys: try scene.trust(1...1).publicKeys)
    let target = try scene.target([:])
    try Publication([scene.path("staging"), scene.path("2")], trust: trust, audience: nil)
      .plan(for: target).write(to: target)
    #expect(
      target.order == ["production/2.json", "staging/1.json", "production/manifest.json", "staging/manifest.json"])
    let failure = #expect(throws: WorkFailure.self) {
      try Publication([scene.path("staging"), scene.path("2")], trust: trust, audience: "staging")
    }
    #expect(failure?.code == "wrong-audience")
  }

  @Test(
    "An audience that isn't the plain name of a folder is refused",
    arguments: [
      "../up", ".hidden", "a/b", "lock", "ünder", "-a", String(repeating: "a", count: 101),
    ])
  func names(_ audience: String) throws {
    let scene = try PublicationScene()
    let trust = Trust(publicKeys: try scene.trust(1...1).publicKeys)
    let failure = #expect(throws: WorkFailure.self) {
      try Publication([scene.path("for " + audience)], trust: trust, audience: nil)
    }
    #expect(failure?.code == "unsafe-audience")
  }
}
