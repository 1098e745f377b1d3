import Diagnostics
package import OpenSSLKit
package import PinFormat
package import PinPolicy
package import PinProbe

/// What is known of keys by their pins, and which clients can't verify them: the one answer for rules and commands.
///
/// The same key may be a pin under one name, a file under another one, an anchor, and what a server showed.
package struct KnownKeys: Sendable {
  private let limits: ClientLimits
  /// What files and servers show; what the policy only states counts after it.
  private var shown: [Pin: KeyAlgorithm] = [:]
  private var stated: [Pin: KeyAlgorithm] = [:]
  /// The certificates of a key that the policy has.
  private var certificates: [Pin: [KeyMaterial.Certificate]] = [:]

  package init(_ policy: Policy, _ assessment: Assessment? = nil) {
    limits = ClientLimits(policy.verifiers)
    for record in assessment?.certificates.values ?? [:].values {
      if let pin = record.pin { shown[pin] = record.algorithm }
    }
    var seen: Set<Place> = []
    for trust in policy.hosts.lazy.compactMap(\.trust) where seen.insert(trust.place).inserted {
      for file in (trust.anchorFiles + trust.intermediateFiles).flatMap(\.value) { add(file) }
      if let certificate = trust.certificate?.value { add(certificate) }
      for exception in trust.exceptions { exception.material.map { add($0) } }
    }
    for key in policy.keys {
      if let material = key.material { add(material) }
      if let pin = key.pin, let algorithm = key.statedAlgorithm { stated[pin] = algorithm.value.algorithm }
    }
  }

  private mutating func add(_ file: KeyMaterial) {
    shown[file.pin] = file.algorithm
    if let certificate = file.certificate { certificates[file.pin, default: []].append(certificate) }
  }

  /// What a key is; nil where nobody says.
  package func algorithm(of pin: Pin) -> KeyAlgorithm? { shown[pin] ?? stated[pin] }

  /// What shows that a key isn't what the policy states of it.
  package func contradiction(of key: Policy.Key) -> KeyAlgorithm? {
    guard let pin = key.pin, let stated = key.statedAlgorithm?.value, let shown = shown[pin], !stated.fits(shown) else {
      return nil
    }
    return shown
  }

  /// Which clients can't verify a key, or the signature on each of its certificates; nil if all can, or nobody says what
  /// it is.
  package func unverified(_ key: Policy.Key) -> ClientLimits.Unverified? {
    guard let pin = key.pin else { return nil }
    let known = key.standing == .root ? [] : certificates[pin] ?? []
    return (known.isEmpty ? [nil] : known.map(Optional.some))
      .map { unverified(algorithm(of: pin), $0, ofLeaf: key.standing == .leaf) }
      .min { ($0?.kinds.count ?? 0) < ($1?.kinds.count ?? 0) } ?? nil
  }

  /// The same of a certificate that `trust` names.
  package func unverified(_ file: KeyMaterial, isAnchor: Bool) -> ClientLimits.Unverified? {
    unverified(file.algorithm, isAnchor ? nil : file.certificate, ofLeaf: !(file.certificate?.isCA ?? true))
  }

  private func unverified(
    _ algorithm: KeyAlgorithm?, _ certificate: KeyMaterial.Certificate?, ofLeaf: Bool
  ) -> ClientLimits.Unverified? {
    // Nobody verifies a root's own signature.
    let signature = certificate.flatMap { $0.isSelfIssued ? nil : $0.signature.family }
    return limits.unverified(ClientLimits.Link(key: algorithm, signature: signature), ofLeaf: ofLeaf)
  }
}

extension ClientLimits.Unverified {
  /// `ML-DSA-65`, or `signed with ML-DSA-87`.
  package var what: String {
    guard isSignature else { return algorithm }
    // An object identifier says nothing to most people.
    return "signed with " + (algorithm.first?.isNumber ?? false ? "the algorithm \(algorithm)" : algorithm)
  }
}
