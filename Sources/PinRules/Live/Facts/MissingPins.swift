import Diagnostics
import PinEvidence
import PinFormat
import PinPolicy

extension PinMismatchGroup {
  /// The certificates whose keys would make the failing chains match, those of CAs before the servers' own: a leaf
  /// renewed for a new key keeps matching its CA's.
  private var candidates: [(record: CertificateRecord, isLeaf: Bool)] {
    var authorities: [CertificateRecord] = []
    var leaves: [CertificateRecord] = []
    var seen: Set<Pin> = []
    let wants = failing[0].mismatch.kind
    for (judged, _) in failing {
      for (place, fingerprint) in judged.path.chain.enumerated() {
        guard let record = facts.record(fingerprint), let pin = record.pin, seen.insert(pin).inserted else { continue }
        if place == 0 { leaves.append(record) } else { authorities.append(record) }
      }
    }
    return (wants == .leafMissing ? [] : authorities.map { ($0, false) })
      + (wants == .authorityMissing ? [] : leaves.map { ($0, true) })
  }

  /// What to do, with the lines of the policy for the keys that are missing.
  func help(_ beginning: String) -> String {
    let held = Set(facts.keySet(of: target)?.members.compactMap { facts.policy.keys[$0.key].pin } ?? [])
    let lines = candidates.filter { $0.record.pin.map { !held.contains($0) } ?? false }.prefix(4).compactMap {
      PolicyLine.text($0.record, isLeaf: $0.isLeaf, knownAs: facts.nameOfPin)
    }
    let warning = "A key isn't right because a server presents it: ask the server's operator before you pin it."
    guard !lines.isEmpty else { return "\(beginning) \(warning)" }
    let isAnyAuthority = failing[0].mismatch.kind == .noKey
    let wanted =
      lines.count == 1
      ? "the policy lacks this key"
      : "the policy lacks at least one of these keys" + (isAnyAuthority ? ", of which a CA's outlives a renewal" : "")
    return "\(beginning) If the server is right, \(wanted):\n" + lines.map { "  " + $0 }.joined(separator: "\n") + "\n"
      + warning
  }
}
