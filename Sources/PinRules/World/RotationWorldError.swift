import Diagnostics
package import PinFormat
package import PinPolicy
package import PinProbe

/// Why a question can't be put in the terms of the model.
package enum RotationWorldError: Error, Sendable {
  case lowering(LoweringError)
  case rehearsal(RehearsalError)
  case judging(JudgeError)
  /// A key that the policy doesn't have.
  case unknownKey(String, known: [String])
  /// A host that no entry pins.
  case unknownHost(String, known: [String])
  /// A key set that planned steps leave without keys, from when on, and the key whose end does so.
  case emptiedKeySet(String, key: String, instant: Instant)

  /// What is wrong.
  package var message: String {
    switch self {
    case .lowering(let error): error.message
    case .rehearsal(let error): error.message
    case .judging(let error): error.message
    case .unknownKey(let name, _): "the policy has no key '\(name)'"
    case .unknownHost(let name, _): "no entry pins '\(name)'"
    case .emptiedKeySet(let set, let key, let instant):
      "the key set '\(set)' has no key left from \(instant) on, when '\(key)' is to be retired; add the key that comes "
        + "in its place to the set, or take 'retired:' out of the steps"
    }
  }

  /// What to do about a name that anybody who asks has got wrong; nil where it isn't that.
  package var help: String? {
    switch self {
    case .unknownKey(let name, let known):
      Suggestion.help(name, among: known, else: "Name one of those under 'keys:'.")
    case .unknownHost(let name, let known):
      Suggestion.help(name, among: known, else: "Name a host that a release or the policy pins.")
    case .lowering, .rehearsal, .judging, .emptiedKeySet: nil
    }
  }
}
