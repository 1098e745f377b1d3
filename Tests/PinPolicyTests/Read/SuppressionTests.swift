import Diagnostics
import PinFormat
import PinPolicy
import PolicySupport
import Testing

@Suite("Suppressions")
struct SuppressionTests {
  @Test(
    "Code, date, reason and place",
    arguments: [
      ("owner: a # pintle:allow P404 until 2027-01-15: in January", "2:10-58 P404 2027-01-15T00:00:00Z in January"),
      ("owner: a #pintle:allow P404 until 2027-01-15: x", "2:10-48 P404 2027-01-15T00:00:00Z x"),
      ("# pintle:allow P404 until 2027-01-15T08:30:00Z: x: y # z", "2:1-57 P404 2027-01-15T08:30:00Z x: y # z"),
      ("owner: a # note # pintle:allow  P404  until  2027-01-15:  x  ", "2:17-62 P404 2027-01-15T00:00:00Z x"),
      ("owner: 日本 😀 # pintle:allow P318 until 2027-01-15: 理由", "2:13-53 P318 2027-01-15T00:00:00Z 理由"),
      ("owner: \"#\" # pintle:allow P404 until 2027-01-15: x", "2:12-51 P404 2027-01-15T00:00:00Z x"),
      ("owner: | # pintle:allow P404 until 2027-01-15: x\n  text", "2:10-49 P404 2027-01-15T00:00:00Z x"),
    ])
  func read(line: String, expected: String) {
    for ending in ["\n", "\r\n"] {
      let policy = PinPolicyTests.read("version: 1" + ending + line.replacing("\n", with: ending) + ending)
      let found = policy.files[0].suppressions.map {
        "\(describe($0.place)) \($0.code) \($0.until) \($0.reason)"
      }
      #expect(found == [expected])
      #expect(policy.problems.isEmpty)
    }
  }
}
