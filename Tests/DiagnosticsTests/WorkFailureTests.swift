import Diagnostics
import Testing

/// What is shown before a failure keeps its order.
struct WorkFailureTests {
  private static let rows: [(String?, [String], String?)] = [
    (nil, [], nil), (nil, ["a"], "a"), (nil, ["a", "b"], "a\nb"), ("c", [], "c"),
    ("c", ["a", "b"], "a\nb\nc"),
  ]

  @Test(arguments: rows)
  func shownAfter(_ details: String?, _ lines: [String], _ expected: String?) {
    let failure = WorkFailure(.refused, "no", help: "do", details: details)
    #expect(failure.shown(after: lines) == WorkFailure(.refused, "no", help: "do", details: expected))
  }
}
