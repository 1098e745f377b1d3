import Diagnostics
import PinFormat
import PinPolicy
import PinRotation
import PolicySupport
import Testing

@testable import PinRules
@testable import PinStudies

/// Outages on a day on which nobody had announced them: a generic future has them nevertheless.
@Suite("Incidents that nobody announced, as futures")
struct FutureIncidentTests {
  struct Incident: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var day: String
    var key: String
    var position: String

    init(_ description: String, on day: String, _ key: String, _ position: String = "intermediate") {
      (testDescription, self.day, self.key, self.position) = (description, day, key, position)
    }
  }

  static let intermediates = [
    Incident("DigiCert replaces a bank's intermediate", on: "2020-09-29", "digicert/sha2-secure-server-ca"),
    Incident("Let's Encrypt moves from R3 to R10 and R11", on: "2024-03-01", "lets-encrypt/r3"),
  ]

  /// What is played for a host that pins one key.
  private static func futures(_ incident: Incident, _ choice: FutureChoice) throws -> [Future] {
    let now = try RotationScene.instant(incident.day)
    let parts = incident.key.split(separator: "/").map(String.init)
    let everything = AuthorityLibrary.embedded.all(at: try RotationScene.instant("2026-11-24"))
    let pin = try #require(everything[AuthorityKeyName(authority: parts[0], key: parts[1])]).pin
    let text = """
      version: 1
      manifest: { audience: test }
      keys:
        pinned: { pin: \(pin), position: \(incident.position) }
      \(RotationScene.key("z"))
      hosts:
        - { host: bank.example.com, keys: { active: [pinned], backup: [z] } }
      """
    let policy = try ExampleFiles.resolve(["policy.yaml": text])
    let outcome = CheckedPolicy.check(CheckInput(policy: policy, at: now))
    let checked = try #require(outcome.checked, "\(outcome.result.diagnostics.filter { $0.severity == .error })")
    var question = RotationQuestion(policy: checked, released: [], now: now)
    question.futures = choice
    return try RotationStudy(question, compiler: "pintle test").futures()
  }

  @Test("a pinned intermediate: the same root by another one", arguments: intermediates)
  func anotherIntermediate(_ incident: Incident) throws {
    let found = try Self.futures(incident, .all)
    let future = try #require(found.first { $0.kind == .intermediate }, "\(found)")
    #expect(future.name == "pinned" && future.instant == nil && future.servers == [0])
    #expect(try Self.futures(incident, .known).filter { $0.instant != nil && $0.kind == .successor } == [])
  }

  @Test("a pinned leaf key: the next certificate has a new one")
  func newLeafKey() throws {
    let incident = Incident("certbot renews", on: "2018-05-01", "lets-encrypt/x3", "leaf")
    #expect(try Self.futures(incident, .all).map(\.kind) == [.renewal])
    #expect(try Self.futures(incident, .known) == [])
  }
}
