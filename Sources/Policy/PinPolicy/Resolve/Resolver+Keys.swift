import Diagnostics
import PinFormat

extension Resolver {
  /// All keys, sorted by name; of two with one name the first counts.
  mutating func keys() -> [Policy.Key] {
    var unique: [(file: Int, key: Int)] = []
    let count = parsed.files.reduce(0) { $0 + $1.keys.count }
    keyNumbers.reserveCapacity(count)
    unique.reserveCapacity(count)
    for file in parsed.files.indices {
      for index in parsed.files[file].keys.indices {
        let name = parsed.files[file].keys[index].name
        let number = keyNumbers.number(of: name.value, else: unique.count)
        if number < unique.count {
          let first = unique[number]
          add(
            .duplicateKey(name: name.value), at: name.place,
            related: parsed.files[first.file].keys[first.key].name.place)
        } else {
          unique.append((file, index))
        }
      }
    }
    let names = unique.map { parsed.files[$0.file].keys[$0.key].name.value }
    let order = names.indices.sorted { names[$0].precedes(names[$1]) }
    keyNames = order.map { names[$0] }
    keyIndexes = [Int](repeating: 0, count: order.count)
    for (index, number) in order.enumerated() { keyIndexes[number] = index }
    var resolved: [Policy.Key] = []
    resolved.reserveCapacity(order.count)
    for number in order {
      let keys = parsed.files[unique[number].file].keys
      resolved.append(resolve(keys.span[unique[number].key]))
    }
    return resolved
  }

  private mutating func resolve(_ parsed: borrowing ParsedKey) -> Policy.Key {
    switch parsed.source {
    case .pin(let pin): return Policy.Key(parsed, pin: pin.value, sourcePlace: pin.place)
    case .file(let path):
      let material = keyMaterial(path)
      var key = Policy.Key(parsed, pin: material?.pin, sourcePlace: path.place)
      key.material = material
      return key
    case nil: return Policy.Key(parsed, pin: nil, sourcePlace: parsed.name.place)
    }
  }

  /// The one key that a file holds.
  private mutating func keyMaterial(_ path: Located<String>) -> KeyMaterial? {
    guard let loaded = load(path) else { return nil }
    let materials = loaded.materials
    guard materials.count == 1 else {
      let reason = "it holds \(materials.count) certificates, but a key has one; put each into its own file"
      add(.badKeyFile(path: path.value, reason: reason), at: path.place)
      return nil
    }
    for certificate in loaded.certificates { keyCertificates[certificate.fingerprint] = certificate.der }
    var material = materials[0]
    // Two policy files may write the path of the same file differently.
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
    if loader.fingerprints.isEmpty { return keys }
    return keys.map { key in
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
    var resolved = Policy.KeySet(
      name: name, place: set.place, isInline: isInline, active: members(set.active, of: name),
      backup: members(set.backup, of: name))
    if let service = set.service { resolved.service = service }
    let (limit, count) = (FormatLimits.keysOfASet, resolved.active.count + resolved.backup.count)
    if count > limit {
      add(
        .wrongShape(
          field: "backup", expected: "a list that makes at most \(limit) keys with 'active'", found: "\(count)"),
        at: set.place)
    }
    return resolved
  }

  private mutating func members(_ names: [Located<String>], of set: String) -> [Policy.KeySet.Member] {
    var members: [Policy.KeySet.Member] = []
    members.reserveCapacity(names.count)
    // A long list uses a table; most lists have one or two keys.
    var first: [Int: Place] = [:]
    let isLong = names.count > 16
    for name in names {
      guard let key = keyNumbers[name.value].map({ keyIndexes[$0] }) else {
        addUndefined(
          .undefinedKey(name: name.value, known: keyNames), at: name.place, related: parsed.keysOfOthers[name.value])
        continue
      }
      if let first = isLong ? first[key] : members.first(where: { $0.key == key })?.place {
        add(.repeatedKey(name: name.value, keySet: set), at: name.place, related: first)
      } else {
        if isLong { first[key] = name.place }
        members.append(Policy.KeySet.Member(key: key, place: name.place))
      }
    }
    return members
  }

  /// Adds a problem about a name that nothing declares, unless the declaration may be in what could not be read.
  mutating func addUndefined(_ kind: PolicyProblem.Kind, at place: Place, related: Place?) {
    if isWhollyRead { add(kind, at: place, related: related) }
    isComplete = false
  }
}
