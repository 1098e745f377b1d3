#if Service
public import Logging
public import Metrics
import PinReports
public import PinValidator
public import ServiceLifecycle
import Synchronization

/// Keeps a ``PinStore`` up to date and reports its state: run it in a `ServiceGroup`.
///
/// It fetches manifests and keysets, watches files, reports, counts and logs, and at a graceful shutdown ends at once what is under way. The
/// store answers before, while and after the service runs: without it nothing updates the manifest, that is all.
///
/// ```swift
/// let pintle = try PintleService(pins, settings, logger: logger)
/// let group = ServiceGroup(services: [pintle, server], gracefulShutdownSignals: [.sigterm], logger: logger)
/// ```
public final class PintleService: Service {
  /// The store; connections ask it.
  public let store: PinStore
  /// What the service does.
  public let settings: PintleServiceSettings
  let log: ServiceLog
  let metrics: ServiceMetrics
  let pacing: Pacing
  let events: PinEvents
  let reporting: Reporting?
  let state: Mutex<ServiceState>
  let fetchWait = Wait()
  let watchWait = Wait()

  /// Opens a store and prepares to keep it.
  ///
  /// - Parameters:
  ///   - pins: The settings of the store. Its observers stay, and the service's own are added.
  ///   - settings: What the service does besides.
  ///   - logger: Where events go.
  ///   - factory: Where counters and gauges go; the process's own unless given.
  ///   - pacing: What waits are measured by.
  /// - Throws: ``ServiceSettingsError`` where a setting can't be used.
  public init(
    _ pins: PinStoreSettings, _ settings: PintleServiceSettings, logger: Logger,
    metrics factory: any MetricsFactory = MetricsSystem.factory, pacing: Pacing = Pacing()
  ) throws(ServiceSettingsError) {
    try settings.check()
    try settings.check(against: pins)
    let metrics = ServiceMetrics(factory)
    let events = PinEvents()
    let reporting = settings.reports.map { Reporting($0) }
    var pins = pins
    pins.observers.append { handshake, decision, instant in
      metrics.count(decision)
      events.add(handshake, decision, at: instant)
    }
    if let reporting { pins.observers.append(reporting.recorder.observer) }
    store = PinStore(pins)
    self.reporting = reporting
    self.settings = settings
    self.metrics = metrics
    self.events = events
    self.pacing = pacing
    log = ServiceLog(logger)
    state = Mutex(
      ServiceState(
        startupProblems: store.startup.problems, keysetWarning: settings.keysetWarning.components.seconds,
        toldKeyset: store.keyset?.version))
    metrics.show(store.status, lastFetch: nil)
    // Observed from init on, not only in run(), because others may update the store too. Weak, because the store keeps
    // the closure.
    _ = store.addActivationObserver { [weak self] in self?.took($0) }
  }

  /// How the service is, for health checks; may be asked at any time.
  public var status: ServiceStatus {
    let status = store.status
    return state.withLock { state in
      ServiceStatus(
        health: state.health(status, reporting?.problem.withLock { $0 }), store: status, lastFetch: state.lastFetch,
        deniedKeysAboveLeaf: deniedKeysAboveLeaf(status))
    }
  }

  func deniedKeysAboveLeaf(_ status: PinStore.Status) -> [String] {
    events.hasLeafOnlyDenials ? status.manifest?.deniedKeysAboveLeaf ?? [] : []
  }

  /// Runs until the service group shuts down or the task is cancelled; may be called once.
  ///
  /// Never throws: what goes wrong is logged, counted, and seen in ``status``.
  public func run() async throws {
    log.started(store)
    // Only a warning, because the application may update keysets itself; otherwise nobody would notice before the
    // expiry.
    if store.keyset != nil, settings.fetch?.keysetURLs.isEmpty != false, settings.keysetFolder == nil {
      log.keysetsNotFollowed()
    }
    state.withLock { $0.isRunning = true }
    housekeep()
    await cancelWhenGracefulShutdown { [self] in
      await withDiscardingTaskGroup { group in
        if let fetch = settings.fetch { group.addTask { await self.fetchManifests(fetch) } }
        if settings.file != nil || settings.keysetFolder != nil { group.addTask { await self.watch() } }
        if let signal = settings.fetchSignal { group.addTask { await self.heed(signal) } }
        if reporting != nil { group.addTask { await self.sendReports() } }
        group.addTask { await self.keepHouse() }
      }
    }
    state.withLock { $0.isRunning = false }
    housekeep(isLast: true)
    log.stopped()
  }
}

extension PintleServiceSettings {
  /// Finds what can't work before anything is started.
  func check() throws(ServiceSettingsError) {
    if let fetch { try fetch.check() }
    if let keysetFolder, keysetFolder.interval < .milliseconds(100) {
      throw ServiceSettingsError("pintle.keyset.interval-seconds", "is too short")
    }
    if keysetWarning < .zero { throw ServiceSettingsError("pintle.keyset.warning-days", "is below zero") }
    if let file, file.interval < .milliseconds(100) {
      throw ServiceSettingsError("pintle.file.interval-seconds", "is too short")
    }
    if fetchSignal != nil, fetch == nil, file == nil, keysetFolder == nil {
      throw ServiceSettingsError(
        "pintle.fetch.signal", "has no effect without 'pintle.fetch.urls', 'pintle.file.path' or 'pintle.keyset.folder'"
      )
    }
    if housekeepingInterval < .milliseconds(100) {
      throw ServiceSettingsError("pintle.housekeeping-seconds", "is too short")
    }
  }
}

extension FetchSettings {
  func check() throws(ServiceSettingsError) {
    _ = try ManifestFetcher.sources(self)
    _ = try ManifestFetcher.templates(self)
    let durations: [(String, Duration)] = [
      ("interval", interval), ("due-interval", dueInterval), ("first-retry", firstRetry),
      ("longest-retry", longestRetry), ("deadline", deadline),
    ]
    for (name, duration) in durations where duration < .seconds(1) {
      throw ServiceSettingsError("pintle.fetch.\(name)-seconds", "is below one second")
    }
    guard (0...100).contains(jitterPercent) else {
      throw ServiceSettingsError("pintle.fetch.jitter-percent", "is not between 0 and 100")
    }
  }
}

extension PintleServiceSettings {
  /// Checks that the settings can work with those of the store.
  func check(against pins: PinStoreSettings) throws(ServiceSettingsError) {
    try fetch?.check(against: pins)
    guard keysetFolder != nil, case .signers = pins.trust else { return }
    throw ServiceSettingsError.fixedSigners("pintle.keyset.folder")
  }
}

extension FetchSettings {
  func check(against pins: PinStoreSettings) throws(ServiceSettingsError) {
    guard !keysetURLs.isEmpty, case .signers = pins.trust else { return }
    throw ServiceSettingsError.fixedSigners("pintle.keyset.urls")
  }
}

extension ServiceSettingsError {
  fileprivate static func fixedSigners(_ key: String) -> ServiceSettingsError {
    ServiceSettingsError(key, "has no effect where signers are fixed; give the store the keyset that was shipped")
  }
}
#endif
