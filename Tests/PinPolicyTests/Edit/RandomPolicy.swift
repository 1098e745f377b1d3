import Diagnostics
import PinPolicy
import TestSupport

/// A policy as lists of words, without any layout: what the property tests compare files with.
struct PlainPolicy: Equatable {
  struct Key: Equatable {
    var name: String
    var status: String?
    var steps: [String: String] = [:]
  }

  struct KeySet: Equatable {
    var target: PolicyEdit.KeySet
    /// By `active` and `backup`; nil where the set has no such field.
    var lists: [PolicyEdit.List: [String]]
  }

  var keys: [Key]
  var sets: [KeySet]
  /// The files of `anchors:`, by what has them.
  var anchors: [PolicyEdit.Owner: [String]] = [:]

  /// The same as a reader sees it, to whom a list that isn't there is an empty one.
  var read: PlainPolicy {
    var policy = self
    for index in sets.indices {
      for list in [PolicyEdit.List.active, .backup] { policy.sets[index].lists[list, default: []] += [] }
    }
    return policy
  }

  /// What a file says.
  init(_ file: ParsedFile) {
    keys = file.keys.map { key in
      let dated = key.notes?.steps.dated ?? []
      return Key(
        name: key.name.value, status: key.notes?.status?.value.rawValue,
        steps: Dictionary(uniqueKeysWithValues: dated.map { ($0.status.rawValue, "\($0.instant.value)") }))
    }
    sets = file.keySets.map { Self.set(.named($0.name?.value ?? ""), $0) }
    anchors[.defaults(audience: nil)] = file.defaults.trust?.anchors?.map(\.value)
    for (number, host) in file.hosts.enumerated() {
      anchors[.host(number)] = host.terms.trust?.anchors?.map(\.value)
      if case .inline(let set)? = host.keys { sets.append(Self.set(.inline(.host(number)), set)) }
    }
  }

  private static func set(_ target: PolicyEdit.KeySet, _ set: ParsedKeySet) -> KeySet {
    KeySet(target: target, lists: [.active: set.active.map(\.value), .backup: set.backup.map(\.value)])
  }

  /// Any policy: a few keys, sets that use them, and hosts with sets of their own.
  init(_ random: inout SeededGenerator) {
    let names = ["old", "new", "spare", "isrg-root-x1", "2026", "a.b_c", "key-7", "x"].shuffled(using: &random)
    let states = ["planned", "published", "active", "retiring", "retired"]
    keys = names.prefix(2 + random.below(5)).map { name in
      var key = Key(name: name)
      if random.once(in: 2) { key.status = random.pick(states) }
      for step in states.dropFirst() where random.once(in: 4) { key.steps[step] = Self.date(&random) }
      return key
    }
    let all = keys.map(\.name)
    let targets = [PolicyEdit.KeySet.named("web"), .named("app"), .inline(.host(0)), .inline(.host(2))]
    sets = targets.prefix(1 + random.below(4)).map { target in
      var lists: [PolicyEdit.List: [String]] = [:]
      for list in [PolicyEdit.List.active, .backup] where !random.once(in: 5) {
        lists[list] = Array(all.shuffled(using: &random).prefix(random.below(4)))
      }
      return KeySet(target: target, lists: lists)
    }
    let owners = [PolicyEdit.Owner.defaults(audience: nil), .host(0), .host(1), .host(2)]
    for owner in owners where random.once(in: 3) {
      anchors[owner] = Array(Self.files.shuffled(using: &random).prefix(1 + random.below(3)))
    }
  }

  private static let files = ["keys/old.pem", "../new root.pem", "2026.pem", "keys/[a], b #1.pem", "keys/ä: x.pem"]

  static func date(_ random: inout SeededGenerator) -> String {
    "20\(26 + random.below(4))-0\(1 + random.below(9))-15T00:00:00Z"
  }

  /// An edit that makes sense, and what the policy says after it; each key of a set and each field is edited once.
  mutating func edit(_ random: inout SeededGenerator, besides done: inout Set<String>) -> PolicyEdit? {
    if random.once(in: 6), let edit = addAnchor(&random) { return edit }
    return random.once(in: 3) ? editKey(&random, &done) : editSet(&random, &done)
  }

  private mutating func addAnchor(_ random: inout SeededGenerator) -> PolicyEdit? {
    let (owner, path) = (PolicyEdit.Owner.host(random.below(3)), random.pick(Self.files))
    let asked = random.once(in: 3) ? .defaults(audience: nil) : owner
    guard anchors[asked]?.contains(path) == false else { return nil }
    anchors[asked]?.append(path)
    return .addAnchor(path: path, to: asked)
  }

  private mutating func editSet(_ random: inout SeededGenerator, _ done: inout Set<String>) -> PolicyEdit? {
    let number = random.below(sets.count)
    let list = random.pick([PolicyEdit.List.active, .backup])
    let key = random.pick(keys).name
    guard done.insert("set \(number) \(key)").inserted else { return nil }
    let target = sets[number].target
    guard sets[number].lists[list]?.contains(key) == true else {
      sets[number].lists[list, default: []].append(key)
      return .add(key: key, to: list, of: target)
    }
    sets[number].lists[list]?.removeAll { $0 == key }
    guard random.once(in: 2), sets[number].lists[list.other]?.contains(key) != true else {
      return .remove(key: key, from: list, of: target)
    }
    sets[number].lists[list.other, default: []].append(key)
    return .move(key: key, from: list, of: target)
  }

  private mutating func editKey(_ random: inout SeededGenerator, _ done: inout Set<String>) -> PolicyEdit? {
    let number = random.below(keys.count)
    let name = keys[number].name
    if random.once(in: 2) {
      let step = random.pick(["published", "active", "retiring", "retired"])
      guard done.insert("key \(name) \(step)").inserted else { return nil }
      if keys[number].steps[step] != nil, random.once(in: 2) {
        keys[number].steps[step] = nil
        return .unset(["steps", step], ofKey: name)
      }
      let date = Self.date(&random)
      keys[number].steps[step] = date
      return .set(["steps", step], to: date, ofKey: name)
    }
    guard done.insert("key \(name)").inserted else { return nil }
    if keys[number].status != nil, random.once(in: 2) {
      keys[number].status = nil
      return .unset(["status"], ofKey: name)
    }
    keys[number].status = random.pick(["published", "active", "retiring"])
    return .set(["status"], to: keys[number].status ?? "", ofKey: name)
  }
}
