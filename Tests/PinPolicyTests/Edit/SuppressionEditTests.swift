import PinPolicy
import Testing

@Suite("Suppressions that are put on lines")
struct SuppressionEditTests {
  static let comment = "# pintle:allow P313 until 2026-12-08: why"

  @Test(arguments: [
    ("  web: { active: [a] }  ", "  web: { active: [a] } #new"),
    ("  web: { active: [a] } # ask Ann", "  # ask Ann\n  web: { active: [a] } #new"),
    ("  web: { active: [\"a # b\"] }", "  web: { active: [\"a # b\"] } #new"),
    ("  web: { active: [a] } # pintle:allow P320 until 2026-12-01: old", "  web: { active: [a] } #new"),
    (
      "  web: { active: [a] } # ask Ann # pintle:allow P320 until 2026-12-01: old",
      "  # ask Ann\n  web: { active: [a] } #new"
    ),
    ("  web: { active: [a] } # pintle:allow P320", "  # pintle:allow P320\n  web: { active: [a] } #new"),
  ])
  func aPresentCommentGoesAbove(before: String, after: String) throws {
    for lineBreak in ["\n", "\r\n"] {
      func text(_ line: String) -> [UInt8] {
        Array("version: 1\nkey-sets:\n\(line)\n".replacing("\n", with: lineBreak).utf8)
      }
      #expect(
        try PolicyEdit.put([3: Self.comment], in: text(before)) == text(after.replacing("#new", with: Self.comment)))
    }
  }

  @Test func aLineInsideATextHasNoRoom() {
    let text = Array("version: 1\nkeys:\n  a: { denied: \"one\n    two\" }\n".utf8)
    #expect(throws: PolicyEditError.unfaithful) { try PolicyEdit.put([3: Self.comment], in: text) }
  }
}
