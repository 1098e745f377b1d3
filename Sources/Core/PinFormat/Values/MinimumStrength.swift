/// The weakest keys that trust evaluation takes: a policy may ask for more, never for less.
///
/// Here rather than in the validator, so that the rules warn of exactly what the validator refuses.
package enum MinimumStrength {
  /// The least RSA modulus, in bits.
  package static let rsaBits = 2_048
  /// The least elliptic-curve field size, in bits.
  package static let ecBits = 256
}
