import Diagnostics
import PinFormat
import PinPolicy

extension Resolver {
  /// All keys, sorted by name; of two with one name the first counts.
  mutating func keys() -> [Policy.Key] {
    var first: [String: Place] = [:]
    var unique: [ParsedKey] = []
    for key in parsed.files.flatMap(\.keys) {
      if let place = first[key.name.value] {
        add(.duplicateKey(name: key.name.value), at: key.name.place, related: place)
      } else {
        first[key.name.value] = key.name.place
        unique.append(key)
      }
    }
    unique.sort { $0.name.value.utf8.lexicographicallyPrecedes($1.name.value.utf8) }
    keyNames = unique.map(\.name.value)
    keyIndexes = Dictionary(uniqueKeysWithValues: keyNames.enumerated().map { ($1, $0) })
    return unique.map { resolve($0) }
  }

  private mutating func resolve(_ parsed: ParsedKey) -> Policy.Key {
    var key = Policy.Key(name: parsed.name, pin: nil, sourcePlace: parsed.name.place, material: nil)
    switch parsed.source {
    case .pin(let pin):
      key.pin = pin.value
      key.sourcePlace = pin.place
    case .file(let path):
      key.material = keyMaterial(path)
      key.pin = key.material?.pin
      key.sourcePlace = path.place
    case nil: break
    }
    key.position = parsed.position
    key.denied = parsed.denied
    key.custody = parsed.custody
    key.created = parsed.created
    key.status = parsed.status
    key.steps = parsed.steps
    key.reason = parsed.reason
    return key
  }

  /// The one key that a file holds.
  private mutating func keyMaterial(_ path: Located<String>) -> KeyMaterial? {
    guard let materials = load(path)?.materials else { return nil }
    guard materials.count == 1 else {
      let reason = "it holds \(materials.count) certificates where a key takes one; give each a file of its own"
      add(.badKeyFile(path: path.value, reason: reason), at: path.place)
      return nil
    }
    var material = materials[0]
    // Two policy files may write the path of one file differently.
    material.path = path.value
    return material
  }

  /// Says the right pin where a whole certificate's fingerprint was written for one, or a pin's digest in hexadecimal.
  mutating func explainFingerprints() {
    for index in problems.indices {
      guard case .certificateFingerprint(let text, nil, nil) = problems[index].kind,
        let bytes = FingerprintText.bytes(text)
      else { continue }
      if let known = loader.fingerprints[bytes] {
        problems[index].kind = .certificateFingerprint(text: text, pin: known.pin.description, file: known.path)
      } else if let known = loader.keys[bytes] {
        problems[index].kind = .hexadecimalPin(text: text, pin: known.pin.description, file: known.path)
      }
    }
  }

  /// Takes away pins that have the right form but are the fingerprint of a certificate at hand.
  mutating func withoutFingerprints(_ keys: [Policy.Key]) -> [Policy.Key] {
    keys.map { key in
      guard key.material == nil, let pin = key.pin, let known = loader.fingerprints[pin.digest.bytes] else {
        return key
      }
      add(
        .certificateFingerprint(text: pin.description, pin: known.pin.description, file: known.path),
        at: key.sourcePlace)
      var mended = key
      mended.pin = nil
      return mended
    }
  }

  /// The declared key sets, by name; of two with one name the first counts.
  mutating func keySets() -> [String: Policy.KeySet] {
    var sets: [String: Policy.KeySet] = [:]
    for set in parsed.files.flatMap(\.keySets) {
      guard let name = set.name?.value else { continue }
      if let first = sets[name] {
        add(.duplicateKeySet(name: name), at: set.place, related: first.place)
      } else {
        sets[name] = resolve(set, name: name, isInline: false)
      }
    }
    return sets
  }

  mutating func resolve(_ set: ParsedKeySet, name: String, isInline: Bool) -> Policy.KeySet {
    Policy.KeySet(
      name: name, place: set.place, isInline: isInline, active: members(set.active, of: name),
      backup: members(set.backup, of: name))
  }

  private mutating func members(_ names: [Located<String>], of set: String) -> [Policy.KeySet.Member] {
    var members: [Policy.KeySet.Member] = []
    var first: [Int: Place] = [:]
    for name in names {
      guard let key = keyIndexes[name.value] else {
        addUndefined(.undefinedKey(name: name.value, known: keyNames), at: name.place)
        continue
      }
      if let first = first[key] {
        add(.repeatedKey(name: name.value, keySet: set), at: name.place, related: first)
      } else {
        first[key] = name.place
        members.append(Policy.KeySet.Member(key: key, place: name.place))
      }
    }
    return members
  }

  /// Adds a problem about a name that nothing declares, unless the declaration may be in what could not be read.
  mutating func addUndefined(_ kind: PolicyProblem.Kind, at place: Place) {
    if isWhollyRead { add(kind, at: place) }
    isComplete = false
  }
}
