import PinFormat
import PinPolicy
import PinRotation

/// What all rules about rotation stand on: worked out once for a check.
package struct RotationFacts: Sendable {
  let input: CheckInput
  let rotation: RotationInput

  init(_ input: CheckInput, _ rotation: RotationInput) {
    self.input = input
    self.rotation = rotation
  }
}
