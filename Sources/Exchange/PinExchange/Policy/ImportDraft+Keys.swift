import Diagnostics
import PinFormat
import PinPolicy

extension ImportDraft {
  /// Keys with one pin become one key, and keys of the directory stand for those that are the same.
  mutating func mergeKeys() {
    struct Identity: Hashable {
      var pin: Pin
      var position: KeyPosition?
      var isDenied: Bool
    }
    var kept: [PinList.Key] = []
    var numbers: [Identity: Int] = [:]
    var renumbered: [Int] = []
    for key in list.keys {
      let identity = Identity(pin: key.pin, position: key.position, isDenied: key.denied != nil)
      if let number = numbers[identity] {
        renumbered.append(number)
        continue
      }
      numbers[identity] = kept.count
      renumbered.append(kept.count)
      kept.append(key)
    }
    var existing: [Identity: String] = [:]
    for key in settings.existing.keys {
      guard let pin = key.pin else { continue }
      existing[Identity(pin: pin, position: key.position, isDenied: key.isDenied)] = key.name
    }
    for number in kept.indices {
      let key = kept[number]
      let identity = Identity(pin: key.pin, position: key.position, isDenied: key.denied != nil)
      guard let name = existing[identity] else { continue }
      kept[number].name = name
      borrowedKeys.insert(name)
    }
    list.keys = kept
    for number in list.keySets.indices {
      list.keySets[number].active = list.keySets[number].active.map { renumbered[$0] }
      list.keySets[number].backup = list.keySets[number].backup.map { renumbered[$0] }
    }
  }

  /// Each key once in a set, no key that is denied, no placeholder beside a real one, and a backup where there can be.
  mutating func tidyKeySets() {
    let denied = Set(list.deniedKeys.map(\.pin))
    var hasGuessed = false
    // Sets with the same keys in another order are equal.
    var guesses: [Set<Int>: PinList.KeySet] = [:]
    let users = users()
    for number in list.keySets.indices {
      guard let hosts = users[number] else { continue }
      var set = list.keySets[number]
      var seen: Set<Int> = []
      set.active = set.active.filter { seen.insert($0).inserted }
      set.backup = set.backup.filter { seen.insert($0).inserted }
      let isUsable = { (key: Int) in !denied.contains(list.keys[key].pin) }
      if set.members.contains(where: isUsable) {
        // A denial blocks the key everywhere, so removing it from the set changes nothing.
        set.active = set.active.filter(isUsable)
        set.backup = set.backup.filter(isUsable)
      }
      leaveOutPlaceholders(&set, of: number)
      if set.active.isEmpty { (set.active, set.backup) = (set.backup, []) }
      if set.backup.isEmpty {
        let members = Set(set.active)
        if let guess = guesses[members] {
          (set.active, set.backup) = (guess.active, guess.backup)
        } else if Set(set.active.map { list.keys[$0].pin }).count > 1, let last = set.active.popLast() {
          set.backup = [last]
          guesses[members] = set
          hasGuessed = true
        } else {
          tellOfMissingBackup(number, hosts.map { list.hosts[$0] })
        }
      }
      list.keySets[number] = set
    }
    if hasGuessed {
      remarks.append(
        "The imported files don't say which key is the backup: the last one of each set is called that. Check it "
          + "against what the servers present ('pintle probe').")
    }
  }

  /// Nobody has a key for a placeholder: it matches nothing, and a set whose backup it is has none.
  private mutating func leaveOutPlaceholders(_ set: inout PinList.KeySet, of number: Int) {
    let bad = set.members.filter { BadPins.description(of: list.keys[$0].pin) != nil }
    guard !bad.isEmpty else { return }
    let isAll = bad.count == set.members.count
    let place = placeOfSet(number, keys: bad)
    for key in bad {
      let what = BadPins.description(of: list.keys[key].pin) ?? ""
      find(
        .placeholderPin, at: places.keys[list.keys[key].name] ?? place,
        "the pin of '\(list.keys[key].name)' "
          + (isAll ? "\(what); its hosts are never reached while it is their only pin" : "was left out: it \(what)"),
        help: "Compute the pin of your own key with 'pintle pin FILE', and put that into the policy.")
    }
    if isAll { return }
    let gone = Set(bad)
    set.active.removeAll(where: gone.contains)
    set.backup.removeAll(where: gone.contains)
  }

  private mutating func tellOfMissingBackup(_ number: Int, _ users: [PinList.Host]) {
    let hosts = users.filter { $0.mode != .off }
    guard let first = hosts.first, !hosts.contains(where: { hasTold(.noBackup, at: place(of: $0)) }) else { return }
    find(
      .noBackup, at: placeOfSet(number, keys: list.keySets[number].members, else: place(of: first)),
      "\(Self.names(hosts.map(\.label))) \(hosts.count == 1 ? "has" : "have") only one pin and no backup",
      help:
        "Make a second key, keep it elsewhere, and add it to 'backup:'; until then the policy suppresses the finding.")
  }

  private func placeOfSet(_ number: Int, keys: [Int], else other: Place? = nil) -> Place {
    list.keySets[number].name.flatMap { places.keySets[$0] } ?? other
      ?? keys.compactMap { places.keys[list.keys[$0].name] }.min() ?? .beginning(of: FileID(0))
  }

  /// Sets with the same keys become one; a set that no host uses goes.
  mutating func shareKeySets() {
    struct Members: Hashable {
      var active: Set<Int>
      var backup: Set<Int>
    }
    var kept: [PinList.KeySet] = []
    var numbers: [Members: Int] = [:]
    var renumbered: [Int: Int] = [:]
    for host in list.hosts {
      guard let number = host.keySet, renumbered[number] == nil else { continue }
      let set = list.keySets[number]
      let members = Members(active: Set(set.active), backup: Set(set.backup))
      if let known = numbers[members] {
        if kept[known].name == nil { (kept[known].name, kept[known].note) = (set.name, set.note) }
        renumbered[number] = known
        continue
      }
      numbers[members] = kept.count
      renumbered[number] = kept.count
      kept.append(set)
    }
    list.keySets = kept
    for number in list.hosts.indices {
      list.hosts[number].keySet = list.hosts[number].keySet.flatMap { renumbered[$0] }
    }
    let used = Set(kept.flatMap(\.members))
    var keys: [PinList.Key] = []
    var keyNumbers: [Int: Int] = [:]
    for number in list.keys.indices where used.contains(number) || list.keys[number].denied != nil {
      keyNumbers[number] = keys.count
      keys.append(list.keys[number])
    }
    list.keys = keys
    for number in list.keySets.indices {
      list.keySets[number].active = list.keySets[number].active.compactMap { keyNumbers[$0] }
      list.keySets[number].backup = list.keySets[number].backup.compactMap { keyNumbers[$0] }
    }
  }
}
