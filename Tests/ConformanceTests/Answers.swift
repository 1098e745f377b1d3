import Foundation
import PinValidator

/// A decision as vectors write it.
func answer(of decision: Decision) -> [String: Any] {
  let context = decision.verdict.context
  var answer: [String: Any] = [
    "step": context.step.rawValue,
    "entry": context.entry.flatMap { decision.manifest?.entryLabel($0) } ?? NSNull(),
    "events": context.events.names,
    "disposition": String(describing: decision.disposition),
  ]
  switch decision.verdict {
  case .allow(let reason, _):
    answer["verdict"] = "allow"
    add(reason, to: &answer, decision)
  case .block(let reason, _):
    answer["verdict"] = "block"
    add(reason, to: &answer, decision)
  case .notPinned(let reason, _):
    answer["verdict"] = "notPinned"
    answer["reason"] = add(reason, to: &answer)
    if let failure = decision.failures.first { answer["failure"] = fields(failure) }
  }
  return answer
}

private func add(_ reason: AllowReason, to answer: inout [String: Any], _ decision: Decision) {
  switch reason {
  case .matched(let match):
    answer["reason"] = "matched"
    answer["match"] = fields(match, decision)
  case .matchedBoth(let leaf, let authority):
    answer["reason"] = "matched-both"
    answer["leaf"] = fields(leaf, decision)
    answer["authority"] = fields(authority, decision)
  case .mismatchReported(let mismatch):
    answer["reason"] = "mismatch-reported"
    add(mismatch, to: &answer, decision)
  }
}

private func add(_ reason: BlockReason, to answer: inout [String: Any], _ decision: Decision) {
  switch reason {
  case .noManifest: answer["reason"] = "no-manifest"
  case .invalidHost: answer["reason"] = "invalid-host"
  case .unpinnedHost(let inner):
    answer["reason"] = "unpinned-host"
    answer["notPinned"] = add(inner, to: &answer)
  case .expired(let clock):
    answer["reason"] = "expired"
    answer["clock"] = String(describing: clock)
  case .untrusted(let failure):
    answer["reason"] = "untrusted"
    answer["failure"] = fields(failure)
  case .deniedKey(let match):
    answer["reason"] = "denied-key"
    answer["match"] = fields(match, decision)
  case .mismatch(let mismatch):
    answer["reason"] = "mismatch"
    add(mismatch, to: &answer, decision)
  case .unreadableChain: answer["reason"] = "unreadable-chain"
  }
}

private func add(_ mismatch: Mismatch, to answer: inout [String: Any], _ decision: Decision) {
  switch mismatch {
  case .noKey: answer["mismatch"] = "no-key"
  case .leafMissing(let authority):
    answer["mismatch"] = "leaf-missing"
    answer["authority"] = fields(authority, decision)
  case .authorityMissing(let leaf):
    answer["mismatch"] = "authority-missing"
    answer["leaf"] = fields(leaf, decision)
  }
}

/// The name of a reason; a clock becomes a field of its own.
private func add(_ reason: NotPinnedReason, to answer: inout [String: Any]) -> String {
  switch reason {
  case .noManifest: return "no-manifest"
  case .noEntry: return "no-entry"
  case .off: return "off"
  case .expired(let clock):
    answer["clock"] = String(describing: clock)
    return "expired"
  }
}

private func fields(_ match: PinMatch, _ decision: Decision) -> [String: Any] {
  ["key": decision.manifest?.keyName(match.key) ?? NSNull(), "certificate": match.certificate]
}

private func fields(_ failure: TrustFailure) -> [String: Any] {
  ["code": failure.code.description, "certificate": failure.certificate ?? NSNull()]
}
