import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

/// What all rules about live servers stand on: worked out once for a check.
package struct LiveFacts: Sendable {
  let input: CheckInput
  let live: LiveInput
  /// The targets that somebody stands for: an entry of the policy, or a place of their own.
  let targets: [LiveTarget]
  /// The targets of each entry, by its index in ``Policy/hosts``: indices in ``targets``.
  let targetsOfEntry: [Int: [Int]]
  /// The authorities that the evidence or the policy has a certificate of, by name in RFC 4514 text: whether one of them
  /// is self-signed.
  let isRoot: [String: Bool]
  /// What the policy calls each pin; of several keys the first by name.
  let nameOfPin: [Pin: String]
  /// True where as many targets answered as the caller asks for.
  let hasEnoughAnswers: Bool

  package init(_ input: CheckInput, _ live: LiveInput) {
    self.input = input
    self.live = live
    targets = live.assessment.targets.compactMap { LiveTarget($0, input, live) }
    var targetsOfEntry: [Int: [Int]] = [:]
    for (index, target) in targets.enumerated() {
      if let entry = target.entry { targetsOfEntry[entry, default: []].append(index) }
    }
    self.targetsOfEntry = targetsOfEntry
    let observed = live.assessment.certificates.values.lazy.filter(\.isCA).map { ($0.subject, $0.isSelfSigned) }
    let written = input.policy.keys.lazy.compactMap { key -> (String, Bool)? in
      guard let material = key.material, let subject = material.subject, let certificate = material.certificate,
        certificate.isCA
      else { return nil }
      return (subject, certificate.isSelfIssued)
    }
    isRoot = Dictionary(Array(observed) + Array(written), uniquingKeysWith: { $0 || $1 })
    nameOfPin = Dictionary(
      input.policy.keys.lazy.compactMap { key in key.pin.map { ($0, key.name.value) } },
      uniquingKeysWith: { first, _ in first })
    let all = live.assessment.targets
    hasEnoughAnswers = live.minimumSuccess.isMet(by: all.count(where: \.hasAnswered), of: all.count)
  }

  var assessment: Assessment { live.assessment }
  var policy: Policy { input.policy }

  /// The entry that governs a target; nil where only the command line names it.
  func entry(of target: LiveTarget) -> Policy.HostEntry? { target.entry.map { policy.hosts[$0] } }

  /// The key set of the target's entry.
  func keySet(of target: LiveTarget) -> Policy.KeySet? {
    entry(of: target)?.keySet.map { policy.keySets[$0.value] }
  }

  /// Where the target's entry names its key set.
  func keysPlace(of target: LiveTarget) -> Place? { entry(of: target)?.keySet?.place }

  /// The keys by name.
  func key(named name: String) -> Policy.Key? {
    // Keys are sorted by name; duplicate names are reported as an error.
    let number = policy.keys.partitioningIndex { $0.name.value >= name }
    if number < policy.keys.count, policy.keys[number].name.value == name { return policy.keys[number] }
    return policy.keys.first { $0.name.value == name || $0.manifestKeys.contains { $0.name == name } }
  }
}
