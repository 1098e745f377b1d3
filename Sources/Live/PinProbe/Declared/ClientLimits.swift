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
  package var offersMLDSA: Bool { kinds.isEmpty || kinds.contains { !($0.verified?.mlDSA.isEmpty ?? true) } }

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

  /// What of a certificate some clients can't verify.
  package struct Unverified: Sendable {
    /// Never empty.
    package let kinds: [Policy.ClientKind]
    /// `ML-DSA-65`.
    package let algorithm: String
    /// Whether it is the signature on the certificate; otherwise it is the key.
    package let isSignature: Bool
  }

  /// The clients that can't verify a certificate's key, or else its signature; nil if all can verify what is known.
  package func unverified(_ link: Link, ofLeaf: Bool) -> Unverified? {
    if let key = link.key {
      let without = kinds.filter { !($0.verified?.includes(key, ofLeaf: ofLeaf) ?? true) }
      if !without.isEmpty { return Unverified(kinds: without, algorithm: key.title, isSignature: false) }
    }
    guard let signature = link.signature else { return nil }
    let without = kinds.filter { !($0.verified?.includes(signature) ?? true) }
    return without.isEmpty ? nil : Unverified(kinds: without, algorithm: signature.title, isSignature: true)
  }

  /// What they reject in a path that a server led to, leaf to anchor.
  package func failures(of path: [Certificate]) -> [TrustFailure] {
    // A server shows such a certificate only to clients that offer its algorithm.
    var asking = self
    if let key = path.first?.keyAlgorithm, case .mlDSA = key {
      asking = ClientLimits(kinds.filter { $0.verified?.includes(key, ofLeaf: true) ?? true })
    }
    return asking.failures(
      of: path.enumerated().map { place, certificate in
        Link(
          key: certificate.keyAlgorithm, signature: place < path.count - 1 ? certificate.signature.family : nil,
          certificate: certificate)
      })
  }

  /// What they reject in a path that isn't known in full, or of which all of them shall be able to use all.
  ///
  /// What no client accepts is left to the validator, which says so.
  package func failures(of path: [Link]) -> [TrustFailure] {
    path.enumerated().compactMap { place, link in
      var asked = link
      if case .other = link.key { asked.key = nil }
      if case .other = link.signature { asked.signature = nil }
      return unverified(asked, ofLeaf: place == 0).map { found in
        failure(
          place, link.certificate,
          "\(found.kinds.names) can't verify \(found.isSignature ? "signatures" : "keys") of type \(found.algorithm)")
      }
    }
  }

  private static let rule = "the policy's 'clients:'"

  /// Whether only some kinds of clients can't verify it.
  package static func reports(_ failure: TrustFailure) -> Bool { failure.rule == rule }

  private func failure(_ place: Int, _ certificate: Certificate?, _ message: String) -> TrustFailure {
    TrustFailure(
      .malformed, certificate: place, fingerprint: certificate.map { SHA256Digest($0.fingerprint) },
      subject: certificate?.subject, rule: Self.rule, actor: .policyAuthor, message)
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
  /// Whether it says nothing of clients, because the libcrypto in use can't verify what others can: nothing is wrong with
  /// the certificate.
  package var isOfThisLibrary: Bool { code == .malformed && actor == .clientOperator }

  /// What to do about that.
  package static var helpForThisLibrary: String {
    "This pintle is linked to an older OpenSSL. Build it where OpenSSL is 3.5 or later, such as on Debian 13, "
      + "and run that one." + Citation.see("docs/install.md")
  }
}
