import OpenSSLKit
package import PinFormat
package import PinValidator

/// What clients will make of the certificates that a policy names, found out before any server shows a chain.
///
/// The runtime validator evaluates each of them by itself: an anchor or an intermediate by a leaf that it might issue
/// for the host, the one certificate of `certificate:` as the server would present it. A key is evaluated by its file's
/// certificate, as whichever of these it is.
package final class DeclaredTrust {
  /// What an entry names a certificate as.
  package enum Role: Hashable, Sendable {
    case anchor
    case intermediate
    /// `certificate:`.
    case certificate
    /// The certificate of a key.
    case key
  }

  /// Why clients reject a certificate, or what is made with it.
  package struct Fault: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
      /// Clients reject each chain with this certificate.
      case rejected(TrustFailure)
      /// An issuer that is neither an anchor of the entry nor leads to one.
      case leadsNowhere
      /// A key that counts only below the root, but is an anchor, where each chain ends.
      case isRoot
      /// A key for which no anchor of the entry can issue a certificate: all are servers' own.
      case isBelowNoAnchor
      /// A root's key, or one that counts only as the root, which isn't among the only anchors of the entry.
      case isNotAnAnchor
    }

    package let role: Role
    /// The certificate that the entry names; nil for a key without one.
    package let fingerprint: SHA256Digest?
    package let kind: Kind
    /// Whether clients may accept another certificate for the same key.
    package var isCurable = true
  }

  /// A failure of libcrypto to set it up is one of every certificate.
  private let evaluator: Result<TrustEvaluator, TrustFailure>
  private let certificates: (SHA256Digest) -> [UInt8]?
  private let instant: Instant
  private var parsed: [SHA256Digest: Certificate] = [:]
  private var known: [Question: [Fault]] = [:]
  /// By their subjects, the certificates that servers may send with a key's.
  private(set) lazy var sentAlong: [ArraySlice<UInt8>: [Certificate]] = Dictionary(
    grouping: alsoSent.compactMap(certificate).filter(\.isCA), by: { $0.der[$0.layout.subject] })
  private let alsoSent: [SHA256Digest]

  /// Prepares for an instant.
  ///
  /// - Parameters:
  ///   - instant: The time of the evaluation.
  ///   - alsoSent: Certificates that servers may send, if the certificate of a key needs them.
  ///   - certificates: The DER of each certificate that is named.
  package init(
    at instant: Instant, alsoSent: [SHA256Digest] = [], certificates: @escaping (SHA256Digest) -> [UInt8]?
  ) {
    evaluator = Result { () throws(TrustFailure) in
      TrustEvaluator(
        anchors: try TrustAnchors([]), findsAllFailures: true, cache: CertificateCache(keepsServed: true))
    }
    self.instant = instant
    self.alsoSent = alsoSent
    self.certificates = certificates
  }

  /// Prepares for another instant, with the certificates that have been read.
  package init(_ other: DeclaredTrust, at instant: Instant) {
    evaluator = other.evaluator
    self.instant = instant
    certificates = other.certificates
    alsoSent = other.alsoSent
    parsed = other.parsed
    sentAlong = other.sentAlong
  }

  /// What is wrong with the certificates of an entry's `trust`, in the order of their roles and fingerprints.
  package func faults(in trust: Manifest.Trust, of host: HostName) -> [Fault] {
    let host = trust.serverName ?? host
    return ask(Question(trust: trust, host: dependsOnHost(trust) ? host : nil)) { evaluate(trust, host) }
  }

  /// What is wrong with a key at a host; nothing where its certificate isn't known, and its position possible.
  package func faults(of key: Key, in trust: Manifest.Trust?, of host: HostName) -> [Fault] {
    let trust = trust ?? Manifest.Trust()
    let host = trust.serverName ?? host
    return ask(Question(trust: trust, host: dependsOnHost(trust, key) ? host : nil, key: key)) {
      evaluate(key, trust, host)
    }
  }

  /// Whether one entry's faults may differ from another's with the same `trust`: the host matters only for name constraints,
  /// and for a server that is its own anchor.
  package func dependsOnHost(_ trust: Manifest.Trust?, _ key: Key? = nil) -> Bool {
    let named = (trust?.anchors ?? []) + (trust?.intermediates ?? [])
    return key?.isForHost ?? false
      || named.contains { certificate($0).map { $0.constrainsNames || !$0.isCA } ?? false }
      || key?.certificate.flatMap(certificate).map { $0.constrainsNames && $0.isCA } ?? false
  }

  private struct Question: Hashable {
    let trust: Manifest.Trust
    let host: HostName?
    var key: Key?
  }

  private func ask(_ question: Question, _ evaluate: () -> [Fault]) -> [Fault] {
    if let known = known[question] { return known }
    let faults = evaluate()
    known[question] = faults
    return faults
  }

  private func evaluate(_ trust: Manifest.Trust, _ host: HostName) -> [Fault] {
    if let token = trust.certificate {
      guard let certificate = certificate(token) else { return [] }
      return failures(of: [certificate.der], trust, host).map {
        Fault(role: .certificate, fingerprint: token, kind: .rejected($0))
      }
    }
    return trust.anchors.flatMap { faults(ofAnchor: $0, trust, host) }
      + trust.intermediates.flatMap { faults(ofIntermediate: $0, trust, host) }
  }

  func faults(
    ofAnchor fingerprint: SHA256Digest, _ trust: Manifest.Trust, _ host: HostName, as role: Role = .anchor
  ) -> [Fault] {
    // Certificates that are neither a CA nor self-signed are reported by P329.
    guard let anchor = certificate(fingerprint), anchor.isCA || anchor.isSelfSigned else { return [] }
    var alone = trust
    alone.systemAnchors = false
    alone.anchors = [fingerprint]
    alone.intermediates = []
    // A server may present its own anchor.
    if !anchor.isCA || anchor.covers(name(of: host)) {
      let failures = failures(of: [anchor.der], alone, host)
      if failures.isEmpty { return [] }
      if !anchor.isCA {
        return failures.map { Fault(role: role, fingerprint: fingerprint, kind: .rejected($0)) }
      }
    }
    return failures(below: anchor, isSent: false, alone, host).map {
      Fault(role: role, fingerprint: fingerprint, kind: .rejected($0))
    }
  }

  func faults(
    ofIntermediate fingerprint: SHA256Digest, _ trust: Manifest.Trust, _ host: HostName, as role: Role = .intermediate
  ) -> [Fault] {
    // Certificates that aren't a CA's are reported by P209.
    guard let intermediate = certificate(fingerprint), intermediate.isCA else { return [] }
    var known = trust
    known.systemAnchors = false
    // Other certificates for the same key are removed, because libcrypto may choose one of them.
    known.intermediates = trust.intermediates.filter {
      guard $0 != fingerprint, let other = certificate($0) else { return $0 == fingerprint }
      return other.subjectPublicKeyInfo != intermediate.subjectPublicKeyInfo || other.subject != intermediate.subject
    }
    let found = failures(below: intermediate, isSent: true, known, host)
    let isRootless = found.contains { $0.code.isAboutAnchors }
    var faults: Set<Fault> = []
    for failure in found where !failure.code.isAboutAnchors {
      // Anchors and the other intermediates are evaluated separately.
      let isOwn =
        failure.fingerprint == fingerprint || failure.code == .nameConstraints || failure.code == .pathTooLong
        || failure.certificate == 0 && failure.code == .weakSignature
      if isOwn || failure.fingerprint == nil {
        faults.insert(Fault(role: role, fingerprint: fingerprint, kind: .rejected(failure)))
      }
    }
    if isRootless {
      let leaf = MadeUpLeaf(for: name(of: host), by: intermediate, prefersPSS: false)
      for failure in failures(ofTop: intermediate, above: [leaf.der], trust, host)
      where !faults.contains(where: { $0.isRejected(by: failure.code) }) {
        faults.insert(Fault(role: role, fingerprint: fingerprint, kind: .rejected(failure)))
      }
      if !trust.systemAnchors {
        faults.insert(Fault(role: role, fingerprint: fingerprint, kind: .leadsNowhere))
      }
    }
    return faults.sorted { $0.text < $1.text }
  }

  /// What is wrong with the top of an incomplete path.
  ///
  /// Path validation treats it like an anchor, so it checks neither its signature nor what it says about its issuer. Here,
  /// an issuer is made up above it. Dates aren't checked: servers may send a renewed certificate.
  func failures(
    ofTop certificate: Certificate, above served: [[UInt8]] = [], _ trust: Manifest.Trust, _ host: HostName
  ) -> [TrustFailure] {
    let strength = StrengthChecks(trust).failures(ofIntermediate: certificate, by: .server(host.text)).filter {
      !trust.excuses($0, at: instant)
    }
    let issuer = MadeUpAuthority(issuerOf: certificate).der
    guard !certificate.isSelfSigned, let anchor = (try? SHA256.digest(of: issuer)).map({ SHA256Digest($0) }) else {
      return strength
    }
    var below = trust
    (below.systemAnchors, below.anchors, below.intermediates) = (false, [anchor], [])
    let found = failures(of: served + [certificate.der], below, host) { [certificates] in
      $0 == anchor ? issuer : certificates($0)
    }
    return strength
      + found.filter { failure in
        failure.fingerprint == SHA256Digest(certificate.fingerprint) && !failure.code.isAboutAnchors
          && ![.badSignature, .expired, .notYetValid].contains(failure.code)
          && !strength.contains { $0.code == failure.code }
      }
  }

  func failures(of served: [[UInt8]], _ trust: Manifest.Trust, _ host: HostName) -> [TrustFailure] {
    failures(of: served, trust, host, certificates)
  }

  private func failures(
    of served: [[UInt8]], _ trust: Manifest.Trust, _ host: HostName, _ certificates: (SHA256Digest) -> [UInt8]?
  ) -> [TrustFailure] {
    let request = TrustRequest(peer: .server(host.text), at: instant, tlsVersion: .tls13, trust: trust)
    do throws(TrustFailure) {
      let chain = try ServedChain(served)
      switch try evaluator.get().evaluate(chain, for: request, certificates: certificates) {
      case .trusted: return []
      case .refused(let failures): return failures
      }
    } catch {
      return [error]
    }
  }

  /// What clients reject of a certificate that an authority issues for the host.
  private func failures(
    below issuer: Certificate, isSent: Bool, _ trust: Manifest.Trust, _ host: HostName
  ) -> [TrustFailure] {
    failures(ofLeaf: nil, below: [.certificate(issuer)], endsInAnchor: true, isSent: isSent, trust, host)
  }

  /// What clients reject of a chain that isn't issued yet.
  func failures(
    ofLeaf key: KeyAlgorithm?, below authorities: [UnissuedChain.Link], endsInAnchor: Bool, isSent: Bool,
    _ trust: Manifest.Trust, _ host: HostName
  ) -> [TrustFailure] {
    let chain: UnissuedChain
    do {
      chain = try UnissuedChain(leafKey: key, authorities: authorities, endsInAnchor: endsInAnchor)
    } catch {
      return [TrustFailure(.cryptography, error.message)]
    }
    do throws(TrustFailure) {
      return chain.answer(
        by: try evaluator.get(), ClientLimits(), for: host, under: trust, at: instant, tlsVersion: .tls13,
        sendsIntermediates: isSent, certificates: certificates
      ).failures
    } catch {
      return [error]
    }
  }

  private func name(of host: HostName) -> PathQuery.Name { host.isAddress ? .address(host.text) : .dns(host.text) }

  func certificate(_ fingerprint: SHA256Digest) -> Certificate? {
    if let certificate = parsed[fingerprint] { return certificate }
    let certificate = certificates(fingerprint).flatMap { try? Certificate(der: $0) }
    parsed[fingerprint] = certificate
    return certificate
  }
}

extension TrustFailure.Code {
  /// The path ends where it must not.
  package var isAboutAnchors: Bool { self == .missingIntermediate || self == .unknownIssuer }
}

extension Manifest.Trust {
  fileprivate func excuses(_ failure: TrustFailure, at instant: Instant) -> Bool {
    exceptions.contains {
      $0.failure == failure.excusable && $0.certificate == failure.fingerprint && instant < $0.until
    }
  }
}

extension DeclaredTrust.Fault {
  fileprivate func isRejected(by code: TrustFailure.Code) -> Bool {
    if case .rejected(let failure) = kind { failure.code == code } else { false }
  }

  fileprivate var text: String {
    switch kind {
    case .rejected(let failure): failure.code.description + failure.message
    case .leadsNowhere, .isRoot, .isNotAnAnchor, .isBelowNoAnchor: "~"
    }
  }
}
