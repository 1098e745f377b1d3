import Diagnostics
import TestSupport
import Testing

/// One set-up of servers and policy, and exactly what `pintle probe` has to say of it.
struct Setup: Sendable, CustomTestStringConvertible {
  /// In kebab case; its host is `NAME.test`.
  let name: String
  /// What is particular about it, for people.
  let about: String
  let policy: SetupPolicy
  /// What judges the evidence, where it is another than what the servers were visited for.
  let judgedBy: SetupPolicy?
  /// How many days after the visit the evidence is judged.
  let daysLater: Int
  /// All findings of the family P5xx, in any order.
  let expected: [ExpectedFinding]
  /// Makes the certificates, and says what serves them.
  let serve: @Sendable (inout Scene) throws -> [Serving]

  init(
    _ name: String, _ about: String, policy: SetupPolicy = SetupPolicy(), judgedBy: SetupPolicy? = nil,
    daysLater: Int = 0, expects expected: [ExpectedFinding],
    serve: @escaping @Sendable (inout Scene) throws -> [Serving]
  ) {
    self.name = name
    self.about = about
    self.policy = policy
    self.judgedBy = judgedBy
    self.daysLater = daysLater
    self.expected = expected
    self.serve = serve
  }

  var host: String { "\(name).test" }

  var testDescription: String { "\(name): \(about)" }

  /// The exit status that follows from the findings: a server that doesn't satisfy the policy goes before one that
  /// could not be asked.
  var status: Int32 {
    let errors = expected.filter { $0.severity == .error }.map(\.code)
    if errors.contains(where: { $0 < "P530" }) { return 4 }
    return errors.isEmpty ? 0 : 5
  }
}

/// A finding that a set-up has to give.
struct ExpectedFinding: Sendable {
  let code: String
  let severity: Severity
  /// What its message, its help or its related places have to name.
  let words: [String]

  static func error(_ code: String, _ words: String...) -> ExpectedFinding {
    ExpectedFinding(code: code, severity: .error, words: words)
  }

  static func warning(_ code: String, _ words: String...) -> ExpectedFinding {
    ExpectedFinding(code: code, severity: .warning, words: words)
  }

  static func note(_ code: String, _ words: String...) -> ExpectedFinding {
    ExpectedFinding(code: code, severity: .note, words: words)
  }
}

/// What serves a host: one for each of its addresses.
enum Serving: Sendable {
  /// A site of the nginx that all set-ups share.
  case nginx([NginxServer.Site.Identity], address: String = "127.0.0.1", directives: [String] = [])
  /// A site of it on a port of its own, for what nginx settles before it knows the name.
  case nginxPort(UInt16, [NginxServer.Site.Identity], address: String = "127.0.0.1", directives: [String] = [])
  /// A site of another nginx, whose clock is three days ahead.
  case nginxAhead([NginxServer.Site.Identity])
  /// The shared nginx, which has no site for the host.
  case unknownToNginx
  /// Something that listens already, or that nobody listens on; the owner is kept until the end.
  case listening(address: String = "127.0.0.1", port: UInt16, owner: (any Sendable)?)

  static func server(_ server: TestServer) -> Serving { .listening(port: server.port, owner: server) }
}
