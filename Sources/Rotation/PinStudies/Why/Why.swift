import Diagnostics
import OpenSSLKit
package import PinFormat
import PinPolicy
import PinProbe
package import PinRules

/// Why clients fail, or not: the cause first, then what changed, attack or renewal, whom it affects, and what to do.
package struct Why {
  /// What kind of cause it is.
  package enum Cause: String, CaseIterable {
    /// A key that no pin allows.
    case mismatch
    case deniedKey = "denied-key"
    /// The chain isn't valid: pins aren't the cause.
    case untrusted
    case entryExpired = "entry-expired"
    case manifestExpired = "manifest-expired"
    /// The newest release blocks what an earlier one allows.
    case release
    /// The newest release allows it: clients with an earlier one fail.
    case olderReleases = "older-releases"
    /// The host isn't pinned and the manifest denies such hosts, or it isn't a valid host name.
    case host
    /// A client rejected a manifest or a keyset.
    case rejectedUpdate = "rejected-update"
    /// The server could not be asked; only the log says what happened.
    case unknown
    /// Nothing is blocked.
    case none
  }

  /// What the signs together say.
  package enum Assessment: String {
    case attack, renewal, unclear
  }

  /// One thing that speaks for an attack, for a renewal, or for neither.
  package struct Sign: Hashable {
    package var speaksFor: Assessment
    package var text: String
  }

  /// What clients with one release decide.
  package struct Affected {
    package var release: String
    package var serial: Int64?
    package var issued: Instant
    package var isBlocked: Bool
    /// Whether a pin matches: an allowed connection may also not be pinned, or only be reported.
    var isMatch: Bool
    /// Nil without an answer of the collector.
    package var decisions: Int64?
    package var reporters: [String]
  }

  /// Something to do.
  package struct Step {
    package var text: String
    package var commands: [String]

    init(_ text: String, _ commands: String...) {
      self.text = text
      self.commands = commands
    }
  }

  /// A certificate that is presented.
  package struct Link {
    package var pin: Pin?
    package var subject: String
    package var issuer: String
    package var notBefore: Instant?
    package var notAfter: Instant?
    /// The name that a release gives to its key.
    package var key: String?
  }

  package var target: String
  package var instant: Instant
  package var cause: Cause
  /// The first line, without its end.
  package var answer: String
  package var isBlocked: Bool
  /// When it began; nil where nobody knows.
  package var since: Instant?
  package var facts: [(String, String)] = []
  package var chain: [Link] = []
  package var changes: [String] = []
  package var signs: [Sign] = []
  /// Nil where the question doesn't arise.
  package var assessment: Assessment?
  /// Whether the server proved that it has the private key that it had before.
  package var hasSameKey = false
  package var affected: [Affected] = []
  /// What is missing for a better answer.
  package var notes: [String] = []
  package var steps: [Step] = []
  /// The chapter of docs/runbooks.md; nil where none is about it.
  package var runbook: String?

  /// Finds out.
  package init(_ question: WhyQuestion) {
    var inquiry = WhyInquiry(question)
    inquiry.run()
    self = inquiry.why
  }

  /// A client rejected a file: the code says why.
  package init(rejected event: LoggedEvent, code: ClientCode, at instant: Instant, commands: WhyCommands) {
    target = ""
    self.instant = instant
    cause = .rejectedUpdate
    answer = "clients reject an update: \(code.name)"
    since = event.first
    isBlocked = false
    facts = [("means", code.text), ("meanwhile", "what is in force stays in force")]
    if event.count > 1 { facts.append(("log", "\(event.count) lines say so")) }
    runbook = "a-bad-manifest-is-out"
    // What these say of the manifest is so for every client, unlike a lost file or an old one.
    if ["empty", "shrunk", "refuses-recent-chain"].contains(code.name) {
      steps = [
        Step("Publish the previous release again, so that clients that would take this one don't fetch it.")
      ]
    }
    steps += [
      Step(
        "See what a client would say to each released file:",
        "pintle verify \(ShellWord.of(commands.releases)) \(commands.trust)"),
      Step("The meaning of the code:", "pintle explain \(code.name)"),
    ]
  }

  init(target: String, at instant: Instant) {
    self.target = target
    self.instant = instant
    cause = .none
    answer = ""
    isBlocked = false
  }
}

extension Why.Link {
  init(_ der: [UInt8], named names: [Pin: String]) {
    guard let certificate = try? Certificate(der: der) else {
      self.init(pin: nil, subject: "not a certificate", issuer: "")
      return
    }
    let record = CertificateRecord(certificate)
    self.init(
      pin: record.pin, subject: record.subject, issuer: record.issuer, notBefore: record.notBefore,
      notAfter: record.notAfter, key: record.pin.flatMap { names[$0] })
  }
}
