import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

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

  /// What to do: first what is fastest and safe, then the lines of the policy for the keys that are missing.
  func help(_ beginning: String) -> String {
    if let interception { return interception }
    let parts = [present, beginning].compactMap(\.self).joined(separator: " ")
    let held = Set(facts.keySet(of: target)?.members.compactMap { facts.policy.keys[$0.key].pin } ?? [])
    let lines = candidates.filter { $0.record.pin.map { !held.contains($0) } ?? false }.prefix(4).compactMap {
      PolicyLine.text($0.record, isLeaf: $0.isLeaf, knownAs: facts.nameOfPin)
    }
    let warning = "Ask the server's operator before you pin a key: that a server presents it doesn't make it right."
    guard !lines.isEmpty else { return "\(parts) \(warning)" }
    let isAnyAuthority = failing[0].mismatch.kind == .noKey
    let wanted = lines.count == 1 ? "this key" : "one of these keys"
    let hint = lines.count > 1 && isAnyAuthority ? " (a CA's key outlives a renewal)" : ""
    let set = facts.keySet(of: target).map { " and list it in 'backup:' of \($0.title)" } ?? ""
    let folder = facts.policy.sources.folder
    let options = facts.input.releaseOptions.map(ShellWord.of).joined(separator: " ")
    let release =
      "keep the other keys, and release the policy ('pintle diff \(folder) \(options)', then "
      + "'pintle build \(folder) --unsigned -o NEXT.json \(options) --issued-at now', which people sign)"
    return "\(parts) If the server is right, declare \(wanted)\(hint) in 'keys:'\(set), \(release):\n"
      + lines.map { "  " + $0 }.joined(separator: "\n") + "\n" + warning
  }

  /// The keys that the server may change to at once, backups first, since clients have them.
  private var present: String? {
    guard let set = facts.keySet(of: target) else { return nil }
    func names(_ members: [Policy.KeySet.Member], _ note: (Policy.Key) -> String) -> [String] {
      members.map { facts.policy.keys[$0.key] }.filter { !$0.isDenied && isWanted($0) }.map {
        "'\($0.name.value)'" + note($0)
      }
    }
    let backups = names(set.backup) { key in
      let custody = key.custody.map { ", " + CertificateText.shown($0.value) } ?? ""
      return " (backup\(custody))"
    }
    let all = backups + names(set.active) { _ in "" }
    guard !all.isEmpty else { return nil }
    let shown = Array(all.prefix(3)) + (all.count > 3 ? ["\(all.count - 3) more"] : [])
    return "Fastest and safest: have the server present a chain with a pinned key, "
      + "\(shown.listed("or")). Clients that have these pins accept it at once, without a new manifest."
  }

  /// True where the key can be at the place that nothing matches at.
  private func isWanted(_ key: Policy.Key) -> Bool {
    switch failing[0].mismatch.kind {
    case .noKey: true
    case .leafMissing: key.standing == nil || key.standing == .leaf
    case .authorityMissing: key.standing != .leaf
    }
  }

  /// What to do where a product that inspects TLS seems to have answered: its keys are not to be pinned.
  private var interception: String? {
    failing.lazy.flatMap { $0.judged.path.chain.dropFirst() }.compactMap { facts.record($0)?.subject }
      .compactMap { Interception.advice(on: $0) }.first
  }
}
