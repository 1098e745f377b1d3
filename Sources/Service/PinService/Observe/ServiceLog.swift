#if Service
import Logging
import PinFormat
import PinValidator

/// The structured events of a service: a fixed message each, what varies in the metadata.
///
/// `docs/service.md` lists them.
struct ServiceLog: Sendable {
  let logger: Logger
  private let limiter = LogLimiter(pauseSeconds: 3_600)

  init(_ logger: Logger) {
    self.logger = logger
  }

  func started(_ store: PinStore) {
    let status = store.status
    logger.info(
      "pintle started",
      metadata: Self.facts(status.manifest, ["source": "\(store.startup.source)"])
        .merging(Self.facts(of: status)) { $1 })
    for problem in store.startup.problems {
      logger.warning(
        "pintle startup problem", metadata: ["code": "\(problem.code)", "problem": "\(problem.description)"])
    }
  }

  func fetchesUnpinned() {
    logger.info(
      "manifests are fetched over connections that no pin of the manifest governs; their signatures are what is trusted"
    )
  }

  func heeds(_ signal: FetchSignal) {
    logger.info("fetches on a signal", metadata: ["signal": "\(signal.rawValue)"])
  }

  func requested(by signal: FetchSignal, at now: Instant) {
    limited("fetch requested", .notice, signal.rawValue, at: now) { ["signal": "\(signal.rawValue)"] }
  }

  func activated(_ manifest: LoadedManifest, replacing old: LoadedManifest?) {
    logger.notice(
      "manifest activated", metadata: Self.facts(manifest, ["previous-serial": old.map { "\($0.serial)" } ?? "none"]))
  }

  func rejected(_ error: UpdateError, from place: String, at now: Instant) {
    limited("manifest rejected", .error, error.code.description + " " + place, at: now) {
      ["code": "\(error.code)", "reason": "\(error.message)", "from": "\(place)"]
    }
  }

  func failed(_ failure: FetchFailure, from place: String, at now: Instant) {
    guard failure.code != .waiting, failure.code != .cancelled else { return }
    limited("manifest fetch failed", .warning, failure.code.description + " " + place, at: now) {
      ["code": "\(failure.code)", "reason": "\(failure.message)", "from": "\(place)"]
    }
  }

  func fileUnreadable(_ reason: String, at now: Instant) {
    limited("manifest file unreadable", .warning, reason, at: now) { ["reason": "\(reason)"] }
  }

  func freshness(_ freshness: Freshness, of manifest: LoadedManifest, at now: Instant) {
    switch freshness {
    case .fresh: break
    case .refreshDue:
      limited("manifest refresh due", .notice, "\(manifest.serial)", at: now) { Self.facts(manifest) }
    case .stale(let action):
      limited("manifest stale", .error, "\(manifest.serial)", at: now) {
        Self.facts(manifest, ["on-stale": "\(action.rawValue)"])
      }
    }
  }

  func mismatch(_ event: PinEvent) {
    // Not by the whole sentence: a server could present another key each time.
    limited(event.message, .warning, event.host + " " + event.reason, at: event.instant) {
      ["host": "\(event.host)", "port": "\(event.port)", "verdict": "\(event.verdict)"]
    }
  }

  func deniedAboveLeaf(_ keys: [String], by manifest: LoadedManifest, at now: Instant) {
    limited("denied keys compared with the leaf only", .notice, "\(manifest.serial)", at: now) {
      ["serial": "\(manifest.serial)", "keys": .array(keys.prefix(10).map { "\($0)" }), "count": "\(keys.count)"]
    }
  }

  func problem(_ message: Logger.Message, _ reason: String, at now: Instant) {
    limited(message, .warning, reason, at: now) { ["reason": "\(reason)"] }
  }

  func reportsDropped(_ number: Int64, reason: String, at now: Instant) {
    limited("reports dropped", .warning, reason, at: now) { ["reason": "\(reason)", "count": "\(number)"] }
  }

  func stopped() { logger.info("pintle stopped") }

  func limited(
    _ message: Logger.Message, _ level: Logger.Level, _ key: String, at now: Instant,
    _ metadata: () -> Logger.Metadata
  ) {
    guard let suppressed = limiter.admit("\(message) \(key)", at: now) else { return }
    var metadata = metadata()
    if suppressed > 0 { metadata["suppressed"] = "\(suppressed)" }
    logger.log(level: level, message, metadata: metadata)
  }

  private static func facts(_ manifest: LoadedManifest?, _ more: Logger.Metadata = [:]) -> Logger.Metadata {
    guard let manifest else { return more.merging(["serial": "none"]) { $1 } }
    return more.merging([
      "serial": "\(manifest.serial)", "refresh-after": "\(manifest.refreshAfter)", "expires": "\(manifest.expires)",
    ]) { $1 }
  }
}

/// What is reported about keysets.
extension ServiceLog {
  func keysetsNotFollowed() {
    logger.notice("newer keysets are not followed: neither URLs nor a folder of them are set")
  }

  func keysetActivated(_ status: PinStore.Status, replacing old: Int64) {
    logger.notice("keyset activated", metadata: Self.facts(of: status).merging(["previous-keyset": "\(old)"]) { $1 })
  }

  func keysetRejected(_ error: UpdateError, from place: String, at now: Instant) {
    limited("keyset rejected", .error, error.code.description + " " + place, at: now) {
      ["code": "\(error.code)", "reason": "\(error.message)", "from": "\(place)"]
    }
  }

  func keysetFailed(_ failure: FetchFailure, from place: String, at now: Instant) {
    guard failure.code != .waiting, failure.code != .cancelled else { return }
    limited("keyset fetch failed", .warning, failure.code.description + " " + place, at: now) {
      ["code": "\(failure.code)", "reason": "\(failure.message)", "from": "\(place)"]
    }
  }

  /// A mirror that sends what is in force in place of what follows doesn't look at the number that it is asked for.
  func keysetRepeated(_ version: Int64, from place: String, at now: Instant) {
    limited("keyset fetch failed", .warning, "repeated " + place, at: now) {
      ["code": "repeated", "reason": "version \(version) was sent, which is in force", "from": "\(place)"]
    }
  }

  /// Says so where a keyset expires soon or has expired, or doesn't endorse the manifest in force.
  func keyset(_ status: PinStore.Status, warning: Int64) {
    guard let keyset = status.keyset else { return }
    if status.isKeysetExpired {
      limited("keyset expired", .error, "\(keyset.version)", at: status.now) { Self.facts(of: status) }
    } else if keyset.expires.seconds(since: status.now) < warning {
      limited("keyset expires soon", .warning, "\(keyset.version)", at: status.now) { Self.facts(of: status) }
    }
    if !status.isEndorsed, let manifest = status.manifest {
      limited("manifest not endorsed", .warning, "\(keyset.version) \(manifest.serial)", at: status.now) {
        ["keyset": "\(keyset.version)", "serial": "\(manifest.serial)"]
      }
    }
  }

  static func facts(of status: PinStore.Status) -> Logger.Metadata {
    guard let keyset = status.keyset else { return [:] }
    return [
      "keyset": "\(keyset.version)", "keyset-expires": "\(keyset.expires)",
      "keyset-days-left": "\(status.keysetDaysLeft ?? 0)",
    ]
  }
}
#endif
