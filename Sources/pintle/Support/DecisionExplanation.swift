import Diagnostics
import OpenSSLKit
import PinFormat
import PinValidator

/// A decision with the names that the manifest gives to its numbers, for people and for programs.
struct DecisionExplanation {
  private let decision: Decision
  private let manifest: LoadedManifest
  private let target: String
  private let instant: Instant

  init(_ decision: Decision, by manifest: LoadedManifest, for target: String, at instant: Instant) {
    self.decision = decision
    self.manifest = manifest
    self.target = target
    self.instant = instant
  }

  func text() -> String {
    let context = decision.verdict.context
    var table = Table()
    table.add(heading, VisibleText.of(target))
    table.add("because", VisibleText.of(manifest.reason(for: decision.verdict)))
    table.add("step", "\(context.step.rawValue) of 5: \(context.step.meaning)")
    table.add("entry", entry.map { VisibleText.of($0) } ?? "none")
    for match in matches {
      table.add(
        "key", "\(manifest.keyName(match.key) ?? "?") at certificate \(match.certificate), the \(match.position)")
    }
    for failure in decision.failures {
      let certificate = failure.certificate.map { " (certificate \($0))" } ?? ""
      table.add("trust", "\(failure.code): \(VisibleText.of(failure.message))\(certificate)")
    }
    for excused in decision.excused {
      table.add("excused", "\(excused.failure.code) until \(excused.exception.until): \(excused.exception.reason)")
    }
    table.add("events", context.events.isEmpty ? "none" : context.events.names.joined(separator: ", "))
    table.add("manifest", "\(manifest.audience) serial \(manifest.serial)")
    table.add("at", instant.description)
    return table.text() + chainText()
  }

  private func chainText() -> String {
    guard let chain = decision.chain else { return "" }
    var table = Table()
    for link in links(of: chain) {
      table.add("\(link.number)", link.position.rawValue, link.pin.description, VisibleText.of(link.subject))
    }
    return "validated chain\n" + table.text(indent: 2)
  }

  func json() -> String {
    let context = decision.verdict.context
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("target", target)
      writer.member("at", instant.description)
      writer.member("verdict", verdict)
      writer.member("reason", manifest.reason(for: decision.verdict))
      writer.member("step", context.step.rawValue)
      if let entry { writer.member("entry", entry) }
      writer.array("keys") { writer in
        for match in matches {
          writer.object { writer in
            writer.member("name", manifest.keyName(match.key) ?? "")
            writer.member("certificate", match.certificate)
            writer.member("position", match.position.rawValue)
          }
        }
      }
      writer.array("events") { writer in context.events.names.forEach { writer.member(nil, $0) } }
      writer.array("failures") { writer in
        for failure in decision.failures { Self.write(failure, to: &writer) }
      }
      writer.array("excused") { writer in
        for excused in decision.excused { Self.write(excused.failure, to: &writer) }
      }
      writer.array("chain") { writer in
        for link in decision.chain.map(links) ?? [] {
          writer.object { writer in
            writer.member("position", link.position.rawValue)
            writer.member("pin", link.pin.description)
            writer.member("subject", link.subject)
          }
        }
      }
      writer.object("manifest") { writer in
        writer.member("audience", manifest.audience)
        writer.member("serial", Int(manifest.serial))
      }
    }
    return writer.text + "\n"
  }

  private static func write(_ failure: TrustFailure, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("code", failure.code.description)
      writer.member("message", failure.message)
      if let certificate = failure.certificate { writer.member("certificate", certificate) }
    }
  }

  private var heading: String {
    switch decision.verdict {
    case .allow: "ALLOW"
    case .block: "BLOCK"
    case .notPinned: "NOT PINNED"
    }
  }

  private var verdict: String {
    switch decision.verdict {
    case .allow: "allow"
    case .block: "block"
    case .notPinned: "notPinned"
    }
  }

  private var entry: String? {
    guard let number = decision.verdict.context.entry, let label = manifest.entryLabel(number) else { return nil }
    return manifest.keySetName(ofEntry: number).map { "\(label), keys \($0)" } ?? label
  }

  private var matches: [PinMatch] {
    switch decision.verdict {
    case .allow(.matched(let match), _), .block(.deniedKey(let match), _): [match]
    case .allow(.matchedBoth(let leaf, let authority), _): [leaf, authority]
    case .allow(.mismatchReported(let mismatch), _), .block(.mismatch(let mismatch), _):
      switch mismatch {
      case .noKey: []
      case .leafMissing(let match), .authorityMissing(let match): [match]
      }
    default: []
    }
  }

  /// One certificate of the validated chain.
  private struct Link {
    var number: Int
    var position: ChainPosition
    var pin: Pin
    var subject: String
  }

  private func links(of chain: ValidatedChain) -> [Link] {
    zip(chain.certificates, chain.pins).enumerated().map { number, pair in
      let position: ChainPosition = number == 0 ? .leaf : number == chain.count - 1 ? .root : .intermediate
      let subject = (try? Certificate(der: pair.0))?.subject ?? ""
      return Link(number: number, position: position, pin: pair.1, subject: subject)
    }
  }
}

extension DecisionStep {
  /// What the step asks.
  fileprivate var meaning: String {
    switch self {
    case .entry: "which entry governs, and does it pin now"
    case .trust: "is the chain valid for the host"
    case .denial: "is a denied key in the validated chain"
    case .requirement: "does a key of the entry stand at its position"
    case .mismatch: "what does a mismatch mean here"
    }
  }
}
