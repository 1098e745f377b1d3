import Diagnostics
import PinFormat
import PinPolicy
import PinRotation

extension RotationFacts {
  /// A finding about a group of lockouts, with its witness and where its keys are declared.
  func finding(_ group: LockoutGroup, _ message: String, help: String) -> Finding {
    let related = group.keys.prefix(3).compactMap { pin -> Diagnostic.Related? in
      guard let key = key(pin), key.name.place != group.place else { return nil }
      return Diagnostic.Related("'\(key.name.value)' is this key", at: key.name.place)
    }
    return Finding(at: group.place, message, related: related, help: help, witness: witness(group))
  }
}
