import Foundation
import Testing

@testable import PinLanguageServer

@Suite struct CompletionTests {
  /// The text with a cursor, what has to be proposed, and what must not be.
  static let cases: [(text: String, wanted: [String], unwanted: [String])] = [
    ("ver‸", ["version", "hosts", "key-sets"], ["host"]),
    ("version: 1\nhosts:\n  - ‸", ["host", "keys", "host entry"], ["active"]),
    ("version: 1\nhosts:\n  - ho‸", ["host"], []),
    ("version: 1\nhosts:\n  ‸", ["host entry"], ["host"]),
    ("version: 1\nhosts:\n  - host: a.example.com\n    ‸", ["keys", "mode", "expires"], ["host"]),
    ("version: 1\nhosts:\n  - host: a.example.com\n    ‸\n    keys: web\n", ["mode"], ["host", "keys"]),
    ("version: 1\nhosts:\n  - host: a.example.com\n    keys: ‸", ["web"], ["root-a"]),
    ("version: 1\nhosts:\n  - host: a.example.com\n    keys: w‸", ["web"], ["root-a"]),
    ("version: 1\nhosts:\n  - host: a.example.com\n    keys: { ‸", ["active", "backup"], ["host"]),
    ("version: 1\nhosts:\n  - host: a.example.com\n    keys: { active: [‸", ["root-a", "spare"], ["web"]),
    ("version: 1\nhosts:\n  - host: a.example.com\n    keys: { active: [root-a], ba‸", ["backup"], ["active"]),
    ("version: 1\nhosts:\n  - host: a.example.com\n    keys:\n      active: [root-a, ‸]\n", ["root-b"], ["web"]),
    ("version: 1\nhosts:\n  - host: a.example.com\n    mode: ‸", ["enforce", "report-only", "off"], ["web"]),
    ("version: 1\nhosts:\n  - host: a.example.com\n    mode:‸", ["enforce"], []),
    ("version: 1\nhosts:\n  - host: a.example.com\n    include-subdomains: t‸", ["true", "false"], []),
    ("version: 1\nhosts:\n  - host: a.example.com\n    expires: ‸", ["2027-11-21"], []),
    ("version: 1\nhosts:\n  - host: a.example.com\n    trust:\n      ‸", ["anchors", "minimum-tls"], ["host"]),
    ("version: 1\nhosts:\n  - host: a\n    trust:\n      minimum-tls: ‸", ["1.3"], []),
    (
      "version: 1\nhosts:\n  - host: a\n    trust:\n      anchors: [‸",
      ["system", "keys/", "keys/gts-root-r4.pem"], ["manifest.yaml"]
    ),
    ("version: 1\nkeys:\n  new: { file: keys/‸", ["keys/amazon-root-ca-1.pem"], ["system"]),
    ("version: 1\nkeys:\n  new: { ‸", ["file", "pin", "position"], ["active"]),
    ("version: 1\nkeys:\n  new:\n    status: ‸", ["planned", "retired"], []),
    ("version: 1\nkey-sets:\n  new:\n    active: [root-a]\n    ‸", ["backup", "reason"], ["active"]),
    ("version: 1\nkey-sets:\n  new:\n    active:\n      - ‸", ["root-a"], ["web"]),
    ("version: 1\nkey-sets:\n  new:\n    active:\n      ‸", ["root-a"], ["web"]),
    ("version: 1\nmanifest:\n  limits:\n    ‸", ["max-lifetime"], ["audience"]),
    ("version: 1\nmanifest:\n  ‸", ["clients", "audience"], ["leaf-only"]),
    ("version: 1\nmanifest:\n  clients: [full-chain, ‸", ["leaf-only"], ["audience"]),
    ("version: 1\ntests:\n  - name: x\n    ‸", ["host", "authority", "expect"], ["name", "mode"]),
    ("version: 1\ntests:\n  - name: x\n    expect: ‸", ["allow", "not-pinned"], ["enforce"]),
    ("version: 1\ntests:\n  - chain: keys/‸", ["keys/gts-root-r4.pem"], []),
    ("version: 1\nhosts:\n  - host: a # pintle:allow ‸", ["P205"], ["host"]),
    ("version: 1\nhosts:\n  - host: a # pintle:allow P205, P3‸", ["P320"], []),
    ("version: 1\nhosts:\n  - host: a # ‸", ["pintle:allow"], ["host"]),
    ("version: 1\nhosts:\n  - host: a\n    reason: some text ‸", [], ["keys", "host"]),
    ("version: 1\nhosts:\n  - host: a\n    reason: |\n      some ‸", [], ["keys", "host"]),
  ]

  @Test(arguments: cases)
  func whatMayStandThereIsProposed(text: String, wanted: [String], unwanted: [String]) throws {
    let session = try Session()
    session.open("new.yaml", text)
    let labels = labels(session.ask("completion", "new.yaml"))
    #expect(Set(wanted).subtracting(labels) == [])
    #expect(Set(unwanted).intersection(labels) == [])
  }

  /// The text with a cursor, the proposal that is taken, and the text that it leaves.
  static let edits: [(text: String, taken: String, result: String)] = [
    ("version: 1\nhosts:\n  - ho‸", "host", "version: 1\nhosts:\n  - host: "),
    ("version: 1\nhosts:\n  - host: a\n    mode:‸", "off", "version: 1\nhosts:\n  - host: a\n    mode: off"),
    (
      "version: 1\nhosts:\n  - host: a\n    keys: w‸ab # x", "web", "version: 1\nhosts:\n  - host: a\n    keys: web # x"
    ),
    (
      "version: 1\nkey-sets: { a: { active: [ro‸] } }", "root-b", "version: 1\nkey-sets: { a: { active: [root-b] } }"
    ),
    (
      "version: 1\nkey-sets:\n  a:\n    active:\n      ‸", "spare",
      "version: 1\nkey-sets:\n  a:\n    active:\n      - spare"
    ),
    (
      "version: 1\nhosts:\n  - host: a # 💚 pintle:allow P2‸", "P205",
      "version: 1\nhosts:\n  - host: a # 💚 pintle:allow P2"
    ),
    ("version: 1\nowner: 💚 # pintle:allow P2‸", "P205", "version: 1\nowner: 💚 # pintle:allow P205"),
  ]

  @Test(arguments: edits)
  func aProposalIsWrittenWhereTheWordWas(text: String, taken: String, result: String) throws {
    let session = try Session()
    session.open("new.yaml", text)
    let answer = session.ask("completion", "new.yaml") as? [String: Any]
    let items = answer?["items"] as? [[String: Any]] ?? []
    let plain = text.replacing("‸", with: "")
    guard let item = items.first(where: { $0["label"] as? String == taken }) else {
      #expect(plain == result)
      return
    }
    let edit = try #require(item["textEdit"] as? [String: Any])
    let data = try JSONSerialization.data(withJSONObject: edit)
    let made = try JSONDecoder().decode(TextEdit.self, from: data)
    var document = OpenDocument(uri: "", path: "", version: 1, text: plain)
    document.change([DidChangeParameters.Change(range: made.range, text: made.newText)], version: 2, .utf16)
    #expect(String(decoding: document.text.bytes, as: UTF8.self) == result)
  }

  private func labels(_ answer: Any?) -> Set<String> {
    Set(((answer as? [String: Any])?["items"] as? [[String: Any]] ?? []).compactMap { $0["label"] as? String })
  }
}
