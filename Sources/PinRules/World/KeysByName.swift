import Diagnostics
import PinFormat
import PinPolicy

/// The keys of a policy by their names, as questions name them.
struct KeysByName {
  private let keys: [Policy.Key]
  private let numbers: [String: Int]

  init(_ policy: Policy) {
    keys = policy.keys
    numbers = Dictionary(
      policy.keys.enumerated().map { ($0.element.name.value, $0.offset) }, uniquingKeysWith: { first, _ in first })
  }

  func has(_ name: String) -> Bool { numbers[name] != nil }

  /// A key and its pin.
  ///
  /// - Throws: ``RotationWorldError/unknownKey(_:known:)``.
  func key(_ name: String) throws(RotationWorldError) -> (key: Policy.Key, pin: Pin) {
    // A key without a pin is an error, so a checked policy has none.
    guard let number = numbers[name], let pin = keys[number].pin else {
      throw .unknownKey(name, known: keys.map(\.name.value))
    }
    return (keys[number], pin)
  }
}
