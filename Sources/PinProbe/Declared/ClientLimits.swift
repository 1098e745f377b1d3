import Diagnostics
package import OpenSSLKit
import PinFormat
package import PinPolicy
package import PinValidator

/// What some clients of a policy can't verify, though the libcrypto in use may: added to what the validator finds.
package struct ClientLimits: Sendable {
  private let kinds: [Policy.ClientKind]

  /// Takes the kinds of clients; none for what the libcrypto in use verifies.
  package init(_ kinds: [Policy.ClientKind] = []) {
    self.kinds = kinds
  }

  /// Whether any of them offers ML-DSA to servers.
  package var offersMLDSA: Bool { kinds.contains { !($0.verified?.mlDSA.isEmpty ?? true) } }

  /// A certificate of a path, as far as it is known.
  package struct Link {
    var key: KeyAlgorithm?
    /// Nil where it isn't known, or isn't used.
    var signature: CertificateSignature.Family?
    var certificate: Certificate?

    package init(key: KeyAlgorithm?, signature: CertificateSignature.Family? = nil, certificate: Certificate? = nil) {
      self.key = key
      self.signature = signature
      self.certificate = certificate
    }
  }

  /// What they reject in a path that a server led to, leaf to anchor.
  func failures(of path: [Certificate]) -> [TrustFailure] {
    // A server shows such a certificate only to clients that offer its algorithm.
    if case .mlDSA? = path.first?.keyAlgorithm {
      return ClientLimits(kinds.filter { $0.verifies(path[0].keyAlgorithm, ofLeaf: true) }).rejections(of: path)
    }
    return rejections(of: path)
  }

  private func rejections(of path: [Certificate]) -> [TrustFailure] {
    failures(
      of: path.enumerated().map { place, certificate in
        Link(
          key: certificate.keyAlgorithm, signature: place < path.count - 1 ? certificate.signature.family : nil,
          certificate: certificate)
      })
  }

  /// What they reject in a path that isn't known in full, or of which all of them shall be able to use all.
  package func failures(of path: [Link]) -> [TrustFailure] {
    path.enumerated().compactMap { place, link in
      let withoutKey = kinds.filter { !$0.verifies(link.key, ofLeaf: place == 0) }
      let withoutSignature = kinds.filter { !$0.verifies(link.signature) }
      if let key = link.key, !withoutKey.isEmpty {
        return failure(place, link.certificate, "\(withoutKey.names) can't verify keys of type \(key.title)")
      }
      guard let signature = link.signature, !withoutSignature.isEmpty else { return nil }
      return failure(
        place, link.certificate, "\(withoutSignature.names) can't verify signatures of type \(signature.title)")
    }
  }

  private func failure(_ place: Int, _ certificate: Certificate?, _ message: String) -> TrustFailure {
    TrustFailure(
      .malformed, certificate: place, fingerprint: certificate.map { SHA256Digest($0.fingerprint) },
      subject: certificate?.subject, rule: "the policy's 'clients:'", actor: .policyAuthor, message)
  }
}

extension Policy.ClientKind {
  /// True for what isn't known, and for what no client accepts, which the validator says.
  fileprivate func verifies(_ key: KeyAlgorithm?, ofLeaf: Bool) -> Bool {
    guard let key, let verified else { return true }
    if case .other = key { return true }
    return verified.includes(KeyMaterial.Algorithm(key), ofLeaf: ofLeaf)
  }

  fileprivate func verifies(_ signature: CertificateSignature.Family?) -> Bool {
    guard let signature, let verified else { return true }
    if case .other = signature { return true }
    return verified.includes(signature)
  }
}

extension [Policy.ClientKind] {
  /// `openssl-3.0 and java-17`.
  package var names: String { map(\.rawValue).listed() }
}

extension CertificateSignature.Family {
  /// As people write it.
  package var title: String {
    switch self {
    case .rsaPKCS1: "RSA"
    case .rsaPSS: "RSASSA-PSS"
    case .ecdsa: "ECDSA"
    case .eddsa: "EdDSA"
    case .mlDSA(let parameters): parameters.title
    case .other(let name): name
    }
  }
}

extension TrustFailure {
  /// Whether it says nothing of clients, because the libcrypto in use can't verify what others can.
  package var isOfThisLibrary: Bool {
    code == .malformed && MLDSA.allCases.contains { !$0.isVerified && message.hasPrefix($0.notVerified) }
  }
}
