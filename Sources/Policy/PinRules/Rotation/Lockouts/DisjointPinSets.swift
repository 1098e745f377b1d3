import Diagnostics
import PinFormat
import PinPolicy
import PinRotation

extension Rule {
  /// A key set without a key of the one before it.
  static let disjointPinSets = Rule(
    code: "P602",
    name: "disjoint-pin-sets",
    severity: .error,
    title: "A host's old and new pins have no key in common.",
    rationale: """
      Some clients still run the manifest before and others already this one. A server presents one chain to all of
      them: with no key in common, whatever single key it presents is blocked by some of them, and no date for the
      change of the server is right. If evidence shows a chain that holds a key of each, such as a leaf of the
      old set below a root of the new one, nobody is locked out by that chain, and the finding is a warning.
      """,
    failing: .rotation(
      RotationLines.api("api-2027", backup: "spare"),
      after: .rotation(
        6, on: "2026-05-01", RotationLines.api("api-2025", backup: "root"))),
    passing: .rotation(
      RotationLines.api("api-2027", backup: "api-2025, spare"),
      after: .rotation(6, on: "2026-05-01", RotationLines.api("api-2025", backup: "api-2027, spare"))),
    citation: "docs/rotation.md#safe-and-resilient; RFC 7469 section 4.3",
    check: .rotation { _, facts in facts.lockedOutBySets + facts.merelyDisjoint })
}

extension RotationFacts {
  /// Sets without a common key that keep clients out.
  fileprivate var lockedOutBySets: [Finding] {
    groups(.disjoint).map { group in
      finding(
        group,
        "\(setTitle(group) ?? group.first.release.name) shares no key with what clients have for \(servers(group)): "
          + "\(dropped(group)) \(presentation(group, still: true)), and \(clients(group)) are locked out",
        help: keepHelp(group))
    }
  }

  /// Sets without a common key that happen to keep nobody out, as far as is known what servers present.
  fileprivate var merelyDisjoint: [Finding] {
    let told = Set(groups(.disjoint).flatMap(\.servers).compactMap { entry(of: $0.part)?.label })
    var old = PinsBefore(rotation.newest)
    var phrases = HostPhrases()
    for field in fieldChanges where field.isOfKeys && field.entry.mode.value == .enforce {
      guard !told.contains(field.entry.label), let set = field.entry.keySet.map({ policy.keySets[$0.value] }),
        let entry = before.governing(field.change.host, port: field.change.port), entry.mode == .enforce,
        old[entry].isDisjoint(with: set.members.compactMap { policy.keys[$0.key].pin })
      else { continue }
      phrases.add(field, set.title, at: set.place)
    }
    return phrases.groups.map { group in
      Finding(
        at: group.place,
        "\(group.phrase) shares no key with what clients have for \(group.hosts): only a chain with a key of each is "
          + "accepted by all of them",
        help: "Release a set that holds old and new keys first, and drop the old ones a window of "
          + "\(Wording.duration(scenario.window)) later.",
        severity: .warning, witness: refusal(group.first))
    }
  }

  /// A client of the newest release that is shown a key of the new set.
  private func refusal(_ field: FieldChange) -> Witness? {
    let newest = scenario.releases.lastIndex { $0.origin == .released }
    let members = field.entry.keySet.map { policy.keySets[$0.value].members } ?? []
    for key in members.map({ policy.keys[$0.key] }) {
      guard let pin = key.pin else { continue }
      let shown = chain(of: key, pin)
      return witness(
        ofRelease: newest, host: field.change.host, port: field.change.port, at: scenario.now, shown: shown, .blocked)
    }
    return nil
  }
}

/// The pins of a released manifest's entries; many share a key set.
private struct PinsBefore {
  private let pins: [String: Pin]
  private let sets: [String: Manifest.KeySet]
  private var known: [String: Set<Pin>] = [:]

  init(_ manifest: Manifest) {
    pins = Dictionary(manifest.keys.map { ($0.name, $0.pin) }) { first, _ in first }
    sets = Dictionary(manifest.keySets.map { ($0.name, $0) }) { first, _ in first }
  }

  subscript(entry: Manifest.HostEntry) -> Set<Pin> {
    mutating get {
      guard let name = entry.keySet, let set = sets[name] else { return [] }
      if let found = known[name] { return found }
      let found = Set((set.active + set.backup).compactMap { pins[$0] })
      known[name] = found
      return found
    }
  }
}

extension FieldChange {
  fileprivate var isOfKeys: Bool { if case .keys = field { true } else { false } }
}
