package import Diagnostics
package import PinFormat
package import PinPolicy
package import PinRotation

/// What the policy's files have to say for each release of a plan, as edits of what they say before it.
package struct RotationEdits {
  /// One edit and where it is made.
  package struct Edit: Equatable {
    package var edit: PolicyEdit
    package var file: FileID
    /// What is done, for people: `add 'new' to 'backup:' of key set 'web'`.
    package var text: String
    /// The place of the key set or key.
    package var place: Place
  }

  /// Keys that a release needs and the policy doesn't declare: only an earlier release has them.
  package struct Undeclared: Error {
    package var keys: [Manifest.Key]
  }

  private let policy: Policy
  private let target: String
  /// The lists of the sets and the keys' status, as the steps up to now have left them; by index in the policy.
  private var lists: [Int: [PolicyEdit.List: [String]]] = [:]
  private var statuses: [String: KeyStatus] = [:]
  private var isServed = false
  /// The sets that the rotation is about.
  private var rotated: Set<Int> = []

  /// Begins with the policy as it is.
  package init(_ policy: Policy, target: String) {
    self.policy = policy
    self.target = target
    for number in policy.keySets.indices {
      let set = policy.keySets[number]
      lists[number] = [.active: names(set.active), .backup: names(set.backup)]
    }
    for key in policy.keys { statuses[key.name.value] = key.status?.value }
  }

  private func names(_ members: [Policy.KeySet.Member]) -> [String] {
    members.map { policy.keys[$0.key].name.value }
  }

  /// What to write so that the policy has these key sets; what follows builds on it.
  ///
  /// - Parameters:
  ///   - contents: The key sets that a release will have.
  ///   - isServed: Whether servers present the target by then.
  /// - Returns: The edits, in the order in which they must be made.
  /// - Throws: ``Undeclared``, and then nothing has changed.
  package mutating func advance(to contents: [KeySetContent], isServed: Bool) throws(Undeclared) -> [Edit] {
    self.isServed = isServed
    let wanted = try contents.map { content throws(Undeclared) in
      (content.name, active: try names(content.active), backup: try names(content.backup))
    }
    var edits: [Edit] = []
    for (name, active, backup) in wanted {
      guard let number = policy.keySets.firstIndex(where: { $0.name == name }) else { continue }
      edits += changes(of: number, to: [.active: active, .backup: backup])
      lists[number] = [.active: active, .backup: backup]
      rotated.insert(number)
    }
    return edits + statusChanges(of: Set(edits.compactMap(\.edit.movedKey) + [target]))
  }

  /// The names that the policy has for keys.
  private func names(_ keys: [Manifest.Key]) throws(Undeclared) -> [String] {
    var names: [String] = []
    var missing: [Manifest.Key] = []
    for key in keys {
      let same = policy.keys.filter { $0.pin == key.pin && $0.manifestKeys.contains { $0.position == key.position } }
      guard let found = same.first(where: { $0.name.value == key.name }) ?? same.first else {
        missing.append(key)
        continue
      }
      // A key with 'position: ca' becomes two keys of the manifest.
      if !names.contains(found.name.value) { names.append(found.name.value) }
    }
    guard missing.isEmpty else { throw Undeclared(keys: missing) }
    return names
  }

  private func changes(of number: Int, to wanted: [PolicyEdit.List: [String]]) -> [Edit] {
    let keySet = policy.keySets[number]
    guard let (file, set) = policy.target(ofKeySet: number), let current = lists[number] else { return [] }
    let label = keySet.isInline ? "the keys of '\(keySet.name.dropFirst("host:".count))'" : "key set '\(keySet.name)'"
    func has(_ list: PolicyEdit.List, _ name: String) -> Bool { current[list]?.contains(name) ?? false }
    func wants(_ list: PolicyEdit.List, _ name: String) -> Bool { wanted[list]?.contains(name) ?? false }
    func edit(_ edit: PolicyEdit, _ text: String) -> Edit {
      Edit(edit: edit, file: file, text: text + " of \(label)", place: keySet.place)
    }
    var edits: [Edit] = []
    for list in [PolicyEdit.List.active, .backup] {
      for name in wanted[list] ?? [] where !has(list, name) {
        if has(list.other, name), !wants(list.other, name) {
          edits.append(
            edit(
              .move(key: name, from: list.other, of: set),
              "move '\(name)' from '\(list.other.rawValue):' to '\(list.rawValue):'"))
        } else {
          edits.append(edit(.add(key: name, to: list, of: set), "add '\(name)' to '\(list.rawValue):'"))
        }
      }
    }
    for list in [PolicyEdit.List.active, .backup] {
      for name in current[list] ?? [] where !wants(list, name) {
        let isMoved = wants(list.other, name) && !has(list.other, name)
        if isMoved { continue }
        edits.append(edit(.remove(key: name, from: list, of: set), "remove '\(name)' from '\(list.rawValue):'"))
      }
    }
    return edits
  }

  // MARK: Status

  /// The statuses that no longer say what the lists say: that of the target, and of others those that somebody wrote.
  private mutating func statusChanges(of names: Set<String>) -> [Edit] {
    var edits: [Edit] = []
    for key in policy.keys where names.contains(key.name.value) {
      let name = key.name.value
      guard name == target || statuses[name] != nil, let status = status(of: name), status != statuses[name] else {
        continue
      }
      statuses[name] = status
      edits.append(
        Edit(
          edit: .set(["status"], to: status.rawValue, ofKey: name), file: key.name.place.file,
          text: "set 'status: \(status.rawValue)' of key '\(name)'", place: key.name.place))
    }
    return edits
  }

  /// The status that the lists give a key; nil where they say nothing against the one it has.
  private func status(of name: String) -> KeyStatus? {
    let current = statuses[name]
    if name == target, isListed(name, .active) || isListed(name, .backup) {
      // A key that is active in another set is served already.
      guard !lists.contains(where: { !rotated.contains($0.key) && $0.value[.active]?.contains(name) == true }) else {
        return current.map { _ in .active }
      }
      return isServed ? .active : .published
    }
    if isListed(name, .active) { return .active }
    let wasListed = initially(name, .active) || initially(name, .backup)
    guard isListed(name, .backup) else { return wasListed ? .retired : nil }
    if initially(name, .active) { return .retiring }
    return current == nil || current == .planned || current == .retired ? .published : nil
  }

  private func isListed(_ name: String, _ list: PolicyEdit.List) -> Bool {
    lists.values.contains { $0[list]?.contains(name) ?? false }
  }

  private func initially(_ name: String, _ list: PolicyEdit.List) -> Bool {
    policy.keySets.contains { set in
      (list == .active ? set.active : set.backup).contains { policy.keys[$0.key].name.value == name }
    }
  }
}

extension PolicyEdit {
  /// The key that comes to a list, or leaves one.
  fileprivate var movedKey: String? {
    switch self {
    case .add(let key, _, _), .remove(let key, _, _), .move(let key, _, _): key
    case .addAnchor, .set, .unset: nil
    }
  }
}
