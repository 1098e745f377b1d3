import Foundation
import PinFormat
import TestSupport

@testable import PinLanguageServer

/// A session with the server in this process: what a client sends and receives, as JSON.
final class Session {
  /// The policy of a session: `‸` in a text that is opened marks the place that requests ask about.
  static let manifest = """
    version: 1
    manifest:
      audience: production
    """
  static let keys = """
    version: 1
    owner: someone@example.com
    keys:
      root-a: { file: keys/amazon-root-ca-1.pem, position: root }
      root-b: { file: keys/gts-root-r4.pem, position: root, custody: "HSM *A*", status: active }
      spare: { pin: sha256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4=, created: 2026-01-01 }
    key-sets:
      web: # pintle:allow P320 until 2027-06-01: public CAs
        active: [root-a]
        backup: [root-b, spare]
    """
  static let hosts = """
    version: 1
    defaults: { mode: enforce, expires: 2027-06-01, on-expiry: report-only }
    hosts:
      - host: api.example.com
        include-subdomains: true
        keys: web
      - host: 10.0.0.5
        port: 8443
        keys:
          active: [root-a]
          backup: [spare]
    """

  static let now = Instant(secondsSinceEpoch: 1_795_219_200)  // 2026-11-21T00:00:00Z

  let directory: TemporaryDirectory
  let server: LanguageServer
  /// The cursor's position in the text that was opened last.
  private(set) var cursor = (line: 0, character: 0)
  private var requests = 0
  /// The findings of each file, as they were sent last.
  private(set) var findings: [String: [[String: Any]]] = [:]
  private(set) var messages: [[String: Any]] = []

  init(
    capabilities: [String: Any] = Session.capabilities, options: [String: Any] = [:], files: [String: String] = [:],
    isStarted: Bool = true, now: Instant = Session.now
  ) throws {
    directory = try TemporaryDirectory()
    let standard = ["manifest.yaml": Self.manifest, "keys.yaml": Self.keys, "hosts.yaml": Self.hosts]
    for (name, text) in standard.merging(files, uniquingKeysWith: { $1 }) {
      try directory.write(text, to: "policies/" + name)
    }
    let samples = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "policies/keys")
    for name in ["amazon-root-ca-1.pem", "gts-root-r4.pem"] {
      try directory.write(try readFile(samples.appending(path: name).path()), to: "policies/keys/" + name)
    }
    server = LanguageServer(ServerSettings(clock: { now }, version: "1.2.3"))
    guard isStarted else { return }
    _ = request("initialize", ["capabilities": capabilities, "initializationOptions": options, "rootUri": NSNull()])
    notify("initialized", [:])
  }

  static var capabilities: [String: Any] {
    [
      "textDocument": [
        "completion": ["completionItem": ["snippetSupport": true]],
        "publishDiagnostics": ["relatedInformation": true],
        "hover": ["contentFormat": ["markdown", "plaintext"]],
        "codeAction": ["codeActionLiteralSupport": ["codeActionKind": ["valueSet": ["quickfix"]]]],
      ]
    ]
  }

  func path(_ name: String) -> String { directory.path("policies/" + name) }

  func uri(_ name: String) -> String { "file://" + path(name) }

  // MARK: Talking

  func receive(_ message: [String: Any]) {
    guard let content = try? JSONSerialization.data(withJSONObject: message) else { return }
    receive(Array(content))
  }

  func receive(_ content: [UInt8]) {
    server.receive(content)
    collect()
  }

  /// Lets the server do all that it has to do.
  func settle() {
    while server.step() {}
    collect()
  }

  private func collect() {
    var frames = FrameReader()
    frames.append(server.takeOutput()[...])
    while let content = try? frames.next() {
      guard let message = try? JSONSerialization.jsonObject(with: Data(content)) as? [String: Any] else { continue }
      messages.append(message)
      if message["method"] as? String == "textDocument/publishDiagnostics",
        let told = message["params"] as? [String: Any], let uri = told["uri"] as? String
      {
        findings[uri] = told["diagnostics"] as? [[String: Any]]
      }
    }
  }

  func notify(_ method: String, _ parameters: [String: Any]) {
    receive(["jsonrpc": "2.0", "method": method, "params": parameters])
  }

  /// The answer to a request: its result, or its error under `error`.
  func request(_ method: String, _ parameters: [String: Any]) -> Any? {
    requests += 1
    receive(["jsonrpc": "2.0", "id": requests, "method": method, "params": parameters])
    settle()
    let answer = messages.last { $0["id"] as? Int == requests }
    return answer?["result"] ?? answer?["error"].map { ["error": $0] }
  }

  // MARK: Texts

  /// Opens a file with a text in which `‸` is the cursor.
  func open(_ name: String, _ marked: String) {
    let parts = marked.split(separator: "‸", maxSplits: 1, omittingEmptySubsequences: false)
    let before = parts[0].split(separator: "\n", omittingEmptySubsequences: false)
    cursor = (before.count - 1, before.last?.utf16.count ?? 0)
    notify(
      "textDocument/didOpen",
      [
        "textDocument": [
          "uri": uri(name), "languageId": "yaml", "version": 1, "text": parts.joined(),
        ]
      ])
    settle()
  }

  /// Asks about the cursor.
  func ask(_ method: String, _ name: String, _ more: [String: Any] = [:]) -> Any? {
    let place: [String: Any] = [
      "textDocument": ["uri": uri(name)], "position": ["line": cursor.line, "character": cursor.character],
    ]
    return request("textDocument/" + method, place.merging(more) { $1 })
  }

  /// The codes of a file's findings.
  func codes(_ name: String) -> [String] { (findings[uri(name)] ?? []).compactMap { $0["code"] as? String } }

  /// `path/in/policies:line:character` of each place, from 1.
  func places(_ answer: Any?) -> [String] {
    ((answer as? [[String: Any]]) ?? []).map { place in
      let uri = (place["uri"] as? String ?? "").replacing(self.uri(""), with: "")
      let start = (place["range"] as? [String: Any])?["start"] as? [String: Int] ?? [:]
      return "\(uri):\((start["line"] ?? -1) + 1):\((start["character"] ?? -1) + 1)"
    }
  }
}
