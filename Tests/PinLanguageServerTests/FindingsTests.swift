import TestSupport
import Testing

@testable import PinLanguageServer

@Suite struct FindingsTests {
  @Test func theUnsavedTextIsChecked() throws {
    let session = try Session()
    session.open("hosts.yaml", Session.hosts)
    #expect(session.codes("hosts.yaml") == [])
    let change: [String: Any] = [
      "range": [
        "start": ["line": 5, "character": 10], "end": ["line": 5, "character": 13],
      ], "text": "wep",
    ]
    session.notify(
      "textDocument/didChange",
      ["textDocument": ["uri": session.uri("hosts.yaml"), "version": 2], "contentChanges": [change]])
    session.settle()
    #expect(session.codes("hosts.yaml") == ["P302"])
    let finding = try #require(session.findings[session.uri("hosts.yaml")]?.first)
    #expect(finding["severity"] as? Int == 1)
    #expect(finding["source"] as? String == "pintle")
    #expect((finding["message"] as? String)?.contains("Did you mean 'web'?") == true)
    let told = session.messages.compactMap { $0["params"] as? [String: Any] }
      .last { $0["uri"] as? String == session.uri("hosts.yaml") }
    #expect(told?["version"] as? Int == 2)
    // Closed without saving, so the file on disk counts again.
    session.notify("textDocument/didClose", ["textDocument": ["uri": session.uri("hosts.yaml")]])
    session.settle()
    #expect(session.codes("hosts.yaml") == [])
  }

  @Test func testsOfThePolicyAreReadButNoPartOfIt() throws {
    let session = try Session()
    let test = "version: 1\ntests:\n  - { name: a, host: api.example.com, keys: [root-a], expect: maybe }\n"
    session.open("hosts.test.yaml", test)
    #expect(session.codes("hosts.test.yaml") == ["P109"] && session.codes("hosts.yaml") == [])
    session.open("hosts.test.yaml", test.replacing("maybe", with: "allow"))
    #expect(session.codes("hosts.test.yaml") == [])
    session.open("hosts.yaml", Session.hosts.replacing("keys: web", with: "keys: wep"))
    #expect(session.codes("hosts.test.yaml") == [] && session.codes("hosts.yaml") == ["P302"])
    session.notify("textDocument/didClose", ["textDocument": ["uri": session.uri("hosts.test.yaml")]])
    session.settle()
    #expect(session.codes("hosts.yaml") == ["P302"])
  }

  @Test func codesLinkToTheDocumentation() throws {
    let session = try Session(options: ["reference": "https://pins.example.com/docs"])
    session.open("hosts.yaml", Session.hosts.replacing("keys: web", with: "keys: wep"))
    let finding = try #require(session.findings[session.uri("hosts.yaml")]?.first)
    let link = finding["codeDescription"] as? [String: String]
    #expect(link == ["href": "https://pins.example.com/docs/rules/P302/"])
  }

  @Test func onlyTheLastOfSeveralChangesIsChecked() throws {
    let session = try Session()
    session.open("hosts.yaml", Session.hosts)
    let before = session.messages.count
    for version in 2...20 {
      session.notify(
        "textDocument/didChange",
        [
          "textDocument": ["uri": session.uri("hosts.yaml"), "version": version],
          "contentChanges": [["text": Session.hosts + "\n# \(version)"]],
        ])
    }
    session.settle()
    let told = session.messages[before...].filter { $0["method"] as? String == "textDocument/publishDiagnostics" }
    #expect(told.compactMap { ($0["params"] as? [String: Any])?["version"] as? Int } == [20])
  }

  @Test func findingsOfOtherFilesAreToldAndTakenBack() throws {
    let session = try Session()
    session.open("keys.yaml", Session.keys.replacing("root-a:", with: "root-z:"))
    #expect(session.codes("keys.yaml").contains("P301"))
    #expect(session.codes("hosts.yaml") == ["P301"])
    session.notify("textDocument/didClose", ["textDocument": ["uri": session.uri("keys.yaml")]])
    session.settle()
    #expect(session.codes("hosts.yaml") == [])
  }

  @Test func relatedPlacesLeadToOtherFiles() throws {
    let session = try Session()
    session.open("hosts.yaml", Session.hosts + "\nkeys:\n  spare: { file: keys/gts-root-r4.pem }\n")
    let finding = try #require(
      session.findings.values.joined().first { $0["code"] as? String == "P305" })
    let related = try #require((finding["relatedInformation"] as? [[String: Any]])?.first)
    let location = try #require(related["location"] as? [String: Any])
    #expect(
      Set([location["uri"] as? String ?? ""]).isSubset(of: [session.uri("keys.yaml"), session.uri("hosts.yaml")]))
  }

  @Test func whatHasNoEffectIsTagged() throws {
    let session = try Session()
    session.open("keys.yaml", Session.keys.replacing(", spare]", with: "]"))
    session.open("hosts.yaml", Session.hosts.replacing("[spare]", with: "[root-b]"))
    let finding = try #require(
      session.findings[session.uri("keys.yaml")]?.first { $0["code"] as? String == "P303" })
    #expect(finding["tags"] as? [Int] == [1])
  }

  @Test func filesOfNoPolicyAreLeftAlone() throws {
    let session = try Session()
    try session.directory.write("apiVersion: v1\nkind: Pod\n", to: "kubernetes/manifest.yaml")
    session.open("../kubernetes/manifest.yaml", "apiVersion: v1\nkind: [")
    session.open("../compose.yaml", "version: '3'\nservices: {")
    session.open("notes.txt", "version: 1\nhosts: [")
    session.notify(
      "textDocument/didOpen",
      ["textDocument": ["uri": "untitled:1", "version": 1, "text": "version: 1\nhosts: ["]])
    session.settle()
    #expect(session.findings.isEmpty)
    #expect(session.server.projects.isEmpty)
    #expect(session.ask("hover", "../compose.yaml") as? [String: String] == nil)
  }

  @Test func aPolicyWithoutSettingsIsItsFilesFolder() throws {
    let session = try Session()
    try session.directory.write("", to: "other/a.yaml")
    session.open("../other/a.yaml", "version: 1\nhosts:\n  - host: a.example.com\n    keys: nothing\n")
    let found = session.findings.first { $0.key.hasSuffix("/other/a.yaml") }?.value ?? []
    #expect(found.compactMap { $0["code"] as? String }.contains("P302"))
  }

  @Test func policiesOfAFolderAreCheckedBeforeAnythingIsOpen() throws {
    let session = try Session(isStarted: false)
    try session.directory.write(Session.hosts.replacing("keys: web", with: "keys: wep"), to: "policies/hosts.yaml")
    _ = session.request(
      "initialize",
      ["capabilities": [:], "workspaceFolders": [["uri": "file://" + session.directory.path, "name": "x"]]])
    session.notify("initialized", [:])
    session.settle()
    #expect(session.codes("hosts.yaml") == ["P302"])
    // Fixed on disk, by somebody else.
    try session.directory.write(Session.hosts, to: "policies/hosts.yaml")
    session.notify("workspace/didChangeWatchedFiles", ["changes": []])
    session.settle()
    #expect(session.codes("hosts.yaml") == [])
    session.notify(
      "workspace/didChangeWorkspaceFolders",
      ["event": ["added": [], "removed": [["uri": "file://" + session.directory.path, "name": "x"]]]])
    session.settle()
    #expect(session.server.projects.isEmpty)
  }

  /// Each beginning of a file, cut off anywhere, is a text that somebody may be typing.
  @Test func noBeginningOfAFileIsTooMuch() throws {
    let session = try Session()
    let text = Array(Session.hosts.unicodeScalars)
    for count in stride(from: 0, through: text.count, by: 7) {
      var part = String.UnicodeScalarView()
      part.append(contentsOf: text[..<count])
      session.open("hosts.yaml", String(part) + "‸")
      for method in ["hover", "completion", "definition", "references", "documentSymbol", "prepareRename"] {
        let answer = session.ask(method, "hosts.yaml")
        #expect((answer as? [String: Any])?["error"] == nil)
      }
    }
  }
}
