import Diagnostics
import PinFormat
import PinPolicy
@testable import PinStudies
import TestSupport
import Testing

/// `authority:` of a test: every way up from what a CA issues, and what trust stores make of it.
@Suite("What public CAs may issue") struct IssuedWaysTests {
  private static let pins = (1...60).map { number in
    var random = SeededGenerator(seed: UInt64(number))
    return "\(Pin(SHA256Digest(InlineArray<32, UInt8> { _ in UInt8.random(in: 0...255, using: &random) })))"
  }

  /// A file of authorities, each with keys by name, position, number of the pin, and further statements.
  private static func library(
    _ authorities: [(name: String, keys: [(String, String, Int, String)])]
  ) throws -> AuthorityLibrary {
    var text = """
      version: 1
      reviewed: 2026-11-01
      sources:
        news: { url: "https://ca.example/ca", published: 2016-01-01, says: news }
      authorities:

      """
    for authority in authorities {
      text += "  \(authority.name):\n    owner: \(authority.name)\n    keys:\n"
      for (name, position, pin, more) in authority.keys {
        let certificate = String(repeating: String(pin + 16, radix: 16), count: 32)
        text += "      \(name): { pin: \(pins[pin]), certificate: \(certificate), "
        text += "subject: CN=\(name), place: \(position), created: 2015-01-01, expires: 2050-01-01, source: news"
        text += (more.isEmpty ? "" : ", ") + more + " }\n"
      }
    }
    let (file, problems) = AuthorityFile.read(Array(text.utf8), file: FileID(0))
    #expect(problems == [])
    return try AuthorityLibrary.none.adding([file])
  }

  private static func signed(_ keys: String...) -> String {
    "signed-by: [" + keys.map { "{ key: \($0), until: 2040-01-01, source: news }" }.joined(separator: ", ") + "]"
  }

  private static let policy = """
    version: 1
    owner: web@example.com
    manifest: { audience: test }
    keys:
      pinned: { pin: \(pins[0]), position: root }
      spare: { pin: \(pins[50]), custody: HSM A, created: 2026-09-01, position: leaf, algorithm: ed25519 }
    hosts:
      - { host: api.example.com, keys: { active: [pinned], backup: [spare] } }
    defaults: { expires: 2027-06-01, on-expiry: enforce }

    """

  private func run(_ library: AuthorityLibrary, _ test: String, policy: String = policy) throws -> TestRun.Outcome {
    let bench = try TestBench()
    try bench.write(policy: policy)
    try bench.write("  - { name: x, host: api.example.com, \(test) }\n")
    return try #require(try bench.run(knowing: library).outcomes.first)
  }

  /// `pinned` certified `old`, that `middle`, that `new`, below which another company issues.
  private static func other(_ change: String = signed("one/old")) -> [(String, [(String, String, Int, String)])] {
    [
      ("pinner", [("pinned", "root", 0, "")]), ("one", [("old", "root", 1, signed("pinner/pinned"))]),
      ("two", [("middle", "root", 2, change)]),
      ("three", [("new", "root", 3, signed("two/middle")), ("issuing", "issuing", 4, signed("new"))]),
    ]
  }

  @Test("A CA that a pinned key certified, over any number of others, gets in and is asked")
  func overOthers() throws {
    let outcome = try run(Self.library(Self.other()), "authority: three, expect: block")
    // Below 'issuing' and below 'new', each up to 'new', 'middle', 'old' and 'pinned'.
    #expect(outcome.answers.count == 8 && outcome.answers.count { $0.kind == .allow } == 2)
    #expect(outcome.answers.contains { $0.presented.contains("'issuing', 'new', 'middle', 'old' and 'pinned'") })
    let all = try run(Self.library(Self.other()), "authority: any-other, expect: block")
    #expect(!all.hasPassed)
    // A certificate that has ended, and keys that certified one another.
    let ended = "signed-by: [{ key: one/old, until: 2026-06-01, source: news }]"
    #expect(try run(Self.library(Self.other(ended)), "authority: three, expect: block").hasPassed)
    #expect(
      try run(Self.library(Self.other(Self.signed("three/new"))), "authority: three, expect: block").answers.count == 4)
  }

  @Test("Keys that everybody certified end in an error instead of taking forever")
  func manyWays() throws {
    let keys = (0..<40).map { number in
      ("k\(number)", "root", number + 1, number < 2 ? "" : Self.signed("k\(number - 1)", "k\(number - 2)"))
    }
    let outcome = try run(Self.library([("all", keys)]), "authority: all, expect: block")
    #expect(outcome.mistake?.message == "'all/k14' was certified in more than 1000 ways")
  }

  /// What a store says of a root, and the answers of clients with it.
  static let stores: [(statement: String, stores: String, answers: [String])] = [
    ("", "[mozilla]", ["mismatch"]),
    ("distrust-after: 2026-11-30", "[mozilla]", ["rejected"]),
    ("until: 2026-11-30", "[mozilla]", ["rejected"]),
    ("until: 2026-12-02", "[mozilla]", ["mismatch"]),
    ("distrust-after: 2026-11-30", "[debian]", ["mismatch"]),
    ("distrust-after: 2026-11-30", "[debian, mozilla]", ["mismatch", "rejected"]),
  ]

  @Test("What no store of the clients trusts is rejected, not matched", arguments: stores)
  func distrusted(_ row: (statement: String, stores: String, answers: [String])) throws {
    let statement = row.statement.isEmpty ? "" : "stores: [{ store: mozilla, \(row.statement), source: news }]"
    let library = try Self.library([("other", [("root", "root", 1, statement)])])
    let policy = Self.policy.replacing("audience: test }", with: "audience: test, stores: \(row.stores) }")
    let outcome = try run(library, "authority: other, expect: block", policy: policy)
    #expect(outcome.hasPassed && outcome.answers.map(\.because) == row.answers)
    // Its own host can't rely on it either.
    let pinned = try Self.library([("pinner", [("pinned", "root", 0, statement)])])
    let allowed = try run(pinned, "authority: pinner, expect: allow", policy: policy)
    #expect(allowed.hasPassed == (row.answers == ["mismatch"]))
  }

  @Test("The tests that 'init' writes name all others only where nobody else gets in")
  func strangers() throws {
    let instant = TestBench.day
    let pins = try Self.pins.map { try Pin($0) }
    let known = try Self.library(Self.other() + [("four", [("root", "root", 5, "")])]).all(at: instant)
    #expect(known.strangers(to: [pins[0]]) == "four")
    #expect(known.strangers(to: [pins[5]]) == "any-other")
    #expect(known.strangers(to: [pins[2]]) == "pinner")
  }
}
