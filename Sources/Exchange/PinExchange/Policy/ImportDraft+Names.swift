import Diagnostics
import PinFormat

extension ImportDraft {
  /// Gives every key a name that the directory doesn't have, and every set that several hosts use.
  mutating func nameEverything() {
    var taken = TakenNames(Set(settings.existing.keys.map(\.name)))
    var renamed: [String: Place] = [:]
    for number in list.keys.indices {
      let old = list.keys[number].name
      if borrowedKeys.contains(old), taken.contains(old) { continue }
      let name = taken.take(PolicyName.of(old) ?? "key")
      if let place = places.keys[old] { renamed[name] = place }
      list.keys[number].name = name
    }
    places.keys = renamed
    nameKeySets()
  }

  private mutating func nameKeySets() {
    var taken = TakenNames(settings.existing.keySets)
    var places: [String: Place] = [:]
    let allUsers = users()
    for number in list.keySets.indices {
      let users = (allUsers[number] ?? []).map { list.hosts[$0] }
      let old = list.keySets[number].name
      // A set without a name that only one host uses is written inline.
      guard let wanted = old ?? (users.count > 1 ? users.map(\.host.text).min() : nil) else { continue }
      let name = taken.take(PolicyName.of(wanted) ?? "keys")
      if let old, let place = self.places.keySets[old] { places[name] = place }
      list.keySets[number].name = name
    }
    self.places.keySets = places
  }
}
