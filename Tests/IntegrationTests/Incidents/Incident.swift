import Foundation
import TestSupport

/// One of the incidents of docs/rotation.md: the folder that Scripts/make/incident-fixtures made, and the day on which
/// somebody looks.
struct Incident {
  /// The folder's name in Tests/Fixtures/incidents.
  let name: String
  /// What `--at` says.
  let day: String
  /// The releases that clients have.
  var released = "released"

  /// What a command said, and with which status it ended.
  struct Answer<Document: Decodable & Sendable>: Sendable {
    let status: Int32
    let document: Document
  }

  private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures/incidents")

  static func folder(_ name: String) -> String { fixtures.appending(path: name).path() }

  /// Compares one of the incident's policies with what clients have, given what its servers presented.
  ///
  /// With one or two hosts, what changes is always much of all.
  func diff(_ policy: String, _ options: String...) throws -> Answer<DiffDocument> {
    try answer(["diff", policy, "--evidence", "evidence.json", "--allow-mass-change"] + baseline + options)
  }

  /// The first line that people read of such a comparison.
  func headline(_ policy: String) throws -> String {
    let result = try pintle(["diff", policy, "--evidence", "evidence.json", "--allow-mass-change"] + baseline)
    return String(result.stdoutText.prefix { $0 != "\n" })
  }

  /// The text of a simulation of one of the incident's policies.
  func simulated(_ policy: String) throws -> String {
    try pintle(["simulate", policy, "--evidence", "evidence.json"] + baseline).stdoutText
  }

  /// Plays one of the incident's policies forward.
  func simulate(_ policy: String, _ options: [String]) throws -> Answer<SimulationDocument> {
    try answer(["simulate", policy, "--evidence", "evidence.json"] + baseline + options)
  }

  /// Plans a rotation of the API's keys; the status, and the whole output.
  func rotate(
    _ policy: String, to key: String, _ options: [String] = []
  ) throws -> (status: Int32, message: String) {
    let result = try pintle(
      ["rotate", "api.example.com", "--to", key, policy, "--evidence", "evidence.json"] + baseline + options)
    return (result.status, result.stdoutText + result.stderrText)
  }

  private var baseline: [String] { ["--against", released, "--key", "release.key.pub", "--at", day] }

  private func answer<Document>(_ arguments: [String]) throws -> Answer<Document> {
    let result = try pintle(arguments + ["--format", "json"])
    do {
      return Answer(
        status: result.status, document: try JSONDecoder().decode(Document.self, from: Data(result.stdout)))
    } catch {
      throw RunError.failed(
        command: arguments.joined(separator: " "), status: result.status, stderr: result.stderrText + result.stdoutText)
    }
  }

  private func pintle(_ arguments: [String]) throws -> RunResult {
    try run(
      toolPath, arguments, environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"],
      directory: Self.fixtures.appending(path: name).path())
  }
}

/// The case that proves a finding, as far as the incidents compare it.
struct WitnessDocument: Decodable, Hashable, Sendable {
  struct Link: Decodable, Hashable, Sendable {
    var position: String
    var pin: String?
    var name: String?
  }

  var client: String
  var serial: Int?
  var released: String
  var kind: String?
  var host: String
  var instant: String
  var until: String?
  var chain: [Link]
  var reason: String
}

/// What `pintle diff --format json` says, as far as the incidents compare it.
struct DiffDocument: Decodable, Sendable {
  struct Finding: Decodable, Sendable {
    var code: String
    var severity: String
    var message: String
    var witness: WitnessDocument?
  }

  var verdict: String
  var findings: [Finding]
}

/// What `pintle simulate --format json` says, as far as the incidents compare it.
struct SimulationDocument: Decodable, Sendable {
  struct First: Decodable, Sendable {
    var witness: WitnessDocument
  }

  var verdict: String
  /// The first lockout; nil where there is none.
  var first: First?
}
