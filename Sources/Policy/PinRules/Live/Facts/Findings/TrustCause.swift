import OpenSSLKit
package import PinFormat
import PinProbe
package import PinValidator

/// Why a chain is not accepted: the one wording of each cause, for rules, `decide` and `why`.
package struct TrustCause {
  let failure: TrustFailure
  /// The path that failed, the leaf first; what was served where the path isn't known.
  let chain: [SHA256Digest]
  /// What the peer sent, the leaf first.
  let served: [SHA256Digest]
  /// The name that the certificate has to have.
  let asked: String
  /// True for a client's chain.
  var isOfClient = false
  /// The server's clock against ours, in seconds, where it is known and off by an hour at least.
  var clockOffset: Int64?
  let records: [SHA256Digest: CertificateRecord]
  /// The authorities that a certificate is known of, by name in RFC 4514 text: whether one of them is self-signed.
  let isRoot: [String: Bool]
  /// The places of what was sent in the right order, if the peer's own certificate isn't the first.
  var rightOrder: [Int]?

  /// The certificate that failed, where it is one in particular.
  var record: CertificateRecord? {
    failure.fingerprint.flatMap { records[$0] }
      ?? failure.certificate.flatMap { chain.indices.contains($0) ? records[chain[$0]] : nil }
  }

  /// True where the failing certificate came from the peer, and not from the policy or a trust store.
  var isServed: Bool { failure.fingerprint.map { served.contains($0) } ?? false }

  /// What the peer does wrong: `sends a certificate that expired at 2026-11-01T00:00:00Z`.
  package var clause: String {
    if rightOrder != nil { return Self.misordered(served.map(name), isOfClient: isOfClient) }
    switch failure.code {
    case .expired:
      return subject + relative(record?.notAfter.map { "expired at \($0)" } ?? "has expired") + clock
    case .notYetValid:
      return subject + relative("is not valid " + (record?.notBefore.map { "before \($0)" } ?? "yet")) + clock
    case .nameMismatch:
      let covered = record.map { " (\($0.coverage(of: asked)))" } ?? ""
      return "presents a certificate that doesn't cover '\(asked)'\(covered)"
    case .wrongUsage: return subject + usage
    case .nameConstraints: return "presents a certificate with names that " + constraint
    case .weakKey: return subject + " with a weak key: \(shortMessage)"
    case .weakSignature:
      let signature = record.map { " (\(CertificateText.shown($0.signature)))" } ?? ""
      return subject + " with a signature that isn't accepted\(signature): \(shortMessage)"
    case .selfSigned:
      let name = record.map { " '\(CertificateText.name($0))'" } ?? ""
      return "presents the self-signed certificate\(name), which isn't a trust anchor"
    case .missingIntermediate, .unknownIssuer: return isIntermediateMissing ? missingIssuer : untrustedEnd
    // Evidence doesn't have a root that the store's own settings reject, so the path in it ends below.
    case .rejected: return untrustedEnd
    default: return other
    }
  }

  /// What is wrong where clients take another certificate for the server's, by the names of what was sent.
  static func misordered(_ sent: [String], isOfClient: Bool = false) -> String {
    "sends its chain in the wrong order: \(Wording.list(sent)). "
      + (isOfClient
        ? "Servers treat the first certificate as the client's own"
        : "Clients treat the first certificate as the server's own")
  }

  /// True where the peer's own certificate isn't the first, so that another one was decided on.
  package var isMisordered: Bool { rightOrder != nil }

  /// What to do about it; nil for other causes.
  package var reorder: String? {
    rightOrder.map { order in
      let peer = isOfClient ? "client" : "server"
      return "If the \(peer) sends it so, have it send \(Wording.list(order.map { name(served[$0]) })), in this order. "
        + "If only the file is in another order, correct the file."
    }
  }

  /// `sends a certificate`, `sends the intermediate 'X'`, `leads to the root 'X'`.
  private var subject: String {
    let sends = isOfClient ? "presents" : "sends"
    guard let certificate = failure.certificate, certificate > 0 else { return sends + " a certificate" }
    return (isServed ? sends + " the " : "leads to the ") + CertificateText.role(certificate, of: chain, record)
  }

  private func relative(_ predicate: String) -> String {
    (failure.certificate ?? 0 > 0 ? ", which " : " that ") + predicate
  }

  /// `, and the server's own clock is 3 days ahead`, where it is known to be wrong.
  private var clock: String {
    clockOffset.map { offset in
      ", and the server's own clock is \(Wording.duration(abs(offset))) \(offset > 0 ? "ahead" : "behind")"
    } ?? ""
  }

  private var usage: String {
    let purpose = isOfClient ? "clientAuth" : "serverAuth"
    guard let usages = record?.usages, !usages.contains(purpose) else {
      return " whose Key Usage doesn't allow TLS \(isOfClient ? "clients" : "servers")"
    }
    let found = usages.isEmpty ? "nothing" : usages.map { CertificateText.shown($0) }.prefix(6).joined(separator: ", ")
    return " whose Extended Key Usage has \(found) and not \(purpose)"
  }

  private var constraint: String {
    let names = record?.names.map { CertificateText.shown($0) } ?? []
    let authorities = chain.dropFirst().map(name)
    let above = authorities.isEmpty ? "a CA above it" : Wording.list(authorities, joinedBy: "or")
    return "\(above) isn't permitted to issue for (name constraints)"
      + (names.isEmpty ? "" : ": \(Wording.list(names))")
  }

  private var shortMessage: String { CertificateText.shown(failure.message, most: 120) }

  private var other: String {
    let message = CertificateText.shown(failure.messageWithRule, most: 200)
    if failure.isOfThisLibrary { return subject + " that could not be evaluated: " + message }
    if failure.code == .malformed, record == nil, let place = failure.certificate {
      return "sends a certificate that can't be read, number \(place + 1) of its chain: \(shortMessage)"
    }
    let start = failure.certificate == nil ? "fails trust evaluation" : subject
    switch failure.code {
    case .wrongCertificate:
      let found = served.first.map { ", but '\(name($0))' (\(CertificateText.short($0)))" }
      return "doesn't present the certificate that the entry names\(found ?? "")"
    case .oldTLSVersion: return "speaks an old version: \(failure.message)"
    case .badSignature:
      return start + (failure.certificate ?? 0 > 0 ? ", whose" : " whose") + " signature isn't by its issuer's key"
    default: return "\(start): \(message)"
    }
  }

  private func name(_ fingerprint: SHA256Digest) -> String {
    records[fingerprint].map { CertificateText.name($0) } ?? CertificateText.short(fingerprint)
  }
}

/// A path that stops below an authority: it is an intermediate that wasn't sent, or a root that isn't trusted.
extension TrustCause {
  /// The last certificate of a path that doesn't end in a root.
  var belowGap: CertificateRecord? { chain.last.flatMap { records[$0] }.flatMap { $0.isSelfSigned ? nil : $0 } }

  /// True where a certificate of the issuer that wasn't sent is known.
  var isIssuerKnown: Bool { belowGap.map { isRoot[$0.issuer] != nil } ?? false }

  /// Tells an intermediate that wasn't sent from a root that isn't trusted, as far as anything can.
  ///
  /// Both look alike from outside: a chain that stops below a name. A certificate by that name settles it. Otherwise the
  /// name itself is all there is: what is called a root is one, and for other names both have to be said.
  var isIntermediateMissing: Bool {
    guard failure.code == .missingIntermediate || failure.code == .unknownIssuer, let belowGap else { return false }
    if let isRoot = isRoot[belowGap.issuer] { return !isRoot }
    return !CertificateText.name(in: belowGap.issuer).lowercased().split { !$0.isLetter }.contains("root")
  }

  private var missingIssuer: String {
    guard let belowGap else { return "doesn't send the certificate that issued its own" }
    let issuer = "'\(CertificateText.name(in: belowGap.issuer))'"
    let issued = "which issued '\(CertificateText.name(belowGap))'"
    let missing =
      isIssuerKnown
      ? "doesn't send the intermediate \(issuer), \(issued)"
      : "doesn't send the certificate of \(issuer), \(issued), and no trust store has it"
    guard let address = belowGap.issuerURLs.first else { return missing }
    return
      "\(missing) (Authority Information Access says it is at \(CertificateText.shown(address, most: 120)); it was not fetched)"
  }

  /// Where a path ends, and why that isn't an anchor.
  private var untrustedEnd: String {
    let path = failure.code == .rejected && !isServed && chain.count > 1 ? chain.dropLast() : chain[...]
    guard let end = path.last.flatMap({ records[$0] }) ?? record else {
      return "has a chain that doesn't lead to a trust anchor"
    }
    let name = CertificateText.name(end)
    if end.isSelfSigned { return "has a chain that ends in the root '\(name)', which isn't a trust anchor" }
    return
      "has a chain that ends at '\(name)', whose issuer '\(CertificateText.name(in: end.issuer))' isn't a trust anchor"
  }
}

extension TrustCause {
  /// The gravest failure of a chain that was decided on; nil where trust evaluation found nothing wrong.
  package init?(of decision: Decision, on handshake: PeerHandshake, by validator: Validator, at instant: Instant) {
    guard let failure = decision.failures.first else { return nil }
    let sent = handshake.certificates.map { try? Certificate(der: $0) }
    let served = try? ServedChain(handshake.certificates)
    var path: [Certificate] = []
    if handshake.peer == .server, let served {
      // The decision itself keeps no path that failed.
      let examined = validator.examine(
        host: handshake.host, port: handshake.port, served: served, at: instant, tlsVersion: handshake.tlsVersion,
        issuance: IssuanceCache())
      path = examined.paths.first?.path.certificates ?? []
    }
    let known = (path + sent.compactMap(\.self)).map { CertificateRecord($0) }
    let entry = decision.verdict.context.entry.map { validator.manifest.manifest.hosts[$0] }
    self.failure = failure
    self.served = served?.fingerprints ?? []
    chain = path.isEmpty ? self.served : path.map { SHA256Digest($0.fingerprint) }
    asked = entry?.trust?.serverName?.text ?? handshake.host
    isOfClient = handshake.peer == .client
    records = Dictionary(known.map { ($0.fingerprint, $0) }) { first, _ in first }
    let flaws = ChainForm(sent, issuance: IssuanceCache()).flaws
    for case .wrongOrder(let order) in flaws where order.first != 0 { rightOrder = order }
    isRoot = Dictionary(known.lazy.filter(\.isCA).map { ($0.subject, $0.isSelfSigned) }) { $0 || $1 }
  }
}
