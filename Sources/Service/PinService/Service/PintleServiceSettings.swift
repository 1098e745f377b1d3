#if Service
public import PinReports

/// What a ``PintleService`` does besides keeping a store.
public struct PintleServiceSettings: Sendable {
  /// Where manifests are fetched from; nil where nothing is fetched.
  public var fetch: FetchSettings?
  /// The signal on which the service looks for something newer at once, while it runs; nil for none, which leaves the
  /// process's signals as they are.
  public var fetchSignal: FetchSignal?
  /// A manifest file that is watched; nil where none is.
  public var file: WatchedFile?
  /// A folder of keysets that is watched; nil where none is.
  public var keysetFolder: WatchedFolder?
  /// How long before its expiry the keyset in force is warned of, 30 days unless set: a newer one should be there by then.
  public var keysetWarning: Duration
  /// How reports are kept and sent; nil where nothing is reported.
  public var reports: ReportSettings?
  /// How requests are made.
  public var http: HTTPSettings
  /// The time between two looks at what there is to do: log, gauges, reports to queue, state to write.
  public var housekeepingInterval: Duration

  /// A service that only observes its store: no fetch, no file, no folder, no reports; housekeeping every ten seconds.
  public init() {
    fetch = nil
    fetchSignal = nil
    file = nil
    keysetFolder = nil
    keysetWarning = .seconds(30 * 86_400)
    reports = nil
    http = HTTPSettings()
    housekeepingInterval = .seconds(10)
  }
}

/// A manifest file that something else puts in place, such as a mounted volume or a configuration agent.
public struct WatchedFile: Hashable, Sendable {
  /// The file's path.
  public var path: String
  /// The time between two looks at it.
  public var interval: Duration

  /// Describes a file that is checked every ten seconds, or at the given interval.
  public init(path: String, interval: Duration = .seconds(10)) {
    self.path = path
    self.interval = interval
  }
}

/// A folder into which something else puts keysets, `2.keyset.json` and so on, beside a manifest file or alone.
public struct WatchedFolder: Hashable, Sendable {
  /// The folder's path.
  public var path: String
  /// The time between two checks; if a file is watched too, both are checked as often as the shorter time
  /// says, the folder first.
  public var interval: Duration

  /// Describes a folder that is checked every ten seconds, or at the given interval.
  public init(path: String, interval: Duration = .seconds(10)) {
    self.path = path
    self.interval = interval
  }
}
#endif
