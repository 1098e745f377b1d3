import OpenSSLKit
import PinFormat
import PinPolicy
import PinProbe
import PinRelease
import PinRotation
import PinRules
import PinValidator

/// The clients of one release: what they answer to a chain, and when that may change.
struct DeployClients {
  let release: ReleasedManifest
  let audience: String
  /// From when on some client may run it.
  let begin: Instant
  /// When the last client gives it up; nil for the newest.
  let end: Instant?
  private let question: DeployQuestion
  private let validator: Validator

  init(
    _ release: ReleasedManifest, of audience: String, from begin: Instant, to end: Instant?, _ question: DeployQuestion,
    _ evaluator: TrustEvaluator
  ) {
    (self.release, self.audience, self.question) = (release, audience, question)
    (self.begin, self.end) = (begin, end)
    validator = Validator(manifest: release.loaded, evaluator: evaluator)
  }

  /// What the server sends now; nil where nobody says.
  var served: [[UInt8]]? { question.served }

  /// When the certificate that the server sends now is valid, by its own dates.
  var servedDates: Range<Instant>? {
    guard let served = question.served, let record = CertificateRecord(leafOf: served), let end = record.notAfter,
      let begin = record.notBefore, begin < end
    else { return nil }
    return begin..<end
  }

  /// When the entry that governs the host expires, and what then; nil where none does.
  var expiry: (entry: String, instant: Instant, action: ExpiryAction)? {
    let tables = release.loaded.tables
    guard let number = try? tables.entry(for: question.host.utf8Span.span, port: question.port),
      let instant = tables.expiry(of: tables.hosts[number])
    else { return nil }
    return (tables.label(ofEntry: number), instant, tables.hosts[number].onExpiry)
  }

  /// What each kind of client answers at an instant, by the validator; the staleness of the manifest is set aside.
  func answers(to chain: [[UInt8]], at instant: Instant) -> [(client: Policy.ClientKind, answer: DeployAnswer)] {
    let answers = ServedAnswers(
      of: question.verifiers, seesLeafOnly: question.seesLeafOnly, with: release.loaded, by: governing(at: instant)
    ) { transport in
      // No transport has seen it yet.
      transport == .leafOnly
        ? decide(Array(chain.prefix(1)), transport, at: instant) : decide(chain, .replaced, at: instant)
    }
    return answers.all.map { found in
      guard let decision = found.decision else {
        return (found.client, DeployAnswer(found.verdict, reason: release.loaded.reason(for: found.verdict)))
      }
      return (found.client, answer(to: chain, decision, at: instant))
    }
  }

  /// The entry that pins the host at an instant.
  private func governing(at instant: Instant) -> GoverningEntry? {
    let governance = release.loaded.govern(
      host: question.host, port: question.port, at: instant, freshness: .fresh)
    return if case .pinned(let entry) = governance { entry } else { nil }
  }

  private func decide(_ chain: [[UInt8]], _ transport: TransportValidation, at instant: Instant) -> Decision {
    validator.evaluateUnstale(handshake(chain), at: instant, transport: transport)
  }

  private func handshake(_ chain: [[UInt8]]) -> PeerHandshake {
    PeerHandshake(host: question.host, port: question.port, certificates: chain, tlsVersion: question.tlsVersion)
  }

  private func answer(to chain: [[UInt8]], _ decision: Decision, at instant: Instant) -> DeployAnswer {
    let manifest = release.loaded
    var reason = manifest.reason(for: decision.verdict)
    if let cause = TrustCause(of: decision, on: handshake(chain), by: validator, at: instant) {
      switch decision.verdict {
      case .block(.untrusted, _): reason = "the server \(cause.clause)"
      case .notPinned(.expired, _): reason += ", and without pins, the server \(cause.clause)"
      case .notPinned: reason += ", and the server \(cause.clause)"
      case .allow, .block: break
      }
    }
    return DeployAnswer(decision.verdict, isRefused: decision.disposition == .cancel, reason: reason)
  }

  /// The instants at which an answer to a chain may change: its certificates' dates, those of the certificates that the
  /// manifest or the trust store has for it, ends of exceptions, and the entry's expiry.
  func changes(of chain: [[UInt8]]) -> Set<Instant> {
    var certificates = chain.compactMap { try? Certificate(der: $0) }
    var found: Set<Instant> = []
    if let expiry { found.insert(expiry.instant) }
    let host = try? HostName(canonicalising: question.host)
    if let trust = host.flatMap({ release.loaded.trust(at: HostPort($0, question.port)) }) {
      found.formUnion(trust.exceptions.map(\.until))
      let named = trust.anchors + trust.intermediates + [trust.certificate].compactMap(\.self)
      certificates += named.compactMap { release.loaded.tables.certificate($0) }.compactMap {
        try? Certificate(der: $0)
      }
    }
    certificates += (try? question.anchors.anchors(leadingFrom: certificates)) ?? []
    for date in certificates.flatMap({ [$0.notBefore, $0.notAfter] }) {
      if let date { found.insert(Instant(secondsSinceEpoch: date)) }
    }
    return found
  }
}

/// What clients answer to a chain at a time.
struct DeployAnswer: Hashable {
  var isAccepted: Bool
  /// Whether the entry's expiry decided it.
  var isByExpiry: Bool
  /// Whether the certificate could make no difference.
  var isOfAnyChain: Bool
  /// Whether nothing pins the host.
  var isUnpinned: Bool
  var because: String
  var reason: String
  var obstacle: BlockReason?

  init(_ verdict: Verdict, isRefused: Bool = false, reason: String) {
    self.reason = reason
    (isAccepted, isByExpiry, isOfAnyChain, isUnpinned) = (true, false, false, false)
    switch verdict {
    case .allow: break
    case .block(let block, let context):
      obstacle = block
      isAccepted = false
      isOfAnyChain = context.step == .entry
      if case .expired(.entry) = block { isByExpiry = true }
      if case .unpinnedHost(.expired(.entry)) = block { isByExpiry = true }
    case .notPinned(.expired, _): (isAccepted, isByExpiry) = (!isRefused, true)
    case .notPinned: (isAccepted, isUnpinned) = (!isRefused, true)
    }
    because = verdict.reasonCode
    if case .block(.untrusted(let failure), _) = verdict { because = PolicyTest.code(of: failure.code) }
  }
}
