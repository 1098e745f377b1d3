import OpenSSLKit
import PinFormat
import PinValidator

/// One trust store, and the runtime validator that uses it as the system's.
struct StoreJudge: Sendable {
  let name: String
  private let evaluator: TrustEvaluator
  private let validator: Validator?
  private let issuance: IssuanceCache
  private let limits: ClientLimits

  init(
    _ store: NamedStore, manifest: LoadedManifest?, cache: CertificateCache, issuance: IssuanceCache,
    limits: ClientLimits
  ) {
    name = store.name
    let evaluator = TrustEvaluator(anchors: store.anchors, findsAllFailures: true, cache: cache)
    self.evaluator = evaluator
    self.issuance = issuance
    self.limits = limits
    validator = manifest.map { Validator(manifest: $0, evaluator: evaluator) }
  }

  /// Judges a chain on every path, and shows each certificate of the paths to `note`.
  func judge(
    _ served: [[UInt8]], for target: Evidence.Target, at instant: Instant, tlsVersion: TLSVersion,
    note: (Certificate) -> Void
  ) -> StoreJudgement {
    let chain: ServedChain
    do throws(TrustFailure) {
      chain = try ServedChain(served)
    } catch {
      let decision = validator?.evaluate(
        PeerHandshake(host: target.host.text, port: target.port, certificates: served, tlsVersion: tlsVersion),
        at: instant)
      return StoreJudgement(
        paths: [PathJudgement(chain: [], hasEnd: false, verdict: decision?.verdict, failures: [error])])
    }
    guard let validator else {
      let request = TrustRequest(peer: .server(target.host.text), at: instant, tlsVersion: tlsVersion)
      let examined = evaluator.examinePaths(of: chain, for: request, issuance: issuance) { _ in nil }
      let paths = examined.paths.map { judgement(of: $0, nil, note) }
      return StoreJudgement(paths: paths, isCutShort: examined.isCutShort, inevitable: examined.inevitable)
    }
    let examined = validator.examine(
      host: target.host.text, port: target.port, served: chain, at: instant, tlsVersion: tlsVersion, issuance: issuance)
    let paths = examined.paths.map { judgement(of: $0.path, $0.verdict, note) }
    // What only other kinds of clients can't verify is wrong with the first path alone.
    let inevitable = examined.paths.first?.path.failures.isEmpty ?? true ? nil : examined.inevitable
    return StoreJudgement(paths: paths, isCutShort: examined.isCutShort, inevitable: inevitable)
  }

  private func judgement(
    of path: ExaminedPath, _ verdict: Verdict?, _ note: (Certificate) -> Void
  ) -> PathJudgement {
    for certificate in path.certificates { note(certificate) }
    let limited = limits.failures(of: path.certificates)
    if path.failures.isEmpty, let first = limited.first {
      let refused: Verdict? =
        if case .allow(_, let context) = verdict { .block(.untrusted(first), context) } else { verdict }
      return PathJudgement(
        chain: path.certificates.map { SHA256Digest($0.fingerprint) }, verdict: refused, failures: limited,
        excused: path.excused)
    }
    var matches: [KeyMatch] = []
    if let validator, let entry = verdict?.context.entry, let chain = path.validated {
      matches = validator.manifest.keyMatches(in: chain, ofEntry: entry)
    }
    let (linked, hasEnd) = path.failures.isEmpty ? (path.certificates.count, true) : known(of: path)
    return PathJudgement(
      chain: path.certificates.map { SHA256Digest($0.fingerprint) }, linked: linked, hasEnd: hasEnd, verdict: verdict,
      failures: path.failures, excused: path.excused, matches: matches)
  }

  /// How far signatures link a path that fails, and whether it ends there.
  private func known(of path: ExaminedPath) -> (linked: Int, hasEnd: Bool) {
    var budget = ServedChain.maximumCertificates
    let links = zip(path.certificates, path.certificates.dropFirst()).prefix {
      issuance.hasSigned($1, $0, budget: &budget) == true
    }
    let linked = min(path.certificates.count, links.count + 1)
    // With these failures, the search may have stopped below an issuer.
    let open: [TrustFailure.Code] = [.unknownIssuer, .missingIntermediate, .pathTooLong, .cryptography, .other]
    let isOpen = path.failures.contains { open.contains($0.code) }
    let isWhole = linked == path.certificates.count && linked > 0
    return (linked, isWhole && (!isOpen || path.certificates[linked - 1].isSelfSigned))
  }
}
