import CLibPintle
import PinFormat
import PinValidator

/// The answer for a caller: the content of a `pintle_decision`.
struct Answer {
  /// A key, and the certificate that holds it.
  struct Match {
    let key: String
    let certificate: Int
  }

  let disposition: pintle_disposition
  let verdict: Int
  let step: Int
  let events: DecisionEvents
  let reason: String
  let message: String
  let entry: String?
  let clock: String?
  let instant: Instant
  let serial: Int64
  let matches: [Match]
  let failures: [TrustFailure]
  let chain: [[UInt8]]
  let keys: DecisionKeys

  /// A decision that the store made.
  init(_ decision: Decision, at instant: Instant) {
    let manifest = decision.manifest
    disposition = decision.disposition.value
    verdict = decision.verdict.kind.value
    step = decision.verdict.context.step.rawValue
    events = decision.verdict.context.events
    reason = decision.verdict.reasonCode
    keys = decision.keys
    message = decision.explanation(naming: keys)
    entry = decision.verdict.context.entry.flatMap { manifest?.entryLabel($0) }
    clock = decision.verdict.clock.map { $0 == .entry ? "entry" : "manifest" }
    self.instant = instant
    serial = manifest?.serial ?? 0
    matches = decision.verdict.matches.map { match in
      Match(key: manifest?.keyName(match.key) ?? "", certificate: match.certificate)
    }
    failures = decision.failures
    chain = decision.chain?.certificates ?? []
  }

  /// The answer to a call that is wrong.
  init(_ error: CallerError) {
    disposition = PINTLE_CANCEL
    verdict = Int(PINTLE_BLOCK)
    step = Int(PINTLE_STEP_ENTRY)
    events = []
    reason = error.code
    message = "block: the question can't be answered: " + error.message
    entry = nil
    clock = nil
    instant = Instant(secondsSinceEpoch: 0)
    serial = 0
    matches = []
    failures = []
    chain = []
    keys = DecisionKeys()
  }
}

extension Verdict.Kind {
  /// Its value in the header.
  fileprivate var value: Int {
    switch self {
    case .block: Int(PINTLE_BLOCK)
    case .allow: Int(PINTLE_ALLOW)
    case .notPinned: Int(PINTLE_NOT_PINNED)
    }
  }
}
