import PinFormat
import PinValidator

/// What the releases of a plan say: the policy as it is, with other keys in the goal's sets.
struct PlanContents {
  let goal: RotationGoal
  /// The policy as it is.
  let policy: Manifest
  /// The goal's key sets: as the newest release has them, as the policy has them, with all that clients may need until
  /// servers have changed, and in the end.
  var published: [KeySetContent] = []
  var current: [KeySetContent] = []
  var bridging: [KeySetContent] = []
  var final: [KeySetContent] = []
  /// The same keys as in the end, before servers present the target: in the lists that they are in until then.
  var early: [KeySetContent] = []
  /// Keys that would leave if others were left as backups.
  var kept: [Manifest.Key] = []
  /// Keys that the policy denies, the newest release doesn't, and servers present.
  var compromised: [Manifest.Key] = []
  /// The servers, by index, whose leaf keeps its key where a CA's changes.
  var keepsLeaf: Set<Int> = []

  /// Works out what to release for a goal.
  ///
  /// - Parameters:
  ///   - goal: The goal.
  ///   - policy: The policy as it is.
  ///   - newest: The newest release that is out; nil where none is.
  ///   - servers: The servers concerned, with what they present now and in the end.
  /// - Throws: `unknownKeySet`.
  init(
    _ goal: RotationGoal, policy: LoadedManifest, newest: LoadedManifest?,
    servers: [(server: Server, now: ServerPhase, end: ServerPhase)]
  ) throws(RotationPlanError) {
    self.goal = goal
    self.policy = policy.manifest
    let presented = servers.reduce(into: Set<Pin>()) { $0.formUnion($1.now.presentedPins) }
    let remaining = servers.reduce(into: Set<Pin>()) { $0.formUnion($1.end.presentedPins) }
    compromised = self.policy.keys.filter {
      $0.denied != nil && presented.contains($0.pin) && newest?.denial(of: $0.pin) == nil
    }
    for name in goal.keySets {
      guard let content = self.policy.content(ofKeySet: name) else { throw .unknownKeySet(name) }
      current.append(content)
      let users = servers.filter { policy.keySet(of: $0.server)?.name == name }.map(\.server)
      let before = Self.union(users.compactMap { newest?.keySet(of: $0) }, name: name)
      published.append(before)
      let bridge = bridge(content, before)
      bridging.append(bridge)
      let wantsPair = users.contains { policy.wantsPair(of: $0) }
      final.append(end(of: bridge, content, before, presented, remaining, wantsPair: wantsPair))
    }
    kept = kept.inOrder()
    early = zip(bridging, final).map { bridge, final in
      let active = final.keys.filter { key in bridge.active.contains { $0.isSame(as: key) } }
      let backup = final.keys.filter { key in !active.contains { $0.isSame(as: key) } }
      return active.isEmpty ? final : KeySetContent(name: final.name, active: active, backup: backup).inOrder()
    }
  }

  private static func union(_ contents: [KeySetContent], name: String) -> KeySetContent {
    let active = contents.flatMap(\.active).inOrder()
    let backup = contents.flatMap(\.backup).inOrder().filter { key in !active.contains { $0.isSame(as: key) } }
    return KeySetContent(name: name, active: active, backup: backup)
  }

  /// The policy's keys, those of the newest release, and the target: nothing that is accepted now is given up.
  private func bridge(_ current: KeySetContent, _ published: KeySetContent) -> KeySetContent {
    var bridge = KeySetContent(
      name: current.name, active: usable(current.active), backup: usable(current.backup))
    for key in usable(published.active) where !bridge.contains(key) { bridge.active.append(key) }
    for key in usable(published.backup) where !bridge.contains(key) { bridge.backup.append(key) }
    if !bridge.contains(goal.target) { bridge.backup.append(goal.target) }
    return bridge.inOrder()
  }

  /// Without the denied keys, except those whose denial has to wait.
  private func usable(_ keys: [Manifest.Key]) -> [Manifest.Key] {
    keys.filter { !isDenied($0.pin) || isCompromised($0.pin) }.map {
      var key = $0
      key.denied = nil
      return key
    }
  }

  private func isDenied(_ pin: Pin) -> Bool { policy.keys.contains { $0.pin == pin && $0.denied != nil } }

  func isCompromised(_ pin: Pin) -> Bool { compromised.contains { $0.pin == pin } }

  private mutating func end(
    of bridge: KeySetContent, _ current: KeySetContent, _ published: KeySetContent, _ presented: Set<Pin>,
    _ remaining: Set<Pin>, wantsPair: Bool
  ) -> KeySetContent {
    func isListed(_ key: Manifest.Key) -> Bool { (current.active + published.active).contains { $0.isSame(as: key) } }
    var leaving = bridge.keys.filter { key in
      if key.isSame(as: goal.target) { return false }
      if let leaving = goal.leaving { return leaving.contains(key.pin) }
      return !remaining.contains(key.pin) && (presented.contains(key.pin) || isListed(key) || !current.contains(key))
    }
    if goal.leaving == nil {
      let spares = bridge.keys.filter { key in
        !remaining.contains(key.pin) && !isCompromised(key.pin) && !leaving.contains { $0.isSame(as: key) }
      }
      let held = leaving.filter { key in
        !isCompromised(key.pin)
          && key.places(wantsPair).contains { place in
            !spares.contains { $0.places(wantsPair).contains(place) }
          }
      }
      leaving.removeAll { key in held.contains { $0.isSame(as: key) } }
      kept += held
    }
    leaving += bridge.keys.filter { isCompromised($0.pin) }
    let staying = bridge.keys.filter { key in
      !key.isSame(as: goal.target) && !leaving.contains { $0.isSame(as: key) }
    }
    var active = staying.filter { key in
      bridge.active.contains { $0.isSame(as: key) } && !kept.contains { $0.isSame(as: key) }
    }
    // Where one key is enough, what stays beside the target is its backup if there is no other.
    if !wantsPair, active.count == staying.count { active = [] }
    let backup = staying.filter { key in !active.contains { $0.isSame(as: key) } }
    var target = goal.target
    target.denied = nil
    return KeySetContent(name: bridge.name, active: active + [target], backup: backup).inOrder()
  }

  /// Backups that servers may take refuge in from a key that has to be denied at once.
  var refuges: [Manifest.Key] {
    guard !compromised.isEmpty else { return [] }
    return final.flatMap(\.keys).inOrder().filter { !$0.isSame(as: goal.target) }
  }

  /// Whether a release holds for a server just what the goal leaves.
  func isFinal(_ release: LoadedManifest?, _ policy: LoadedManifest, for server: Server) -> Bool {
    guard let name = policy.keySet(of: server)?.name, let end = final.first(where: { $0.name == name }) else {
      return true
    }
    return release?.keySet(of: server)?.accepts(asMuchAs: end) ?? false
  }

  /// The manifest of a release: the policy with other key sets.
  ///
  /// - Parameters:
  ///   - sets: The goal's key sets, as the release is to have them.
  ///   - postpones: Whether the denial of keys that servers still present has to wait.
  /// - Returns: The manifest, which doesn't go stale.
  func manifest(_ sets: [KeySetContent], postpones: Bool) -> Manifest {
    var manifest = policy
    if postpones {
      for number in manifest.keys.indices where isCompromised(manifest.keys[number].pin) {
        manifest.keys[number].denied = nil
      }
    }
    for content in sets {
      guard let place = manifest.keySets.firstIndex(where: { $0.name == content.name }) else { continue }
      manifest.keySets[place].active = content.active.map { manifest.name(for: $0) }.sorted(by: Self.precedes)
      manifest.keySets[place].backup = content.backup.map { manifest.name(for: $0) }.sorted(by: Self.precedes)
    }
    let used = manifest.keySets.reduce(into: Set<String>()) { $0.formUnion($1.active + $1.backup) }
    manifest.keys.removeAll { $0.denied == nil && !used.contains($0.name) }
    manifest.keys.sort { Self.precedes($0.name, $1.name) }
    // Assume that each release is renewed before it goes stale.
    manifest.expires = .latest
    return manifest
  }

  private static func precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }
}

extension KeySetContent {
  fileprivate func inOrder() -> KeySetContent {
    KeySetContent(name: name, active: active.inOrder(), backup: backup.inOrder())
  }
}

/// Where a key can be in for a lost one.
private enum SparePlace: Hashable {
  case anywhere
  case leaf
  case aboveLeaf
}

extension Manifest.Key {
  /// Where one key is enough, any spare is as good as another; of a pair, each half needs its own.
  fileprivate func places(_ ofPair: Bool) -> [SparePlace] {
    guard ofPair else { return [.anywhere] }
    switch position {
    case nil: return [.leaf, .aboveLeaf]
    case .leaf: return [.leaf]
    case .intermediate, .root: return [.aboveLeaf]
    }
  }
}

extension Manifest {
  /// A key set with its keys; nil where there is none of the name.
  fileprivate func content(ofKeySet name: String) -> KeySetContent? {
    guard let keySet = keySets.first(where: { $0.name == name }) else { return nil }
    func members(_ names: [String]) -> [Key] { names.compactMap { name in keys.first { $0.name == name } } }
    return KeySetContent(name: name, active: members(keySet.active), backup: members(keySet.backup))
  }

  /// The name under which the manifest has a key, which is added where it isn't there.
  ///
  /// An earlier release may have given the name to another key.
  fileprivate mutating func name(for key: Key) -> String {
    if let found = keys.first(where: { $0.isSame(as: key) }) { return found.name }
    var added = key
    while keys.contains(where: { $0.name == added.name }) { added.name += "-before" }
    keys.append(added)
    return added.name
  }
}
