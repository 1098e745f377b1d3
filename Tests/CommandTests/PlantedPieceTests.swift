import TestSupport
import Testing

/// A piece that a reader can't use, planted in its input: it is named in text and in JSON, and changes the exit status.
///
/// docs/auditing.md lists the readers. Those of settings of certificate tools are in ``RenewalUnreadTests``.
struct PlantedPieceTests {
  private static let check = "pintle check policies --at 2026-11-21"
  private static let damage = "sed -i '3s/./*/' policies/keys/example-root.pem"
  private static let pins =
    "<network-security-config><domain-config><domain>a.example.com</domain><pin-set>"
    + "<pin digest=\"SHA-256\">C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=</pin>%</pin-set></domain-config>"
    + "</network-security-config>"

  private static func android(_ piece: String) -> String {
    "printf %s '\(pins.replacing("%", with: piece))' > n.xml"
  }

  /// A reader, how the piece is planted, the command, its status without and with the piece, and what both outputs say.
  private static let rows:
    [(reader: String, plant: String, command: String, before: Int32, after: Int32, words: [String])] = [
      (
        "policy directory", "cp policies/web.yaml policies/more.YAML", check, 0, 2,
        ["more.YAML", "this file isn't read"]
      ),
      ("policy directory", "ln -s /usr policies/other", check, 0, 2, ["policies/other", "a link to a directory"]),
      ("policy directory", "mkfifo policies/x.yaml", check, 0, 2, ["policies/x.yaml", "it isn't a file"]),
      ("policy directory", "printf 'a\\0b' > policies/x.yaml", check, 0, 2, ["policies/x.yaml", "control character"]),
      ("key file", damage, check, 0, 2, ["keys/example-root.pem", "PEM that is damaged in line 3"]),
      ("key file", ": > policies/keys/example-root.pem", check, 0, 2, ["keys/example-root.pem"]),
      (
        "pin", damage, "pintle pin policies/keys/api.pem policies/keys/example-root.pem", 0, 1,
        ["example-root.pem", "PEM that is damaged in line 3"]
      ),
      (
        "find", "printf 'a\\nsha256/abcd1234abcd1234Zb1234abcd1\\n' > texts/a.txt",
        "pintle find texts --policy policies --fail-on unknown", 0, 2,
        ["texts/a.txt", "has 27 characters behind 'sha256/'"]
      ),
      (
        "find", "printf 'bplist00\\0\\0\\1' > texts/a.plist",
        "pintle find texts --policy policies --fail-on unknown", 0, 2,
        ["texts/a.plist", "is a binary property list"]
      ),
      (
        "import", android("<pin digest=\"SHA-256\">abcd</pin>"),
        "test -e n.xml || \(android("")); pintle import android n.xml -o - --at 2026-11-21 --report - 2>&1", 0, 2,
        ["n.xml", "pin 'abcd' of 'a.example.com' was left out"]
      ),
      (
        "authorities", "printf 'other: x\\n' >> a/ours.yaml",
        "test -d a || cp -r authorities a; pintle authorities list --authorities a", 0, 2,
        ["a/ours.yaml", "unknown field 'other'"]
      ),
      (
        "evidence", "sed 's/\"begun\"/\"x\"/' evidence/example.json > e.json",
        "test -e e.json || cp evidence/example.json e.json; pintle show e.json", 0, 1,
        ["'e.json' is not valid evidence", "unknown field"]
      ),
      (
        "record of renewals", "printf '{\"x\": 1' > r.json",
        "test -e r.json || cp renewals.json r.json; pintle simulate policies --renewals r.json --at 2026-11-27", 0, 1,
        ["'r.json' isn't a record of renewals"]
      ),
    ]

  @Test(arguments: 0..<rows.count)
  func isNamed(_ number: Int) throws {
    let row = Self.rows[number]
    let place = try Workplace()
    let record =
      "{\"format\": \"pintle-renewals\", \"version\": 1, \"tool\": {\"name\": \"pintle\", \"version\": \"0\"}, "
      + "\"checked\": \"2026-11-27T00:00:00Z\", \"hosts\": []}"
    _ = try place.run("mkdir -p texts; printf '\(record)' > renewals.json")
    let before = try place.run(row.command)
    #expect(before.status == row.before, "\(row.reader): \(before.stdoutText)\(before.stderrText)")
    let planted = try place.run(row.plant)
    #expect(planted.status == 0, "\(row.reader): \(planted.stderrText)")
    for format in ["", " --format json"] {
      let after = try place.run(row.command + format)
      let output = (after.stdoutText + after.stderrText).replacing("\\\"", with: "\"")
      #expect(after.status == row.after, "\(row.reader)\(format): \(output)")
      for words in row.words { #expect(output.contains(words), "\(row.reader)\(format): \(output)") }
    }
  }
}
