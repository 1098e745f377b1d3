public import PinReports

/// What a ``PintleService`` does besides keeping a store.
public struct PintleServiceSettings: Sendable {
  /// Where manifests are fetched from; nil where nothing is fetched.
  public var fetch: FetchSettings?
  /// A manifest file that is watched; nil where none is.
  public var file: WatchedFile?
  /// How reports are kept and sent; nil where nothing is reported.
  public var reports: ReportSettings?
  /// How requests are made.
  public var http: HTTPSettings
  /// The time between two looks at what there is to do: log, gauges, reports to queue, state to write.
  public var housekeepingInterval: Duration

  /// A service that only observes its store: no fetch, no file, no reports; housekeeping every ten seconds.
  public init() {
    fetch = nil
    file = nil
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

  /// Describes a file that is looked at every ten seconds, or as often as told.
  public init(path: String, interval: Duration = .seconds(10)) {
    self.path = path
    self.interval = interval
  }
}
