package import Diagnostics
import PinFormat
import PinPolicy
import PinValidator

/// Which parts of a policy decided an answer of a test that is about the policy itself.
package struct TestCoverage {
  /// A part that a test may touch.
  package enum Kind: String, CaseIterable {
    /// A host entry, which governs the host that is asked about.
    case entry
    /// An active key, which matches.
    case key
    /// A backup, which matches.
    case backup
    /// A denied key, which blocks.
    case denial
  }

  package struct Part {
    package var kind: Kind
    /// Of several audiences, the one whose part it is.
    package var audience: String?
    package var name: String
    package var place: Place
    package var isTouched = false
  }

  /// By kind, then in order of place.
  package private(set) var parts: [Part] = []
  private var numbers: [Identity: Int] = [:]
  private var policies: [String?: PolicyParts] = [:]

  private struct Identity: Hashable {
    var kind: Kind
    var audience: String?
    var place: Place
  }

  /// A policy's entries by their labels, and its keys by their names in manifests.
  private struct PolicyParts {
    var policy: Policy
    var entries: [String: Int]
    var keys: [String: Int]
  }

  init(_ policies: [Policy]) {
    var found: [Identity: Part] = [:]
    for policy in policies {
      let audience = Self.name(of: policy)
      func add(_ kind: Kind, _ name: Located<String>) {
        found[Identity(kind: kind, audience: audience, place: name.place)] = Part(
          kind: kind, audience: audience, name: name.value, place: name.place)
      }
      for entry in policy.hosts {
        add(.entry, Located(entry.label, at: entry.written.place))
        guard let set = entry.keySet.map({ policy.keySets[$0.value] }) else { continue }
        for member in set.active { add(.key, policy.keys[member.key].name) }
        for member in set.backup { add(.backup, policy.keys[member.key].name) }
      }
      for key in policy.keys where key.isDenied { add(.denial, key.name) }
      let names = policy.keys.enumerated().flatMap { number, key in key.manifestKeys.map { ($0.name, number) } }
      self.policies[audience] = PolicyParts(
        policy: policy,
        entries: Dictionary(policy.hosts.enumerated().map { ($1.label, $0) }) { first, _ in first },
        keys: Dictionary(names) { first, _ in first })
    }
    let order = Dictionary(uniqueKeysWithValues: Kind.allCases.enumerated().map { ($1, $0) })
    parts = found.values.sorted {
      (order[$0.kind] ?? 0, $0.place, $0.audience ?? "") < (order[$1.kind] ?? 0, $1.place, $1.audience ?? "")
    }
    for (number, part) in parts.enumerated() {
      numbers[Identity(kind: part.kind, audience: part.audience, place: part.place)] = number
    }
  }

  private static func name(of policy: Policy) -> String? {
    policy.audiences.isEmpty ? nil : policy.settings?.audience?.value
  }

  /// Takes note of what decided an answer.
  mutating func note(_ answer: TestAnswer) {
    guard answer.release == nil, let known = policies[answer.audience] else { return }
    func touch(_ kind: Kind, _ place: Place) {
      let part = Identity(kind: kind, audience: answer.audience, place: place)
      if let number = numbers[part] { parts[number].isTouched = true }
    }
    let entry = answer.entry.flatMap { known.entries[$0] }.map { known.policy.hosts[$0] }
    if let entry { touch(.entry, entry.written.place) }
    let set = entry?.keySet.map { known.policy.keySets[$0.value] }
    for name in answer.keys {
      guard let number = known.keys[name] else { continue }
      let place = known.policy.keys[number].name.place
      switch answer.verdict.context.step {
      case .denial: touch(.denial, place)
      case .requirement:
        let isActive = set?.active.contains { $0.key == number } ?? false
        touch(isActive ? .key : .backup, place)
      case .entry, .trust, .mismatch: break
      }
    }
  }

  package var untouched: [Part] { parts.filter { !$0.isTouched } }
  /// From 0 to 100, rounded down.
  package var percent: Int { parts.isEmpty ? 100 : (parts.count - untouched.count) * 100 / parts.count }

  /// `entries 2 of 3, keys 1 of 2`.
  package var summary: String {
    let plurals = [Kind.entry: "entries", .key: "keys", .backup: "backups", .denial: "denials"]
    let counts = Kind.allCases.compactMap { kind -> String? in
      let all = parts.filter { $0.kind == kind }
      return all.isEmpty ? nil : "\(plurals[kind] ?? "") \(all.count(where: \.isTouched)) of \(all.count)"
    }
    return counts.joined(separator: ", ") + ": \(percent)%"
  }
}
