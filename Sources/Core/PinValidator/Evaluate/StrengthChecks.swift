import OpenSSLKit
package import PinFormat

/// What Pintle checks of a path beyond what libcrypto does; `docs/validation.md` says why.
package struct StrengthChecks {
  private let rsaBits: Int
  private let ecBits: Int
  private let families: [SignatureFamily]

  /// A policy asks for more than the validator does, never for less.
  package init(_ trust: Manifest.Trust?) {
    rsaBits = max(MinimumStrength.rsaBits, trust?.minimumRSABits ?? 0)
    ecBits = max(MinimumStrength.ecBits, trust?.minimumECBits ?? 0)
    families = trust?.signatures ?? []
  }

  /// What is wrong with a certificate's key.
  func failure(ofKeyOf certificate: Certificate, at place: Int) -> TrustFailure? {
    let algorithm = certificate.keyAlgorithm
    // Before the weak key, which an exception may excuse: with another encoding, no pin or denial of the key would
    // match.
    if let form = certificate.unusualKeyForm, form != .otherAlgorithm || algorithm?.isAccepted ?? false {
      return .of(.keyEncoding, certificate, place, rule: form.rule, form.rawValue)
    }
    let message: String
    switch algorithm {
    case .rsa(let bits), .rsaPSS(let bits):
      // Not reported as a weak key, which an exception may excuse: with exponent 1, anybody can forge signatures.
      guard certificate.hasSoundExponent else {
        return .of(.malformed, certificate, place, rule: "RFC 8017 section 3.1", "the RSA key's exponent is even or 1")
      }
      guard bits < rsaBits else { return nil }
      message = Self.tooWeak("RSA key has", bits, rsaBits)
    case .ec(let bits, let curve):
      guard bits < ecBits else { return nil }
      message = Self.tooWeak("key on " + curve + " has", bits, ecBits)
    // The field has 255 bits; the strength is that of a 256-bit curve.
    case .ed25519:
      guard ecBits > 256 else { return nil }
      message = Self.tooWeak("Ed25519 key counts as", 256, ecBits)
    case .ed448:
      guard ecBits > 448 else { return nil }
      message = Self.tooWeak("Ed448 key has", 448, ecBits)
    case .mlDSA(let parameters):
      return parameters.isVerified ? nil : .notVerified(parameters, certificate, place)
    case .other(let name): return .of(.malformed, certificate, place, "keys of type " + name + " aren't accepted")
    case nil: return .of(.malformed, certificate, place, "the public key can't be read")
    }
    return .of(.weakKey, certificate, place, message)
  }

  private static func tooWeak(_ keyHas: String, _ bits: Int, _ least: Int) -> String {
    "the " + keyHas + " " + String(bits) + " bits; the minimum is " + String(least)
  }

  /// What is wrong with a signature on a certificate; the anchor's own is never relied upon.
  func failure(ofSignatureOn certificate: Certificate, at place: Int) -> TrustFailure? {
    let signature = certificate.signature
    if let failure = TrustFailure.notVerified(signatureOn: certificate, place) { return failure }
    guard signature.isStrong else {
      if case .other(let name) = signature.family {
        return .of(.weakSignature, certificate, place, "signatures of type " + name + " aren't accepted")
      }
      let name = signature.digest ?? "an unknown algorithm"
      return .of(.weakSignature, certificate, place, "the signature uses \(name); SHA-256 or longer is required")
    }
    guard families.isEmpty || families.contains(where: { $0 == signature.family.asked }) else {
      return .of(.weakSignature, certificate, place, "the policy doesn't accept this kind of signature")
    }
    return nil
  }

  /// An Extended Key Usage must name the use itself; old names for it and "any" don't count.
  func failure(ofUsageOf certificate: Certificate, by peer: TrustRequest.Peer, at place: Int) -> TrustFailure? {
    guard let usages = certificate.extendedKeyUsage else { return nil }
    let usage =
      switch peer {
      case .server: "serverAuth"
      case .client: "clientAuth"
      }
    guard !usages.contains(where: { $0.isSame(as: usage) }) else { return nil }
    return .of(.wrongUsage, certificate, place, "the Extended Key Usage doesn't include \(usage)")
  }

  func failure(ofExtensionsOf certificate: Certificate, at place: Int) -> TrustFailure? {
    if certificate.repeatsAnExtension {
      return .of(
        .malformed, certificate, place, rule: "RFC 5280 section 4.2", "the certificate has the same extension twice")
    }
    guard certificate.hasUsageBesidesSigning, case .mlDSA(let parameters) = certificate.keyAlgorithm else { return nil }
    return .of(
      .malformed, certificate, place, rule: "RFC 9881 section 5",
      "the certificate's keyUsage allows more than signing, and " + parameters.title + " keys only sign")
  }

  /// All checks of a path, leaf to anchor.
  func failures(ofPath path: [Certificate], by peer: TrustRequest.Peer) -> [TrustFailure] {
    var failures: [TrustFailure] = []
    for (place, certificate) in path.enumerated() {
      let isAnchor = place == path.count - 1
      failures.append(failure(ofKeyOf: certificate, at: place))
      if place == 0 || !isAnchor { failures.append(failure(ofUsageOf: certificate, by: peer, at: place)) }
      guard !isAnchor else { continue }
      failures.append(failure(ofSignatureOn: certificate, at: place))
      failures.append(failure(ofExtensionsOf: certificate, at: place))
    }
    return failures
  }
}

#if !CryptoKit
extension StrengthChecks {
  /// What libcrypto misses in the name constraints of a path, and in the names below them.
  static func failures(ofConstraintsIn path: [Certificate]) -> [TrustFailure] {
    var failures: [TrustFailure] = []
    for (place, authority) in path.enumerated().dropFirst() {
      for (below, certificate) in path.prefix(place).enumerated() where below == 0 || !certificate.isSelfIssued {
        guard let fault = authority.nameConstraintFault(of: certificate, asLeaf: below == 0) else { continue }
        failures.append(
          .of(
            fault.isBelow ? .nameConstraints : .malformed, fault.isBelow ? certificate : authority,
            fault.isBelow ? below : place, rule: "RFC 5280 section 4.2.1.10", fault.rawValue))
        break
      }
    }
    return failures
  }
}
#endif

extension TrustFailure {
  /// ML-DSA where the libcrypto in use doesn't verify it.
  fileprivate static func notVerified(_ parameters: MLDSA, _ certificate: Certificate, _ place: Int) -> TrustFailure {
    .of(.malformed, certificate, place, rule: "RFC 9881", actor: .clientOperator, parameters.notVerified)
  }

  /// Nil where the signature is of another kind, or can be verified.
  static func notVerified(signatureOn certificate: Certificate, _ place: Int) -> TrustFailure? {
    guard case .mlDSA(let parameters) = certificate.signature.family, !parameters.isVerified else { return nil }
    return notVerified(parameters, certificate, place)
  }
}

extension [TrustFailure] {
  fileprivate mutating func append(_ failure: TrustFailure?) {
    guard let failure else { return }
    append(contentsOf: CollectionOfOne(failure))
  }
}

extension KeyAlgorithm {
  fileprivate var isAccepted: Bool { if case .other = self { false } else { true } }
}

extension CertificateSignature.Family {
  fileprivate var asked: SignatureFamily? {
    switch self {
    case .rsaPKCS1: .rsaPKCS1
    case .rsaPSS: .rsaPSS
    case .ecdsa: .ecdsa
    case .eddsa: .eddsa
    // The manifest's format has no word for it.
    case .mlDSA, .other: nil
    }
  }
}
