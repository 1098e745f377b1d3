import Diagnostics
import PinFormat
import PinPolicy
import PinRotation
import PinValidator
import PolicySupport
import Testing

@testable import PinRules
@testable import PinStudies

/// A policy of `a.test`, what is known of its authorities, and what its server presents.
///
/// Keys are letters: `l` to `n` are leaves' own, `i` and `j` intermediates, `r` to `t` roots; `?` is a key that nobody
/// knows. `r` certified `i` and `j`.
struct FutureScene: Sendable {
  var active: String
  var backup = "n"
  /// The active keys of the newest release; nil if nothing is released.
  var before: String?
  /// Further fields of the entry, such as `mode: report-only`.
  var entry = ""
  var entryBefore: String?
  /// Statements about keys, by letter: lines of `keys:` of an authority.
  var known: [Character: [String]] = [:]
  var notice: String?
  /// The chains that evidence shows, from the leaf up; assumed by the active keys if there are none.
  var observed: [String] = []
  var keepsKey = false
  var choice = FutureChoice.all
  var until: String?
  var steps: [Character: String] = [:]
  /// Who says what clients accept; nil for the validator.
  var judge: (any ChainJudge)?

  init(_ active: String, before: String? = nil) {
    self.active = active
    self.before = before
  }

  func with(_ change: (inout FutureScene) -> Void) -> FutureScene {
    var copy = self
    change(&copy)
    return copy
  }

  static let now = "2026-11-21"
  static let letters: [Character] = ["l", "m", "n", "i", "j", "r", "s", "t"]

  static func position(_ letter: Character) -> String {
    ["l", "m", "n"].contains(letter) ? "leaf" : ["i", "j"].contains(letter) ? "intermediate" : "root"
  }

  private func text(_ active: String, _ entry: String) -> String {
    RotationScene.text(
      keys: Self.letters.map { letter in
        RotationScene.key(
          letter, "position: \(Self.position(letter))" + (steps[letter].map { ", steps: { \($0) }" } ?? ""))
      },
      sets: ["a: { active: [\(Self.list(active))], backup: [\(Self.list(backup))] }"],
      hosts: ["host: a.test, keys: a" + (entry.isEmpty ? "" : ", \(entry)")])
  }

  private static func list(_ letters: String) -> String { letters.map(String.init).joined(separator: ", ") }

  /// A file that knows of all authorities' keys, and what is stated.
  private var library: AuthorityLibrary {
    get throws {
      var lines = [
        "version: 1", "reviewed: 2026-11-01", "sources:",
        "  it: { published: 2021-01-01, url: https://ca.example/it, says: It says so. }", "authorities:", "  ca:",
        "    owner: CA Ltd",
      ]
      if let notice { lines.append("    changes-issuers: [{ notice: \(notice), source: it }]") }
      lines.append("    keys:")
      for letter in Self.letters where Self.position(letter) != "leaf" {
        let isRoot = Self.position(letter) == "root"
        let signer = isRoot ? [] : ["signed-by: [{ key: r, until: 2049-01-01, source: it }]"]
        let fields = [
          "pin: \(RotationScene.pin(letter))", "certificate: \(String(repeating: "ab", count: 32))",
          "subject: CN=\(letter)", "place: \(isRoot ? "root" : "issuing")", "created: 2020-01-01",
          "expires: 2049-01-01", "source: it",
        ]
        lines.append("      \(letter):")
        lines += (fields + signer + (known[letter] ?? [])).map { "        " + $0 }
      }
      let read = AuthorityFile.read(Array(lines.joined(separator: "\n").utf8), file: FileID(0))
      try #require(read.problems.isEmpty, "\(read.problems)")
      return try AuthorityLibrary.none.adding([read.file])
    }
  }

  /// The question, and the world with what evidence shows.
  func world() throws -> (RotationWorld, RotationQuestion) {
    let now = try RotationScene.instant(Self.now)
    var policy = try ExampleFiles.resolve(["policy.yaml": text(active, entry)])
    policy.library = try library
    let outcome = CheckedPolicy.check(CheckInput(policy: policy, at: now))
    let checked = try #require(outcome.checked, "\(outcome.result.diagnostics.filter { $0.severity == .error })")
    let released = try before.map {
      [try RotationScene.released(1, "2026-05-01", text($0, entryBefore ?? entry))]
    }
    var question = RotationQuestion(policy: checked, released: released ?? [], now: now)
    question.futures = choice
    question.end = try until.map(RotationScene.instant)
    if keepsKey { question.keepsKey = { host, port in host.text == "a.test" && port == 443 } }
    var world = try RotationWorld.build(question, compiler: "pintle test")
    if let judge { world.scenario.judge = judge }
    if !observed.isEmpty {
      let landings = observed.map { Landing(judged: .trusted(Self.chain($0))) }
      world.scenario.servers[0].phases[0] = ServerPhase(
        begin: now, source: .observed, views: [ClientView(landings: landings)])
    }
    return (world, question)
  }

  static func chain(_ letters: String) -> PresentedChain {
    PresentedChain(letters.map { $0 == "?" ? nil : RotationScene.pin($0) })
  }

  /// `successor 2027-01-01 i to j`, with `reported` where entries only report.
  func futures(onlyNew isNew: Bool = false) throws -> [String] {
    let (world, question) = try world()
    return Futures.all(in: world, question, onlyNew: isNew).map { future in
      let day = future.instant.map { " " + String($0.description.prefix(10)) } ?? ""
      let next = future.next.isEmpty ? "" : " to " + future.next.joined(separator: ",")
      return future.kind.rawValue + day + " " + future.name + next + (future.onlyReports ? " reported" : "")
    }
  }
}
