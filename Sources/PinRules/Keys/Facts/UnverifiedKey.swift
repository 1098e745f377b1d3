import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinProbe

/// A key or certificate that some kinds of clients can't verify, by the table of kinds.
struct UnverifiedKey {
  /// Never empty.
  let kinds: [Policy.ClientKind]
  /// `ML-DSA-65`, or `signed with ML-DSA-87`.
  let what: String
}

extension Policy {
  /// Which clients can't verify a key, or the signature on its certificate; nil if all can, or nobody says what it is.
  func unverified(_ key: Key) -> UnverifiedKey? {
    unverified(key.algorithm, ofLeaf: key.standing == .leaf, key.standing == .root ? nil : key.material?.certificate)
  }

  /// The same of a certificate that `trust` names.
  func unverified(_ file: KeyMaterial, isAnchor: Bool) -> UnverifiedKey? {
    unverified(file.algorithm, ofLeaf: !(file.certificate?.isCA ?? true), isAnchor ? nil : file.certificate)
  }

  private func unverified(
    _ algorithm: KeyMaterial.Algorithm?, ofLeaf: Bool, _ certificate: KeyMaterial.Certificate?
  ) -> UnverifiedKey? {
    let kinds = verifiers
    if let algorithm {
      let without = kinds.filter { !($0.verified?.includes(algorithm, ofLeaf: ofLeaf) ?? true) }
      if !without.isEmpty { return UnverifiedKey(kinds: without, what: algorithm.title) }
    }
    // Nobody verifies a certificate by itself.
    guard let certificate, !certificate.isSelfIssued else { return nil }
    let without = kinds.filter { !($0.verified?.includes(certificate.signature.family) ?? true) }
    if without.isEmpty { return nil }
    return UnverifiedKey(kinds: without, what: "signed with \(certificate.signature.family.title)")
  }
}
