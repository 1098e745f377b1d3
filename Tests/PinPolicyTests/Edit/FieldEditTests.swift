import PinPolicy
import Testing

@Suite("Edits of a key's fields")
struct FieldEditTests {
  @Test(arguments: cases)
  func textIsEditedAsTheTableSays(item: EditCase) throws {
    #expect(try edited("version: 1\n" + item.before, item.edits) == "version: 1\n" + item.after)
  }

  @Test(arguments: cases)
  func lineBreaksStayWhatTheyAre(item: EditCase) throws {
    let before = ("version: 1\n" + item.before.dropLast()).replacing("\n", with: "\r\n")
    let after = ("version: 1\n" + item.after.dropLast()).replacing("\n", with: "\r\n")
    #expect(try edited(before, item.edits) == after)
  }

  static let cases: [EditCase] = [
    EditCase(
      "a status on a line of its own", [.set(["status"], to: "published", ofKey: "new")],
      """
      keys:
        old: { file: old.pem }
        new:
          # made by two people
          file: new.csr   # the request
          custody: HSM B
          reason: |
            because

        # behind
        other: { file: other.pem }

      """,
      """
      keys:
        old: { file: old.pem }
        new:
          # made by two people
          file: new.csr   # the request
          custody: HSM B
          status: published
          reason: |
            because

        # behind
        other: { file: other.pem }

      """),
    EditCase(
      "a status in braces", [.set(["status"], to: "retiring", ofKey: "old")],
      """
      keys:
        old: { file: old.pem, custody: "HSM A, slot 3" } # the first
        new: { file: new.csr }

      """,
      """
      keys:
        old: { file: old.pem, custody: "HSM A, slot 3", status: retiring } # the first
        new: { file: new.csr }

      """),
    EditCase(
      "another status", [.set(["status"], to: "active", ofKey: "new"), .unset(["status"], ofKey: "old")],
      """
      keys:
        old:
          file: old.pem
          status: active # since May
          reason: it was there
        new: { status: "published", file: new.csr }

      """,
      """
      keys:
        old:
          file: old.pem
          # since May
          reason: it was there
        new: { status: active, file: new.csr }

      """),
    EditCase(
      "a status before a reason only", [.set(["status"], to: "active", ofKey: "new")],
      """
      keys:
        new:
          reason: >-
            first of all

          file: new.csr

      """,
      """
      keys:
        new:
          reason: >-
            first of all

          file: new.csr
          status: active

      """),
    EditCase(
      "dates of steps",
      [
        .set(["steps", "active"], to: "2027-03-01", ofKey: "new"),
        .set(["steps", "published"], to: "2026-12-01", ofKey: "new"),
        .set(["steps", "retired"], to: "2027-09-01", ofKey: "old"),
      ],
      """
      keys:
        new: { file: new.csr } # 新しい
        old:
          file: old.pem
          steps:
            published: 2020-01-01 # long ago
            active: 2020-06-01
          reason: old

      """,
      """
      keys:
        new: { file: new.csr, steps: { published: 2026-12-01, active: 2027-03-01 } } # 新しい
        old:
          file: old.pem
          steps:
            published: 2020-01-01 # long ago
            active: 2020-06-01
            retired: 2027-09-01
          reason: old

      """),
    EditCase(
      "dates that go",
      [
        .set(["steps", "active"], to: "2027-03-01T12:00:00Z", ofKey: "new"),
        .unset(["steps", "published"], ofKey: "new"), .unset(["steps", "active"], ofKey: "old"),
      ],
      """
      keys:
        new: { file: new.csr, steps: { published: 2026-12-01, active: 2027-02-01 } }
        old:
          file: old.pem
          steps:
            # when nobody looks
            active: 2027-03-01 # a Monday
          custody: HSM A

      """,
      """
      keys:
        new: { file: new.csr, steps: { active: 2027-03-01T12:00:00Z } }
        old:
          file: old.pem
          # when nobody looks
          # a Monday
          custody: HSM A

      """),
  ]
}
