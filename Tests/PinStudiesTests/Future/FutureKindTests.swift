import PinRotation
import Testing

@testable import PinRules
@testable import PinStudies

/// What may become of a server by itself, kind by kind.
@Suite("Futures, one at a time")
struct FutureKindTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var scene: FutureScene
    /// As ``FutureScene/futures(onlyNew:)`` writes them.
    var expected: [String]
    /// Those that the newest release accepts; the same unless given.
    var new: [String]?

    init(
      _ description: String, _ scene: FutureScene, _ expected: [String], new: [String]? = nil,
      _ change: (inout FutureScene) -> Void = { _ in }
    ) {
      testDescription = description
      self.scene = scene.with(change)
      self.expected = expected
      self.new = new
    }
  }

  static let moves = ["successors: [{ key: j, from: 2027-01-10, source: it }]"]
  static let leaves = [
    "stores: [{ store: mozilla, since: 2021-01-01, source: it }, { store: mozilla, until: 2027-02-01, source: it }]"
  ]
  static let newer = [
    "signed-by: [{ key: r, until: 2040-01-01, source: it }]",
    "stores: [{ store: mozilla, since: 2027-01-20, source: it }]",
  ]

  static let renewals: [Case] = [
    Case("a leaf key alone, as observed", FutureScene("l"), ["renewal l"]) { $0.observed = ["lir"] },
    Case("a leaf key alone, as assumed", FutureScene("l"), ["renewal l"]),
    Case("its authority is pinned as well", FutureScene("lr"), []) { $0.observed = ["lir"] },
    Case("its authority is an active key of an assumed chain", FutureScene("lr"), []),
    Case("it is a backup, which needs evidence", FutureScene("l"), ["renewal l"]) { $0.backup = "r" },
    Case("evidence shows that the backup is above", FutureScene("l"), []) {
      ($0.backup, $0.observed) = ("r", ["lir"])
    },
    Case("the server keeps its key", FutureScene("l"), []) { ($0.keepsKey, $0.observed) = (true, ["lir"]) },
    Case("nobody announced it", FutureScene("l"), []) { ($0.choice, $0.observed) = (.known, ["lir"]) },
    Case("none are asked for", FutureScene("l"), []) { ($0.choice, $0.observed) = (.none, ["lir"]) },
    Case("the newest release is the same", FutureScene("l", before: "l"), ["renewal l"], new: []) {
      $0.observed = ["lir"]
    },
    Case("the newest release pins the root", FutureScene("l", before: "r"), ["renewal l"]) { $0.observed = ["lir"] },
    Case("without evidence too", FutureScene("l", before: "r"), ["renewal l"]),
    Case("the newest release only reports", FutureScene("l", before: "l"), ["renewal l"]) {
      ($0.entryBefore, $0.observed) = ("mode: report-only", ["lir"])
    },
    Case("the entry only reports", FutureScene("l"), ["renewal l reported"]) {
      ($0.entry, $0.observed) = ("mode: report-only", ["lir"])
    },
    Case("the entry only reports now", FutureScene("l", before: "l"), ["renewal l reported"], new: []) {
      ($0.entry, $0.entryBefore, $0.observed) = ("mode: report-only", "mode: enforce", ["lir"])
    },
    Case("both are required", FutureScene("lr"), ["renewal l"]) {
      ($0.entry, $0.observed) = ("require: leaf-and-ca", ["lir"])
    },
    Case("what is presented isn't accepted anyway", FutureScene("l"), []) { $0.observed = ["mir"] },
    Case("one of two certificates", FutureScene("lr"), ["renewal l"]) { $0.observed = ["lis", "mir"] },
    Case("the newest release has another leaf key", FutureScene("l", before: "m"), ["renewal l"], new: []) {
      $0.observed = ["lir"]
    },
  ]

  static let intermediates: [Case] = [
    Case("an intermediate alone", FutureScene("i"), ["intermediate i"]) { $0.observed = ["?ir"] },
    Case("an intermediate alone, as assumed", FutureScene("i"), ["intermediate i"]),
    Case("its root is pinned as well", FutureScene("ir"), []) { $0.observed = ["?ir"] },
    Case("its root is pinned as well, as assumed", FutureScene("ir"), []),
    Case("both of its intermediates are pinned, but there may be a third", FutureScene("ij"), ["intermediate i"]) {
      $0.observed = ["?ir"]
    },
    Case("the authority says so", FutureScene("i"), ["intermediate i"]) {
      ($0.notice, $0.choice, $0.observed) = ("none", .known, ["?ir"])
    },
    Case("the authority announces new ones", FutureScene("i"), []) {
      ($0.notice, $0.choice, $0.observed) = ("announced", .known, ["?ir"])
    },
    Case("a leaf key that is kept is enough", FutureScene("li"), []) {
      ($0.keepsKey, $0.observed) = (true, ["lir"])
    },
    Case("a leaf key that isn't kept is not", FutureScene("li"), ["intermediate i"]) { $0.observed = ["lir"] },
    Case("a leaf key that the entry needs is its own future", FutureScene("l"), ["renewal l"]) {
      $0.observed = ["lir"]
    },
    Case("both are required", FutureScene("li"), ["renewal l", "intermediate i"].sorted()) {
      ($0.entry, $0.observed) = ("require: leaf-and-ca", ["lir"])
    },
    Case("an announced move says more", FutureScene("i"), ["successor 2027-01-10 i to j"]) {
      ($0.known, $0.observed) = (["i": moves], ["?ir"])
    },
    Case("nothing is known of the root either", FutureScene("l"), ["renewal l"]) { $0.observed = ["l??"] },
  ]

  static let newerRoots: [Case] = [
    Case("a newer root on the path", FutureScene("r"), ["newer-root 2027-01-20 r to s"]) {
      ($0.known, $0.observed) = (["s": newer], ["?isr"])
    },
    Case("a newer root of an assumed path", FutureScene("r"), ["newer-root 2027-01-20 r to s"]) {
      $0.known = ["s": newer]
    },
    Case("it is pinned as well", FutureScene("rs"), []) { ($0.known, $0.observed) = (["s": newer], ["?isr"]) },
    Case("another path of the authority", FutureScene("r"), []) { ($0.known, $0.observed) = (["s": newer], ["?ir"]) },
    Case("issuance moves there", FutureScene("r"), ["newer-root 2027-03-01 r to s"]) {
      $0.known = ["s": newer, "r": ["successors: [{ key: s, from: 2027-03-01, source: it }]"]]
      $0.observed = ["?ir"]
    },
    Case("no store has it", FutureScene("r"), []) { ($0.known, $0.observed) = (["s": [newer[0]]], ["?isr"]) },
    Case("it has been in a store for long", FutureScene("r"), ["newer-root 2022-01-01 r to s"]) {
      $0.known = ["s": [newer[0], "stores: [{ store: java, since: 2022-01-01, source: it }]"]]
      $0.observed = ["?isr"]
    },
    Case("the newest release has it too", FutureScene("r", before: "r"), ["newer-root 2027-01-20 r to s"], new: []) {
      ($0.known, $0.observed) = (["s": newer], ["?isr"])
    },
    Case("the entry has ended then", FutureScene("r"), []) {
      ($0.known, $0.observed) = (["s": newer], ["?isr"])
      $0.entry = "expires: 2027-01-15, on-expiry: report-only"
    },
    Case(
      "the newest release's entry has ended then", FutureScene("r", before: "r"), ["newer-root 2027-01-20 r to s"]
    ) {
      ($0.known, $0.observed) = (["s": newer], ["?isr"])
      $0.entryBefore = "expires: 2027-01-15, on-expiry: report-only"
    },
  ]

  static let departures: [Case] = [
    Case("the root leaves a store", FutureScene("r"), ["anchor-gone 2027-02-01 r"]) {
      ($0.known, $0.observed) = (["r": leaves], ["?ir"])
    },
    Case("of an assumed path too", FutureScene("r"), ["anchor-gone 2027-02-01 r"]) { $0.known = ["r": leaves] },
    Case("another active root lasts", FutureScene("rt"), []) { ($0.known, $0.observed) = (["r": leaves], ["?ir"]) },
    Case("a backup isn't a choice", FutureScene("r"), ["anchor-gone 2027-02-01 r"]) {
      ($0.backup, $0.known, $0.observed) = ("t", ["r": leaves], ["?ir"])
    },
    Case("the other leaves as well", FutureScene("rt"), ["anchor-gone 2027-02-01 r"]) {
      ($0.known, $0.observed) = (["r": leaves, "t": leaves], ["?ir"])
    },
    Case(
      "several on one day, always in one order", FutureScene("rst"),
      ["anchor-gone 2027-02-01 r", "anchor-gone 2027-02-01 s", "anchor-gone 2027-02-01 t"]
    ) {
      $0.known = ["r": leaves, "s": leaves, "t": leaves]
      $0.observed = ["?ir", "?js", "?jt"]
    },
    Case("an own key is active", FutureScene("rl"), []) { ($0.known, $0.observed) = (["r": leaves], ["?ir"]) },
    Case("a lower root of the path is an anchor", FutureScene("rs"), []) {
      $0.known = ["r": leaves, "s": newer.map { $0.replacing("2027-01-20", with: "2021-01-20") }]
      $0.observed = ["?isr"]
    },
    Case("it has left already", FutureScene("r"), []) {
      $0.known = ["r": leaves.map { $0.replacing("2027-02-01", with: "2026-02-01") }]
      ($0.observed, $0.entry) = (["?ir"], "mode: report-only")
    },
    Case("a store that no client has", FutureScene("r"), []) {
      $0.known = ["r": leaves.map { $0.replacing("mozilla", with: "apple") }]
      $0.observed = ["?ir"]
    },
    Case("years ahead", FutureScene("r"), []) {
      $0.known = ["r": leaves.map { $0.replacing("2027-02-01", with: "2028-02-01") }]
      $0.observed = ["?ir"]
    },
    Case("years ahead, and simulated", FutureScene("r"), ["anchor-gone 2028-02-01 r"]) {
      $0.known = ["r": leaves.map { $0.replacing("2027-02-01", with: "2028-02-01") }]
      ($0.observed, $0.until, $0.entry) = (["?ir"], "2028-03-01", "expires: 2028-12-01")
    },
  ]

  static let successors: [Case] = [
    Case("a root is left", FutureScene("r"), ["successor 2027-01-10 r to t"]) {
      $0.known = ["r": ["successors: [{ key: t, from: 2027-01-10, source: it }]"]]
      $0.observed = ["?ir"]
    },
    Case("the next one is pinned", FutureScene("rt"), []) {
      $0.known = ["r": ["successors: [{ key: t, from: 2027-01-10, source: it }]"]]
      $0.observed = ["?ir"]
    },
    Case("one of two is pinned", FutureScene("rt"), ["successor 2027-01-10 r to s"]) {
      $0.known = [
        "r": [
          "successors: [{ key: t, from: 2027-01-10, source: it }, { key: s, from: 2027-01-10, source: it }]"
        ]
      ]
      $0.observed = ["?ir"]
    },
    Case("an intermediate is left, and its root stays", FutureScene("r"), []) {
      ($0.known, $0.observed) = (["i": moves], ["?ir"])
    },
    Case("issuance ends", FutureScene("r"), ["successor 2027-01-10 r"]) {
      ($0.known, $0.observed) = (["r": ["issues-until: [{ date: 2027-01-10, source: it }]"]], ["?ir"])
    },
    Case("issuance ends, and another active root lasts", FutureScene("rt"), []) {
      ($0.known, $0.observed) = (["r": ["issues-until: [{ date: 2027-01-10, source: it }]"]], ["?ir"])
    },
    Case("issuance has moved", FutureScene("rt"), ["successor 2026-01-10 r to s"]) {
      $0.known = ["r": ["successors: [{ key: s, from: 2026-01-10, source: it }]"]]
      $0.observed = ["?ir"]
    },
    Case("the pin is dropped by then", FutureScene("rt"), ["successor 2027-01-10 r to t"]) {
      $0.known = ["r": ["successors: [{ key: t, from: 2027-01-10, source: it }]"]]
      ($0.observed, $0.steps) = (["?ir"], ["t": "retired: 2026-12-20"])
    },
    Case("the pin is dropped later", FutureScene("rt"), []) {
      $0.known = ["r": ["successors: [{ key: t, from: 2027-01-10, source: it }]"]]
      ($0.observed, $0.steps) = (["?ir"], ["t": "retired: 2027-02-20"])
    },
    Case("either root may be presented", FutureScene("rt"), ["successor 2027-01-10 r to s"]) {
      $0.known = ["r": ["successors: [{ key: s, from: 2027-01-10, source: it }]"]]
    },
    Case("the server has changed to the other by then", FutureScene("rt"), []) {
      $0.known = ["r": ["successors: [{ key: s, from: 2027-01-10, source: it }]"]]
      $0.steps = ["t": "active: 2026-12-20"]
    },
    Case("an own key would be kept", FutureScene("rl"), []) {
      $0.known = ["r": ["successors: [{ key: t, from: 2027-01-10, source: it }]"]]
      ($0.observed, $0.keepsKey) = (["lir"], true)
    },
    Case("an own key that isn't kept doesn't help", FutureScene("rl"), ["successor 2027-01-10 r to t"]) {
      $0.known = ["r": ["successors: [{ key: t, from: 2027-01-10, source: it }]"]]
      $0.observed = ["lir"]
    },
  ]

  @Test(arguments: renewals + intermediates + newerRoots + departures + successors)
  func futures(_ one: Case) throws {
    let found = try one.scene.futures()
    #expect(found == one.expected)
    if one.scene.before != nil { #expect(try one.scene.futures(onlyNew: true) == one.new ?? one.expected) }
  }
}
