import Foundation
import Testing

@testable import PinLanguageServer

@Suite struct SessionTests {
  @Test func nothingIsAnsweredBeforeTheBeginningAndAfterTheEnd() throws {
    let session = try Session(isStarted: false)
    #expect(code(session.request("textDocument/hover", [:])) == -32_002)
    #expect(session.request("initialize", ["capabilities": [:]]) != nil)
    #expect(code(session.request("initialize", ["capabilities": [:]])) == -32_600)
    #expect(code(session.request("textDocument/inlineValue", [:])) == -32_601)
    #expect(code(session.request("textDocument/hover", ["position": 1])) == -32_602)
    #expect(session.request("shutdown", [:]) is NSNull)
    #expect(code(session.request("textDocument/hover", [:])) == -32_600)
    session.notify("exit", [:])
    session.settle()
    #expect(session.server.status == 0)
  }

  @Test func anExitWithoutAShutdownFails() throws {
    let session = try Session()
    session.notify("exit", [:])
    session.settle()
    #expect(session.server.status == 1)
  }

  static let nonsense: [(String, Int)] = [
    ("{", -32_700), ("", -32_700), ("[[[", -32_700), ("[]", -32_600), ("17", -32_600), ("{}", -32_600),
    ("{\"method\": 5, \"id\": 1}", -32_600), (String(repeating: "[", count: 100_000), -32_700),
  ]

  @Test(arguments: nonsense)
  func whatIsNoMessageIsRefusedAndTheSessionGoesOn(text: String, code: Int) throws {
    let session = try Session()
    session.receive(Array(text.utf8))
    let error = session.messages.last?["error"] as? [String: Any]
    #expect(error?["code"] as? Int == code)
    session.open("hosts.yaml", Session.hosts)
    #expect(session.findings[session.uri("hosts.yaml")] != nil)
  }

  @Test func arequestThatWaitsCanBeCancelled() throws {
    let session = try Session()
    session.receive(["jsonrpc": "2.0", "id": "a", "method": "textDocument/hover", "params": [:]])
    session.receive(["jsonrpc": "2.0", "id": "b", "method": "shutdown"])
    session.notify("$/cancelRequest", ["id": "a"])
    session.settle()
    let answers = session.messages.filter { $0["id"] as? String == "a" }
    #expect(answers.count == 1)
    #expect((answers[0]["error"] as? [String: Any])?["code"] as? Int == -32_800)
    #expect(session.messages.contains { $0["id"] as? String == "b" && $0["result"] is NSNull })
  }

  static let encodings: [([String], String)] = [
    ([], "utf-16"), (["utf-8", "utf-16"], "utf-8"), (["utf-32", "utf-16"], "utf-32"), (["utf-7"], "utf-16"),
  ]

  @Test(arguments: encodings)
  func theClientsFirstEncodingIsTaken(offered: [String], expected: String) throws {
    let session = try Session(isStarted: false)
    let answer = session.request(
      "initialize", ["capabilities": offered.isEmpty ? [:] : ["general": ["positionEncodings": offered]]])
    let capabilities = (answer as? [String: Any])?["capabilities"] as? [String: Any]
    #expect(capabilities?["positionEncoding"] as? String == expected)
  }

  private func code(_ answer: Any?) -> Int? {
    ((answer as? [String: Any])?["error"] as? [String: Any])?["code"] as? Int
  }
}
