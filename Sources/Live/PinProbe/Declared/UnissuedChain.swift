package import OpenSSLKit
package import PinFormat
package import PinValidator

/// A chain that servers may present one day: what clients would make of it, by the validator that they run.
///
/// Certificates that are known are evaluated byte for byte. A leaf that isn't issued yet, and an authority of which only
/// the key is known, are made up around them, unsigned: nobody here has the keys of authorities. Of all failures that the
/// validator finds, only those are set aside that come from what was made up: a signature that its issuer would make
/// correctly, and the strength of a key that isn't known.
package struct UnissuedChain {
  /// A certificate of the chain.
  package enum Link {
    case certificate(Certificate)
    /// Only the key is known, and of it perhaps only the pin.
    case key(KeyAlgorithm?)
  }

  /// What the leaf's key is, if that is known.
  private let leafKey: KeyAlgorithm?
  /// From the leaf's issuer to the top.
  package let authorities: [Certificate]
  /// An anchor in place of the one that isn't known, or that the system has.
  private let extraAnchor: Certificate?
  /// The certificates whose signatures, and those whose keys, can't be judged.
  private let unsigned: Set<SHA256Digest>
  private let unknownKeys: Set<SHA256Digest>
  /// What is known of each authority's key and signature, also where another key is used in its place.
  private let links: [ClientLimits.Link]

  /// - Parameters:
  ///   - leafKey: The kind of the leaf's key; nil where it isn't known.
  ///   - links: The authorities, the leaf's issuer first; empty where nothing is known of them.
  ///   - endsInAnchor: Whether the chain ends in an anchor of the entry's own, so that none has to be made up.
  /// - Throws: ``CryptoError`` where a made-up certificate can't be read, which is a mistake of this code.
  package init(leafKey: KeyAlgorithm?, authorities links: [Link], endsInAnchor: Bool) throws(CryptoError) {
    var chain: [Certificate] = []
    var extra: Certificate?
    var unsigned: Set<SHA256Digest> = []
    var unknownKeys: Set<SHA256Digest> = []
    var known: [ClientLimits.Link] = []
    func note(_ made: [UInt8], _ algorithm: KeyAlgorithm?) throws(CryptoError) -> Certificate {
      let certificate = try Certificate(der: made)
      unsigned.insert(SHA256Digest(certificate.fingerprint))
      if algorithm?.isVerified != true { unknownKeys.insert(SHA256Digest(certificate.fingerprint)) }
      return certificate
    }
    for (place, link) in links.enumerated().reversed() {
      if case .certificate(let certificate) = link, certificate.isSelfSigned, !endsInAnchor {
        // Nothing is above a root.
        chain = []
        known = []
      }
      let issuer = chain.first
      switch link {
      case .certificate(let certificate):
        if issuer == nil, !endsInAnchor {
          if certificate.isSelfSigned {
            extra = certificate
          } else {
            extra = try note(MadeUpAuthority(issuerOf: certificate).der, nil)
            unsigned.insert(SHA256Digest(certificate.fingerprint))
          }
        } else if let issuer, unsigned.contains(SHA256Digest(issuer.fingerprint)) {
          unsigned.insert(SHA256Digest(certificate.fingerprint))
        }
        chain.insert(certificate, at: 0)
        let isAnchor = issuer == nil && (endsInAnchor || certificate.isSelfSigned)
        known.insert(
          ClientLimits.Link(
            key: certificate.keyAlgorithm, signature: isAnchor ? nil : certificate.signature.family,
            certificate: certificate), at: 0)
      case .key(let algorithm):
        let made: MadeUpAuthority
        if place > 0, case .certificate(let below) = links[place - 1] {
          made = MadeUpAuthority(issuerOf: below, key: algorithm, by: issuer)
        } else {
          let key = StandInKey.subjectPublicKeyInfo(like: algorithm)
          made =
            if let issuer {
              MadeUpAuthority(number: UInt8(place), key: key, by: issuer)
            } else {
              MadeUpAuthority(number: UInt8(place), key: key)
            }
        }
        let certificate = try note(made.der, algorithm)
        if issuer == nil { extra = certificate }
        chain.insert(certificate, at: 0)
        known.insert(ClientLimits.Link(key: algorithm), at: 0)
      }
    }
    if chain.isEmpty {
      let anchor = try note(MadeUpAuthority(number: 0, key: StandInKey.subjectPublicKeyInfo(like: nil)).der, nil)
      extra = anchor
      chain = [anchor]
    }
    self.leafKey = leafKey
    authorities = chain
    extraAnchor = extra
    self.unsigned = unsigned
    self.unknownKeys = unknownKeys
    self.links = known
  }

  /// Whether what clients make of it depends on the host's name.
  package var dependsOnHost: Bool { authorities.contains(where: \.constrainsNames) }

  /// What clients make of the chain.
  package struct Answer {
    /// What the validator rejects, the failure that explains the others first; empty where clients accept the chain.
    package var failures: [TrustFailure]
    /// The authorities of the path that clients take, the leaf's issuer first.
    package var authorities: [Certificate] = []
  }

  /// Asks the validator.
  ///
  /// - Parameters:
  ///   - evaluator: One without anchors that finds all failures.
  ///   - limits: What the clients can't verify, whatever the evaluator can.
  ///   - host: The name that clients ask for.
  ///   - trust: The entry's trust settings.
  ///   - instant: When.
  ///   - tlsVersion: The version that the server negotiates.
  ///   - sendsIntermediates: Whether the server sends more than its own certificate.
  ///   - certificates: The certificates that releases carry.
  ///   - isCured: Whether a failure will have been cured by then.
  /// - Returns: What is wrong, without what was made up and what is cured, and the path.
  package func answer(
    by evaluator: TrustEvaluator, _ limits: ClientLimits, for host: HostName, under trust: Manifest.Trust,
    at instant: Instant, tlsVersion: TLSVersion, sendsIntermediates: Bool,
    certificates: (SHA256Digest) -> [UInt8]?, isCured: (TrustFailure) -> Bool = { _ in false }
  ) -> Answer {
    let name = trust.serverName ?? host
    let takesPKCS1 = trust.signatures.isEmpty || trust.signatures.contains(.rsaPKCS1)
    let leaf = MadeUpLeaf(
      for: name.isAddress ? .address(name.text) : .dns(name.text), by: authorities[0], prefersPSS: !takesPKCS1,
      key: leafKey)
    var asked = trust
    asked.systemAnchors = false
    if let extraAnchor { asked.anchors.append(SHA256Digest(extraAnchor.fingerprint)) }
    let served: ServedChain
    do {
      served = try ServedChain([leaf.der] + (sendsIntermediates ? authorities.map(\.der) : []))
    } catch {
      return Answer(failures: [error])
    }
    let request = TrustRequest(peer: .server(host.text), at: instant, tlsVersion: tlsVersion, trust: asked)
    func failures(of path: ExaminedPath) -> [TrustFailure] {
      path.failures.filter { !isMadeUp($0, of: path.certificates) && !isCured($0) }
    }
    let path = evaluator.examine(
      unissued: served, for: request,
      certificates: { fingerprint in
        guard let extraAnchor, SHA256Digest(extraAnchor.fingerprint) == fingerprint else {
          return certificates(fingerprint)
        }
        return extraAnchor.der
      },
      willSign: { willSign($0, $1, leaf: served.fingerprints[0]) }, isAccepted: { failures(of: $0).isEmpty })
    let unverifiable = limits.failures(of: [ClientLimits.Link(key: leafKey)] + links) + unasked(trust)
    return Answer(failures: unverifiable + failures(of: path), authorities: Array(path.certificates.dropFirst()))
  }

  /// `signatures:` has no word for ML-DSA, so it excludes what such an authority signs, also where another key is used.
  private func unasked(_ trust: Manifest.Trust) -> [TrustFailure] {
    guard !trust.signatures.isEmpty, links.contains(where: { $0.key.map { !$0.isVerified } ?? false }) else {
      return []
    }
    return [TrustFailure(.weakSignature, "the policy doesn't accept this kind of signature")]
  }

  /// Whether an authority will have signed a certificate that isn't signed yet; nil for one that is.
  private func willSign(_ issuer: Certificate, _ certificate: Certificate, leaf: SHA256Digest) -> Bool? {
    let fingerprint = SHA256Digest(certificate.fingerprint)
    let signer: Certificate?
    if fingerprint == leaf {
      signer = authorities[0]
    } else if unsigned.contains(fingerprint) {
      let above = authorities.firstIndex { $0.der == certificate.der }.map { $0 + 1 }
      signer = above.flatMap { authorities.indices.contains($0) ? authorities[$0] : extraAnchor }
    } else {
      return nil
    }
    return signer?.subjectPublicKeyInfo == issuer.subjectPublicKeyInfo
  }

  /// Whether a failure comes from what was made up.
  private func isMadeUp(_ failure: TrustFailure, of path: [Certificate]) -> Bool {
    guard let place = failure.certificate, path.indices.contains(place) else { return false }
    let issuer = path.indices.contains(place + 1) ? path[place + 1] : nil
    switch failure.code {
    case .badSignature:
      return issuer.flatMap { willSign($0, path[place], leaf: SHA256Digest(path[0].fingerprint)) } ?? false
    case .weakKey:
      return place == 0 ? leafKey?.isVerified != true : unknownKeys.contains(SHA256Digest(path[place].fingerprint))
    // What an unknown key signs with isn't known either.
    case .weakSignature: return issuer.map { unknownKeys.contains(SHA256Digest($0.fingerprint)) } ?? false
    default: return false
    }
  }
}

extension KeyAlgorithm {
  /// False where another key is used, because the libcrypto in use doesn't verify this one.
  fileprivate var isVerified: Bool { if case .mlDSA(let parameters) = self { parameters.isVerified } else { true } }
}
