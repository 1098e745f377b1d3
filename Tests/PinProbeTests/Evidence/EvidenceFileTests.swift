import Diagnostics
import PinFormat
import PinProbe
import TestSupport
import Testing

/// Evidence as a file on disk, and what is shown of it.
struct EvidenceFileTests {
  private static let zero = String(repeating: "0", count: 64)

  /// A record of a host that has no address, and of a trust store with an anchor, or of none.
  private static func text(anchor: String? = nil) -> String {
    let certificates = anchor.map { #""certificates":{"\#(zero)":"\#($0)"},"# } ?? ""
    let stores = anchor.map { _ in #""stores":{"a":["\#(zero)"]},"# } ?? ""
    return #"{"begun":"2026-11-01T00:00:00Z",\#(certificates)"ended":"2026-11-01T01:00:00Z",\#(stores)"#
      + #""targets":[{"host":"b.example","port":443,"unresolved":{"kind":"name-not-resolved","message":"no"}}],"#
      + #""tool":"t","type":"application/vnd.pintle.evidence+json","version":1}"#
  }

  @Test(arguments: [
    ("", "'FILE' is empty, not evidence of live servers"), ("version: 1\n", "'FILE' is a policy file, not evidence"),
    (#"{"begun":1}"#, "'FILE' is not valid evidence: "),
    (
      text(anchor: "AAAA"),
      "'FILE' is not valid evidence: the certificate under \(zero) has the digest 709e80c88487a2411e1ee4dfb9f22a861492d20c4"
        + "765150c0c794abd70f8147c"
    ),
  ])
  func refused(_ text: String, _ message: String) throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write(text, to: "fleet.json")
    let failure = #expect(throws: WorkFailure.self) { try EvidenceFile.read(file) }
    #expect(failure?.kind == .failed)
    #expect(failure?.message.hasPrefix(message.replacing("FILE", with: file)) == true, "\(failure as Any)")
  }

  @Test func whatIsReadIsWhatIsWritten() throws {
    let folder = try TemporaryDirectory()
    let evidence = try EvidenceFile.read(folder.write(Self.text(), to: "fleet.json"))
    #expect(try EvidenceFile.bytes(of: evidence) == Array(Self.text().utf8))
    let rows = EvidenceText(evidence: evidence).text().split(separator: "\n").map { $0.split(separator: " ") }
    #expect(rows.contains { $0.first?.hasPrefix("b.example") == true && $0.dropFirst() == ["-", "-", "no"] })
    let json = EvidenceJSON(evidence: evidence).text()
    #expect(json.contains(#""kind": "name-not-resolved""#) && !json.contains("startTLS"))
  }
}
