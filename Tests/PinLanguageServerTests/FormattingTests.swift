import Foundation
import PinPolicy
import Testing

@testable import PinLanguageServer

@Suite struct FormattingTests {
  static let texts: [(text: String, range: [Int], newText: String)] = [
    (
      "version: 1\nhosts:\n  -   host:   'a.example'\n      keys: web\n", [2, 0, 4, 0],
      "  - host: a.example\n    keys: web\n"
    ),
    ("version: 1\nhosts:\n  - host:   'a.example'\n    keys: web\n", [2, 0, 3, 0], "  - host: a.example\n"),
    (
      "version: 1\nhosts:\n  - keys: web # 💚\n    host: a.example", [2, 0, 3, 19],
      "  - host: a.example\n    keys: web # 💚\n"
    ),
    ("version: 1\r\nowner: a\r\n", [0, 0, 2, 0], "version: 1\nowner: a\n"),
    ("version: 1\n\n\n\nowner: a\n", [2, 0, 4, 0], ""),
    ("version: 1\nowner: a", [1, 0, 1, 8], "owner: a\n"),
  ]

  @Test(arguments: texts)
  func onlyTheLinesThatDifferAreWrittenAnew(text: String, range: [Int], newText: String) throws {
    let session = try Session()
    session.open("hosts.yaml", text)
    let edits = try Self.edits(session.ask("formatting", "hosts.yaml"))
    let edit = try #require(edits.first)
    #expect(edits.count == 1)
    #expect(
      [edit.range.start.line, edit.range.start.character, edit.range.end.line, edit.range.end.character] == range)
    #expect(edit.newText == newText)
    var document = OpenDocument(uri: "", path: "", version: 1, text: text)
    document.change([DidChangeParameters.Change(range: edit.range, text: edit.newText)], version: 2, .utf16)
    #expect(document.text.bytes == (try PolicyFormat.format(Array(text.utf8))))
    session.open("hosts.yaml", String(decoding: document.text.bytes, as: UTF8.self))
    #expect(try Self.edits(session.ask("formatting", "hosts.yaml")).isEmpty)
  }

  @Test func aTextThatIsNoYAMLStaysAsItIs() throws {
    let session = try Session()
    session.open("hosts.yaml", "version: 1\nhosts: [\n")
    let refused = session.ask("formatting", "hosts.yaml") as? [String: Any]
    let message = (refused?["error"] as? [String: Any])?["message"] as? String
    #expect(message == "the file isn't valid YAML; fix it first")
  }

  @Test func aFileOfNoPolicyIsLeftAlone() throws {
    let session = try Session()
    session.notify(
      "textDocument/didOpen",
      ["textDocument": ["uri": "file:///nowhere/x.yaml", "version": 1, "text": "a:    1\n"]])
    let answer = session.request("textDocument/formatting", ["textDocument": ["uri": "file:///nowhere/x.yaml"]])
    #expect(try Self.edits(answer).isEmpty)
  }

  private static func edits(_ answer: Any?) throws -> [TextEdit] {
    let data = try JSONSerialization.data(withJSONObject: try #require(answer))
    return try JSONDecoder().decode([TextEdit].self, from: data)
  }
}
