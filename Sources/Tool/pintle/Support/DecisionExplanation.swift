import Diagnostics
import OpenSSLKit
import PinFormat
import PinProbe
import PinRules
import PinStudies
import PinValidator

/// A decision with the names that the manifest gives to its numbers, for people and for programs.
struct DecisionExplanation {
  let decision: Decision
  let manifest: LoadedManifest
  /// The host and port that the decision is about.
  let target: String
  let host: String
  /// Whose chain it is.
  let peer: PeerHandshake.Peer
  /// What was served, DER, the leaf first.
  let served: [[UInt8]]
  let instant: Instant
  /// How to release the same policy again.
  let release: String
  /// Why the chain isn't accepted; nil where trust evaluation found nothing wrong.
  let cause: TrustCause?
  /// The governing entry, and the keys of its set.
  private let entry: Manifest.HostEntry?
  private let wanted: [Manifest.Key]

  init(
    decision: Decision, by validator: Validator, target: Target, handshake: PeerHandshake, instant: Instant,
    release: String
  ) {
    let manifest = validator.manifest
    self.decision = decision
    self.manifest = manifest
    cause = TrustCause(of: decision, on: handshake, by: validator, at: instant)
    self.target = target.label
    host = target.host
    peer = handshake.peer
    served = handshake.certificates
    self.instant = instant
    self.release = release
    // Read once: each access builds it again, and it may be large.
    let content = manifest.manifest
    let entry = decision.verdict.context.entry.map { content.hosts[$0] }
    let set = content.keySets.first { $0.name == entry?.keySet }
    let names = Set(set.map { $0.active + $0.backup } ?? [])
    self.entry = entry
    wanted = content.keys.filter { names.contains($0.name) }
  }

  func text() -> String {
    let context = decision.verdict.context
    var table = Table()
    table.add(heading, VisibleText.of(peer == .client ? "a client of \(target)" : target))
    table.add("because", VisibleText.of(reason))
    table.add("step", "\(context.step.rawValue) of 5: \(context.step.meaning)")
    table.add("entry", entry.map(text) ?? "none")
    for match in decision.verdict.matches {
      table.add(
        "key", "\(manifest.keyName(match.key) ?? "?") at certificate \(match.certificate), the \(match.position)")
    }
    for (number, failure) in decision.failures.enumerated() where cause?.isMisordered != true {
      // Above, the reason already says what is wrong with the first.
      let text = number == 0 && saysCause ? "\(failure.rule); \(action(on: failure))" : failure.explanation
      table.add("trust", "\(failure.code): \(VisibleText.of(text))")
    }
    for excused in decision.excused {
      table.add("excused", "\(excused.failure.code) until \(excused.exception.until): \(excused.exception.reason)")
    }
    table.add("events", context.events.isEmpty ? "none" : context.events.names.joined(separator: ", "))
    table.add("manifest", "\(VisibleText.of(manifest.audience)) serial \(manifest.serial)")
    table.add("at", instant.description)
    return table.text() + wantedText() + chainText() + (help.map { "help: \(VisibleText.of($0))\n" } ?? "")
  }

  /// Whether the reason of the verdict is the cause.
  private var saysCause: Bool {
    if case .block(.untrusted, _) = decision.verdict { cause != nil } else { false }
  }

  /// Who has to do what about a failure.
  private func action(on failure: TrustFailure) -> String {
    // The issuer may be new, or somebody else's.
    if peer == .server, failure.code == .unknownIssuer {
      return "the server operator has to say whether this certificate is theirs"
    }
    let isOfClient = peer == .client && failure.actor == .serverOperator
    return (isOfClient ? "who runs the client" : "the \(failure.actor.rawValue)") + " has to act"
  }

  private var reason: String {
    let reason = manifest.reason(for: decision.verdict)
    switch decision.verdict {
    case .block(.mismatch(.noKey), let context), .allow(.mismatchReported(.noKey), let context):
      let misplaced = context.entry.flatMap { manifest.misplacedKey(ofEntry: $0, in: links.map(\.pin)) }
      return reason + (misplaced.map { ": " + $0 } ?? "")
    case .block(.untrusted, _):
      return cause.map { "the \(peer == .client ? "client" : "server") \($0.clause)" } ?? reason
    default: return reason
    }
  }

  /// Where nothing matched, what would have.
  private func wantedText() -> String {
    guard case .mismatch = decision.verdict.context.step else { return "" }
    var table = Table()
    for key in wanted {
      let role = backups.contains(key.name) ? "backup" : "active"
      table.add(key.name, role, key.pin.description, key.position.map { "at the \($0.rawValue)" } ?? "anywhere")
    }
    let count = entry?.requirement == .leafAndCA ? "one key at the leaf and one above it" : "one key"
    return "the entry requires \(count) of\n" + table.text(indent: 2)
  }

  private var backups: [String] { manifest.manifest.keySets.first { $0.name == entry?.keySet }?.backup ?? [] }

  /// What is fastest and safe where the chain is blocked; nil where it isn't.
  private var help: String? {
    switch decision.verdict {
    case .block(.mismatch, _), .allow(.mismatchReported, _): present("a chain with")
    case .block(.deniedKey, _): present("a chain without the denied key, and with")
    case .block(.expired(.manifest), _), .notPinned(.expired(.manifest), _): release
    case .block(.expired(.entry), _):
      Cause.entryExpired.remedy + ", and release it: pintle build … --issued-at now."
    case .block(.untrusted, _) where cause?.isMisordered == true: cause?.reorder
    case .block(.untrusted(let failure), _) where peer == .client:
      switch failure.code {
      case .wrongUsage:
        "A client's certificate needs clientAuth in its Extended Key Usage. Public CAs stop issuing these: use a private CA, and name it in the entry's 'trust: anchors'."
      case .missingIntermediate, .unknownIssuer:
        "Have the client present its whole chain: its own certificate, then each intermediate. It must lead to one of the entry's 'trust: anchors'."
      default:
        "Have the client present a certificate issued by one of the entry's 'trust: anchors', or correct the anchors."
      }
    case .notPinned where decision.disposition == .cancel:
      "Write an entry named '\(host)' in the policy, with the clients' keys and their CA as 'trust: anchors'."
    case .block(.untrusted(let failure), _) where failure.code == .unknownIssuer:
      "If the server's operator didn't order this certificate, change nothing in the policy: it may be an attack. Run "
        + "'pintle probe --host \(target)' to see what clients reject, and where."
    case .block(.untrusted, _): "Run 'pintle probe --host \(target)' to see what to change, and where."
    default: nil
    }
  }

  /// Backups first: they are kept for this.
  private func present(_ chain: String) -> String? {
    let names = (wanted.filter { backups.contains($0.name) } + wanted.filter { !backups.contains($0.name) }).map {
      key in
      "'\(key.name)'" + (backups.contains(key.name) ? " (backup)" : "")
    }
    guard let last = names.prefix(3).last else { return nil }
    let more = names.count > 3 ? " or \(names.count - 3) more" : ""
    let others = names.prefix(3).dropLast()
    let list = others.isEmpty ? last : others.joined(separator: ", ") + (more.isEmpty ? " or " : ", ") + last
    return
      "Fastest and safest: have the \(peer == .client ? "client" : "server") present \(chain) a key that clients already accept: \(list)\(more)."
  }

  private func chainText() -> String {
    var table = Table()
    for link in links {
      table.add(
        "\(link.number)", link.position?.rawValue ?? "", link.pin?.description ?? "", VisibleText.of(link.subject))
    }
    guard decision.chain == nil else { return "validated chain\n" + table.text(indent: 2) }
    return decision.failures.isEmpty ? "" : "served chain, not validated\n" + table.text(indent: 2)
  }

  func json() -> String {
    let context = decision.verdict.context
    return Facts.text("decide") { writer in
      writer.member("target", target)
      writer.member("at", instant)
      writer.member("verdict", decision.verdict.kind)
      writer.member("reason", reason)
      writer.member("step", context.step.rawValue)
      if let entry {
        writer.object("entry") { writer in
          writer.member("host", entry.label)
          writer.member("includeSubdomains", entry.includeSubdomains)
          writer.member("mode", entry.mode)
          writer.member("keySet", entry.keySet)
          writer.member("require", entry.requirement)
        }
      }
      writer.objects("keys", decision.verdict.matches) { match, writer in
        writer.member("name", manifest.keyName(match.key) ?? "")
        writer.member("certificate", match.certificate)
        writer.member("position", match.position)
      }
      writer.array("events", context.events.names)
      writer.objects("failures", decision.failures) { Self.add($0, to: &$1) }
      writer.objects("excused", decision.excused) { excused, writer in
        Self.add(excused.failure, to: &writer)
        writer.member("until", excused.exception.until)
        writer.member("reason", excused.exception.reason)
      }
      if case .mismatch = context.step { addWanted(to: &writer) }
      writer.member("chain", decision.chain == nil ? "served" : "validated")
      writer.objects("certificates", links) { link, writer in
        writer.member("position", link.position)
        writer.member("pin", link.pin)
        writer.member("subject", link.subject)
      }
      writer.object("manifest") { writer in
        writer.member("audience", manifest.audience)
        writer.member("serial", manifest.serial)
      }
      writer.member("help", help)
    }
  }

  /// Where nothing matched, what would have.
  private func addWanted(to writer: inout JSONWriter) {
    writer.objects("wanted", wanted) { key, writer in
      writer.member("name", key.name)
      writer.member("role", backups.contains(key.name) ? "backup" : "active")
      writer.member("pin", key.pin)
      writer.member("position", key.position)
    }
  }

  private static func add(_ failure: TrustFailure, to writer: inout JSONWriter) {
    writer.member("code", failure.code.description)
    writer.member("message", failure.message)
    writer.member("rule", failure.rule)
    writer.member("certificate", failure.certificate)
    writer.member("subject", failure.subject)
    writer.member("actor", failure.actor)
  }

  private var heading: String {
    switch decision.verdict {
    case .allow: "ALLOW"
    case .block: "BLOCK"
    case .notPinned: decision.disposition == .cancel ? "REFUSED" : "NOT PINNED"
    }
  }

  private func text(_ entry: Manifest.HostEntry) -> String {
    let scope = entry.includeSubdomains ? " and names below" : ""
    let keys = entry.keySet.map { ", keys " + $0 } ?? ""
    let end = entry.expires.flatMap { $0 <= instant ? ", expired at \($0)" : nil } ?? ""
    return VisibleText.of("\(entry.label)\(scope), \(entry.mode.rawValue)\(keys)\(end)")
  }

  /// One certificate of the validated chain, or of the served one where there is no other.
  private struct Link {
    var number: Int
    /// Nil in a served chain, where nobody knows yet what is where.
    var position: ChainPosition?
    var pin: Pin?
    var subject: String
  }

  private var links: [Link] {
    let certificates = decision.chain?.certificates ?? served
    return certificates.enumerated().map { number, der in
      var position: ChainPosition?
      if let chain = decision.chain {
        position = number == 0 ? .leaf : number == chain.count - 1 ? .root : .intermediate
      }
      let certificate = try? Certificate(der: der)
      let digest = try? certificate?.publicKeyDigest()
      return Link(
        number: number, position: position, pin: digest.map { Pin(SHA256Digest($0)) },
        subject: certificate?.subject ?? "not a certificate")
    }
  }
}
