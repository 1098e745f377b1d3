import Foundation
import Testing

@testable import PinLanguageServer

@Suite struct FeatureTests {
  static let hovers: [(file: String, text: String, wanted: [String])] = [
    (
      "keys.yaml", Session.keys.replacing("root-a: {", with: "ro‸ot-a: {"),
      [
        "Key `root-a`", "certificate, RSA, 2048 bits", "CN=Amazon Root CA 1", "expires `2038-01-17T00:00:00Z`",
        "Position: root", "Active in `web` and `10.0.0.5:8443`; pins `10.0.0.5:8443` and `api.example.com`",
      ]
    ),
    (
      "keys.yaml", Session.keys.replacing("[root-b,", with: "[root-b‸,"),
      ["Key `root-b`", "ECDSA, P-384", "Status: active", "Custody: HSM \\*A\\*", "Backup in `web`"]
    ),
    (
      "hosts.yaml", Session.hosts.replacing("keys: web", with: "keys: ‸web"),
      ["Key set `web`", "Active `root-a`, backup `root-b` and `spare`", "Used by `api.example.com`"]
    ),
    (
      "hosts.yaml", Session.hosts.replacing("api.example", with: "api‸.example"),
      [
        "Host `api.example.com`", "all names below it", "Mode `enforce`", "Key set `web`",
        "Expires `2027-06-01T00:00:00Z`, in 192 days; then mismatches are reported only",
      ]
    ),
    (
      "hosts.yaml", Session.hosts.replacing("10.0.0.5", with: "‸10.0.0.5"), ["Host `10.0.0.5:8443`", "this port alone"]
    ),
    (
      "hosts.yaml", Session.hosts.replacing("on-expiry", with: "on-‸expiry"),
      ["On expiry", "fails open", "`report-only`"]
    ),
    (
      "hosts.yaml", Session.hosts.replacing("2027-06-01", with: "2027-‸06-01"),
      ["`2027-06-01T00:00:00Z`, in 192 days", "`expires`"]
    ),
    ("keys.yaml", Session.keys.replacing("keys/gts", with: "keys‸/gts"), ["`keys/gts-root-r4.pem`", "sha256/"]),
    ("keys.yaml", Session.keys.replacing("P320", with: "P3‸20"), ["P320 root-only", "(note)"]),
    // With incomplete text further down, the earlier meaning of the policy is still shown.
    (
      "hosts.yaml", Session.hosts.replacing("keys: web", with: "keys: ‸web") + "\n  - host: [x\n   keys: {",
      ["Key set `web`", "backup `root-b` and `spare`"]
    ),
  ]

  @Test(arguments: hovers)
  func hoverSaysWhatThingsAre(file: String, text: String, wanted: [String]) throws {
    let session = try Session()
    session.open(file, text)
    let hover = session.ask("hover", file) as? [String: Any]
    let value = (hover?["contents"] as? [String: Any])?["value"] as? String ?? ""
    for part in wanted { #expect(value.contains(part), "\(value)") }
  }

  static let definitions: [(file: String, text: String, places: [String])] = [
    ("hosts.yaml", Session.hosts.replacing("keys: web", with: "keys: we‸b"), ["keys.yaml:8:3"]),
    ("hosts.yaml", Session.hosts.replacing("[root-a]", with: "[‸root-a]"), ["keys.yaml:4:3"]),
    ("keys.yaml", Session.keys.replacing("keys/gts", with: "keys/‸gts"), ["keys/gts-root-r4.pem:1:1"]),
    ("keys.yaml", Session.keys.replacing("keys/gts", with: "../‸../etc/passwd"), []),
    ("hosts.yaml", Session.hosts.replacing("keys: web", with: "keys: nothing‸"), []),
    ("hosts.yaml", "version: 1\nhosts: [\n  { host: a, keys: we‸b", ["keys.yaml:8:3"]),
  ]

  @Test(arguments: definitions)
  func aNameLeadsToItsDeclaration(file: String, text: String, places: [String]) throws {
    let session = try Session()
    session.open(file, text)
    #expect(session.places(session.ask("definition", file)) == places)
  }

  @Test func referencesAreThoseOfAllFiles() throws {
    let session = try Session()
    session.open("keys.yaml", Session.keys.replacing("root-a: {", with: "root-a‸: {"))
    let without = session.places(session.ask("references", "keys.yaml", ["context": ["includeDeclaration": false]]))
    #expect(without == ["hosts.yaml:10:16", "keys.yaml:9:14"])
    let with = session.places(session.ask("references", "keys.yaml", ["context": ["includeDeclaration": true]]))
    #expect(with == ["hosts.yaml:10:16", "keys.yaml:4:3", "keys.yaml:9:14"])
  }

  @Test func aRenamedKeyIsRenamedEverywhere() throws {
    let session = try Session()
    session.open("keys.yaml", Session.keys.replacing("root-a: {", with: "root-a‸: {"))
    let edit = session.ask("rename", "keys.yaml", ["newName": "amazon"]) as? [String: Any]
    let changes = edit?["changes"] as? [String: [[String: Any]]] ?? [:]
    #expect(changes[session.uri("keys.yaml")]?.count == 2)
    #expect(changes[session.uri("hosts.yaml")]?.count == 1)
    for (name, reason) in [("spare", "is taken"), ("A", "lower-case"), ("-x", "lower-case")] {
      let refused = session.ask("rename", "keys.yaml", ["newName": name]) as? [String: Any]
      let message = (refused?["error"] as? [String: Any])?["message"] as? String
      #expect(message?.contains(reason) == true)
    }
    session.open("hosts.yaml", Session.hosts + "\n  - host: [")
    session.open("keys.yaml", Session.keys.replacing("root-a: {", with: "root-a‸: {"))
    let refused = session.ask("rename", "keys.yaml", ["newName": "amazon"]) as? [String: Any]
    #expect(refused?["error"] != nil)
  }

  @Test func symbolsAreTheNamesOfAFile() throws {
    let session = try Session()
    session.open("keys.yaml", Session.keys)
    session.open("hosts.yaml", Session.hosts)
    func names(_ file: String) -> [[String]] {
      (session.ask("documentSymbol", file) as? [[String: Any]] ?? []).map { section in
        [section["name"] as? String ?? ""]
          + (section["children"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
      }
    }
    #expect(names("keys.yaml") == [["keys", "root-a", "root-b", "spare"], ["key-sets", "web"]])
    #expect(names("hosts.yaml") == [["defaults"], ["hosts", "api.example.com", "10.0.0.5"]])
  }

  @Test func aRuleIsExplainedOnRequest() throws {
    let session = try Session()
    session.open("hosts.yaml", Session.hosts.replacing("keys: web", with: "keys: wep"))
    let range = ["start": ["line": 5, "character": 11], "end": ["line": 5, "character": 11]]
    let actions =
      session.request(
        "textDocument/codeAction",
        ["textDocument": ["uri": session.uri("hosts.yaml")], "range": range, "context": ["diagnostics": []]])
      as? [[String: Any]] ?? []
    let explain = try #require(actions.first { $0["title"] as? String == "Explain P302 (undefined-key-set)" })
    let page = session.request(
      "workspace/executeCommand", ["command": explain["command"] ?? "", "arguments": explain["arguments"] ?? []])
    #expect((page as? String)?.hasPrefix("## P302 undefined-key-set") == true)
    #expect(session.messages.contains { $0["method"] as? String == "window/showMessage" })
  }

  @Test func fixesAreOfferedAndMendTheText() throws {
    let session = try Session()
    let text = Session.hosts.replacing("include-subdomains", with: "include-subdomain")
    session.open("hosts.yaml", text)
    #expect(session.codes("hosts.yaml") == ["P105"])
    func actions(_ only: [String]?, line: Int) -> [[String: Any]] {
      let place = ["line": line, "character": 6]
      var context: [String: Any] = ["diagnostics": []]
      if let only { context["only"] = only }
      let given: [String: Any] = [
        "textDocument": ["uri": session.uri("hosts.yaml")], "range": ["start": place, "end": place],
        "context": context,
      ]
      return session.request("textDocument/codeAction", given) as? [[String: Any]] ?? []
    }
    func titles(_ actions: [[String: Any]]) -> [String] { actions.compactMap { $0["title"] as? String } }
    let fix = "Write 'include-subdomains'"
    #expect(
      titles(actions(nil, line: 4)) == [
        fix, "Explain P105 (unknown-field)", "Apply all safe fixes",
      ])
    #expect(titles(actions(["source.fixAll"], line: 0)) == ["Apply all safe fixes"])
    #expect(titles(actions(["quickfix"], line: 4)) == [fix, "Explain P105 (unknown-field)"])
    #expect(titles(actions(["refactor"], line: 4)) == [])
    #expect(titles(actions(["quickfix"], line: 0)) == [])
    for action in [actions(["quickfix"], line: 4)[0], actions(["source.fixAll"], line: 0)[0]] {
      let changes = (action["edit"] as? [String: Any])?["changes"] as? [String: [Any]] ?? [:]
      #expect(Array(changes.keys) == [session.uri("hosts.yaml")])
      let data = try JSONSerialization.data(withJSONObject: changes[session.uri("hosts.yaml")] ?? [])
      var document = OpenDocument(uri: "", path: "", version: 1, text: text)
      for edit in try JSONDecoder().decode([TextEdit].self, from: data) {
        document.change([DidChangeParameters.Change(range: edit.range, text: edit.newText)], version: 2, .utf16)
      }
      #expect(String(decoding: document.text.bytes, as: UTF8.self) == Session.hosts)
    }
  }
}
