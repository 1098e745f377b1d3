#if Service
import Metrics
import PinFormat
import PinReports
import PinValidator

/// The counters and gauges of a service, all made once: counting neither makes labels nor grows.
final class ServiceMetrics: Sendable {
  private let allows: CodeCounters
  private let blocks: CodeCounters
  private let notPinned: CodeCounters
  private let events: [Counter]
  private let activations: Counter
  private let rejections: CodeCounters
  private let fetches: CodeCounters
  private let keysetActivations: Counter
  private let keysetRejections: CodeCounters
  private let keysetFetches: CodeCounters
  private let reports: CodeCounters
  private let drops: CodeCounters
  private let queued: Gauge
  private let queuedBytes: Gauge
  private let serial: Gauge
  private let age: Gauge
  private let untilExpiry: Gauge
  private let sinceFetch: Gauge
  private let endorsed: Gauge
  private let keysetVersion: Gauge
  private let untilKeysetExpiry: Gauge
  private let deniedAboveLeaf: Gauge

  init(_ factory: any MetricsFactory) {
    func verdicts(_ kind: Verdict.Kind, _ reasons: [String]) -> CodeCounters {
      CodeCounters("pintle_verdicts_total", "reason", reasons, factory, fixed: [("verdict", kind.rawValue)])
    }
    allows = verdicts(.allow, ["matched", "matched-both", "mismatch-reported"])
    blocks = verdicts(
      .block,
      [
        "no-manifest", "invalid-host", "unpinned-host", "expired", "untrusted", "denied-key", "mismatch",
        "unreadable-chain",
      ])
    notPinned = verdicts(.notPinned, ["no-manifest", "no-entry", "off", "expired", "untrusted"])
    events = DecisionEvents(rawValue: .max).names.map {
      Counter(label: "pintle_events_total", dimensions: [("event", $0)], factory: factory)
    }
    activations = Counter(label: "pintle_activations_total", factory: factory)
    rejections = CodeCounters("pintle_rejections_total", "code", Self.rejectionCodes, factory)
    fetches = CodeCounters(
      "pintle_fetches_total", "outcome",
      ["activated", "unchanged", "not-modified", "rejected"] + FetchFailure.Code.all.map { $0.description }, factory)
    keysetActivations = Counter(label: "pintle_keyset_activations_total", factory: factory)
    keysetRejections = CodeCounters("pintle_keyset_rejections_total", "code", Self.keysetRejectionCodes, factory)
    keysetFetches = CodeCounters(
      "pintle_keyset_fetches_total", "outcome",
      ["activated", "taken", "none", "repeated", "rejected"] + FetchFailure.Code.all.map { $0.description }, factory)
    reports = CodeCounters("pintle_reports_total", "outcome", ["sent", "failed", "rejected"], factory)
    drops = CodeCounters(
      "pintle_reports_dropped_total", "reason", DropReason.allCases.map { $0.rawValue }, factory)
    queued = Gauge(label: "pintle_reports_queued", factory: factory)
    queuedBytes = Gauge(label: "pintle_reports_queued_bytes", factory: factory)
    serial = Gauge(label: "pintle_manifest_serial", factory: factory)
    age = Gauge(label: "pintle_manifest_age_seconds", factory: factory)
    untilExpiry = Gauge(label: "pintle_manifest_expiry_seconds", factory: factory)
    sinceFetch = Gauge(label: "pintle_fetch_age_seconds", factory: factory)
    endorsed = Gauge(label: "pintle_manifest_endorsed", factory: factory)
    keysetVersion = Gauge(label: "pintle_keyset_version", factory: factory)
    untilKeysetExpiry = Gauge(label: "pintle_keyset_expiry_seconds", factory: factory)
    deniedAboveLeaf = Gauge(label: "pintle_denied_keys_leaf_only", factory: factory)
  }

  /// Counts a decision: what a store's observer does on the thread that asked.
  func count(_ decision: Decision) {
    switch decision.verdict.kind {
    case .allow: allows.count(decision.verdict.reasonCode)
    case .block: blocks.count(decision.verdict.reasonCode)
    // If the transport left its validation to the store and that failed, the connection was closed.
    case .notPinned: notPinned.count(decision.disposition == .cancel ? "untrusted" : decision.verdict.reasonCode)
    }
    var bits = decision.verdict.context.events.rawValue
    while bits != 0 {
      let bit = bits.trailingZeroBitCount
      if bit < events.count { events[bit].increment() }
      bits &= bits - 1
    }
  }

  func countActivation() { activations.increment() }

  func countRejection(_ error: UpdateError) { rejections.count(error.code.description) }

  func count(_ round: FetchRound) { for attempt in round.attempts { fetches.count(attempt.result.name) } }

  func countKeysetActivations(_ number: Int64) { keysetActivations.increment(by: number) }

  func countKeysetRejection(_ error: UpdateError) { keysetRejections.count(error.code.description) }

  func count(_ walk: KeysetFetch) { for attempt in walk.attempts { keysetFetches.count(attempt.result.name) } }

  func countReports(_ outcome: String, _ number: Int64 = 1) { reports.count(outcome, number) }

  func countDrops(_ reason: String, _ number: Int64) {
    drops.count(reason, number)
  }

  /// Sets the gauges to a state.
  func show(_ status: PinStore.Status, lastFetch: Instant?) {
    if let manifest = status.manifest {
      serial.record(manifest.serial)
      age.record(status.now.seconds(since: manifest.issued))
      untilExpiry.record(manifest.expires.seconds(since: status.now))
    } else {
      serial.record(0)
    }
    endorsed.record(status.isEndorsed ? 1 : 0)
    // Fixed signers have no keyset, and 0 would look like an expiry.
    if let keyset = status.keyset {
      keysetVersion.record(keyset.version)
      untilKeysetExpiry.record(keyset.expires.seconds(since: status.now))
    }
    if let lastFetch { sinceFetch.record(status.now.seconds(since: lastFetch)) }
  }

  /// Sets the gauge of the denied keys that connections aren't checked for above the leaf.
  func show(deniedAboveLeaf keys: [String]) { deniedAboveLeaf.record(keys.count) }

  /// Sets the gauges of the queue of reports.
  func show(_ status: ReportQueue.Status) {
    queued.record(status.reports)
    queuedBytes.record(status.bytes)
  }

  /// Every code that an update may be refused with here; what comes besides them counts as `other`.
  private static let rejectionCodes: [String] =
    [
      UpdateError.Code.olderSerial, .conflictingSerial, .stale, .empty, .shrunk, .refusesRecentChain,
      .unreadableFile, .notStored, .keysetExpired, .belowMinimumSerial,
    ].map { $0.description }
    + [
      ManifestError.Code.tooLarge, .malformedFile, .invalidSignature, .tooFewSignatures, .malformedManifest,
      .wrongAudience, .unknownExtension, .wrongCertificate, .unusableSigner, .unusableThreshold, .cryptography,
    ].map { $0.description }
}

extension ServiceMetrics {
  /// Every code that a keyset may be refused with here; what comes besides them counts as `other`.
  private static let keysetRejectionCodes: [String] =
    [UpdateError.Code.unreadableFile, .notStored].map { $0.description }
    + [
      KeysetError.Code.tooLarge, .malformedFile, .invalidSignature, .tooFewSignatures, .malformedKeyset,
      .wrongAudience, .unknownExtension, .unusableSigner, .olderVersion, .conflictingVersion, .skippedVersion,
      .serialsFall, .cryptography,
    ].map { $0.description }
}

/// One counter for each of a fixed set of codes, and one for all others.
private struct CodeCounters: Sendable {
  private let counters: [String: Counter]
  private let other: Counter

  init(
    _ label: String, _ dimension: String, _ codes: [String], _ factory: any MetricsFactory,
    fixed: [(String, String)] = []
  ) {
    counters = Dictionary(
      codes.map { ($0, Counter(label: label, dimensions: fixed + [(dimension, $0)], factory: factory)) },
      uniquingKeysWith: { first, _ in first })
    other = Counter(label: label, dimensions: fixed + [(dimension, "other")], factory: factory)
  }

  func count(_ code: String, _ number: Int64 = 1) {
    (counters[code] ?? other).increment(by: number)
  }
}
#endif
