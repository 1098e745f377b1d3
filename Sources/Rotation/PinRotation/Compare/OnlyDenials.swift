package import PinFormat

extension Manifest {
  /// Whether all that changes for clients is that keys are denied, which key sets then no longer have.
  ///
  /// Which of a set's keys are active is nothing to clients: a backup may become active in place of a denied key.
  package func onlyDenies(after before: Manifest) -> Bool {
    let denied = Dictionary(keys.filter { $0.denied != nil }.map { ($0.pin, $0) }) { first, _ in first }
    guard ManifestChanges(from: before, to: self).denials.contains(where: \.isDenied) else { return false }
    var expected = before
    let names = Set(before.keys.filter { denied[$0.pin] != nil }.map(\.name))
    expected.keys = before.keys.filter { denied[$0.pin] == nil } + denied.values
    expected.keys.sort { $0.name.precedes($1.name) }
    for number in expected.keySets.indices {
      expected.keySets[number].active.removeAll(where: names.contains)
      expected.keySets[number].backup.removeAll(where: names.contains)
    }
    return ManifestChanges(from: expected.withoutBackups, to: withoutBackups).isEmpty
  }

  /// The same with all keys of a set as active ones.
  private var withoutBackups: Manifest {
    var manifest = self
    for number in manifest.keySets.indices {
      manifest.keySets[number].active += manifest.keySets[number].backup
      manifest.keySets[number].backup = []
    }
    return manifest
  }
}
