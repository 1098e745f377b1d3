import TestSupport
import Testing

/// A piece that a reader can't use, planted in its input: it is named in text and in JSON, and changes the exit status.
///
/// docs/auditing.md lists the readers. Those of settings of certificate tools are in ``RenewalUnreadTests``; the collector's
/// are in ReaderTests and AnswerTests of PinCollectorTests, those of the gate in ``GateSourcesTests``, and servers that
/// don't answer `probe` in ``ProbeTests``.
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

  /// An envelope with two signatures; DSSE has no JSON output.
  private static let envelope =
    "test -e m.json || { pintle build policies -o m.json --sign-key signing/release.key --serial 1 "
    + "--issued-at 2026-11-21 && pintle sign m.json --sign-key signing/second.key --at 2026-11-22; } 2>/dev/null; "
    + "test -e e.json || pintle export dsse m.json -o e.json 2>/dev/null; "
    + "pintle import dsse e.json -o - --key signing/release.key.pub --key signing/second.key.pub --threshold 2 #"
  private static let log =
    "test -e m.json || pintle build policies -o m.json --sign-key signing/release.key --serial 1 "
    + "--issued-at 2026-11-21 2>/dev/null; test -e l.txt || printf '%s\\n' \"2026-11-22T03:12:00Z connection blocked "
    + "host=www.example.com port=443 verdict=block: none of the entry's pins matches the validated chain "
    + "(entry www.example.com)\" > l.txt; pintle why --log l.txt --manifest m.json "
    + "--key signing/release.key.pub --connect 127.0.0.1:1 --at 2026-11-22"
  private static let probe =
    "pintle probe probing/policies --replay probing/evidence.json --at 2026-11-22 --min-success 0 "
    + "--host pay.example.com $(cat hosts 2>/dev/null)"
  /// The machine's trust store; the suggestion is a text.
  private static let store =
    "test -e store.pem || cp authorities/roots.pem store.pem; "
    + "SSL_CERT_FILE=store.pem pintle authorities suggest lets-encrypt --at 2026-11-25 #"

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
        "find", "printf 'pins in it' | gzip -c > texts/a.gz", "pintle find texts --policy policies --fail-on unknown",
        0, 2, ["texts/a.gz", "is compressed"]
      ),
      (
        "find", "rm texts/*", "pintle find texts --policy policies --fail-on unknown", 0, 2,
        ["no file was searched"]
      ),
      (
        "pin", "tr A-Z a-z < policies/keys/api.pem >> policies/keys/example-root.pem",
        "pintle pin policies/keys/example-root.pem", 0, 1, ["example-root.pem", "wrong BEGIN or END line in line"]
      ),
      (
        "import dsse", "sed -i 's/vnd.pintle.manifest.v1/vnd.in-toto/' e.json", envelope, 0, 1,
        ["e.json", "its payload is of the type 'application/vnd.in-toto+json'"]
      ),
      // What isn't needed for the threshold is counted, and doesn't fail.
      (
        "import dsse",
        "pintle sign m.json --sign-key signing/third.key --at 2026-11-22 2>/dev/null; pintle export dsse m.json -o - "
          + "2>/dev/null | sed 's/\"keyid\":\"03ad[0-9a-f]*\"/\"keyid\":\"x\"/' > e.json", envelope, 0, 0,
        ["1 signature left out"]
      ),
      // Nothing answers there, so the status is 5 before, too.
      (
        "decide --log", "echo '2026-11-22T05:00:00Z connection blocked host=' >> l.txt", log, 5, 5,
        ["1 line of 'l.txt' looks like an event of a client and can't be read"]
      ),
      (
        "probe", "echo '--host new.example.com:8443' > hosts", probe, 0, 5,
        ["'new.example.com:8443' isn't in 'probing/evidence.json'"]
      ),
      (
        "trust store", "sed 's/BEGIN CERT/begin cert/' authorities/roots.pem >> store.pem", store, 0, 1,
        ["the trust store 'store.pem' can't be read: it is PEM with a wrong BEGIN or END line in line"]
      ),
      (
        "trust store", "printf '%s\\n' '-----BEGIN CERTIFICATE-----' MAA= '-----END CERTIFICATE-----' >> store.pem",
        store,
        0, 0, ["1 certificate in store.pem can't be read"]
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
    _ = try place.run("mkdir -p texts; echo x > texts/read.txt; printf '\(record)' > renewals.json")
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
