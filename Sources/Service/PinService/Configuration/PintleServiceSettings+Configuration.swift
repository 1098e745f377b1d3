#if Service
import AsyncHTTPClient
public import Configuration
import NIOSSL
import PinReports
import PinValidator

extension PintleServiceSettings {
  /// Reads what a service does: the keys below `pintle` that `docs/service.md` lists.
  ///
  /// - Parameter configuration: The process's configuration.
  /// - Throws: ``ServiceSettingsError``, which names the key, where a value can't be used.
  public init(_ configuration: ConfigReader) throws(ServiceSettingsError) {
    let values = ConfigurationValues(pintle: configuration)
    self.init()
    if let urls = try values.strings("fetch.urls"), !urls.isEmpty {
      fetch = try FetchSettings(urls: urls, values)
    } else {
      try values.refuse(FetchSettings.dependentKeys, without: "fetch.urls")
    }
    if let path = try values.string("file.path") {
      file = WatchedFile(path: path)
      if let interval = try values.seconds("file.interval-seconds", in: 1...86_400) { file?.interval = interval }
    } else {
      try values.refuse(["file.interval-seconds"], without: "file.path")
    }
    if let name = try values.string("fetch.signal") {
      guard let signal = FetchSignal(rawValue: name) else {
        throw values.error("fetch.signal", "is not SIGHUP, SIGUSR1 or SIGUSR2")
      }
      fetchSignal = signal
    }
    try readKeysets(values)
    reports = try ReportSettings.read(values)
    http = try HTTPSettings(values)
    if let interval = try values.seconds("housekeeping-seconds", in: 1...3_600) { housekeepingInterval = interval }
    try check()
  }

  private mutating func readKeysets(_ values: ConfigurationValues) throws(ServiceSettingsError) {
    guard try values.string("keyset.file") != nil else {
      return try values.refuse(
        ["urls", "folder", "interval-seconds", "warning-days"].map { "keyset." + $0 }, without: "keyset.file")
    }
    if fetch != nil {
      fetch?.keysetURLs = try values.strings("keyset.urls") ?? []
    } else {
      try values.refuse(["keyset.urls"], without: "fetch.urls")
    }
    if let path = try values.string("keyset.folder") {
      keysetFolder = WatchedFolder(path: path)
      if let interval = try values.seconds("keyset.interval-seconds", in: 1...86_400) {
        keysetFolder?.interval = interval
      }
    } else {
      try values.refuse(["keyset.interval-seconds"], without: "keyset.folder")
    }
    if let days = try values.number("keyset.warning-days", in: 0...3_650) {
      keysetWarning = .seconds(days * 86_400)
    }
  }
}

extension FetchSettings {
  /// The keys that say how the URLs are asked.
  static let dependentKeys = [
    "allow-http", "interval-seconds", "due-interval-seconds", "jitter-percent", "first-retry-seconds",
    "longest-retry-seconds", "longest-retry-after-seconds", "deadline-seconds", "download-growth",
    "least-download-bytes",
  ].map { "fetch." + $0 }

  init(urls: [String], _ values: ConfigurationValues) throws(ServiceSettingsError) {
    self.init(urls: urls)
    let day = 86_400
    if let value = try values.flag("fetch.allow-http") { allowsPlainHTTP = value }
    if let value = try values.seconds("fetch.interval-seconds", in: 1...7 * day) { interval = value }
    if let value = try values.seconds("fetch.due-interval-seconds", in: 1...day) { dueInterval = value }
    if let value = try values.number("fetch.jitter-percent", in: 0...100) { jitterPercent = value }
    if let value = try values.seconds("fetch.first-retry-seconds", in: 1...day) { firstRetry = value }
    if let value = try values.seconds("fetch.longest-retry-seconds", in: 1...day) { longestRetry = value }
    if let value = try values.seconds("fetch.longest-retry-after-seconds", in: 0...day) { longestRetryAfter = value }
    if let value = try values.seconds("fetch.deadline-seconds", in: 1...3_600) { deadline = value }
    if let value = try values.number("fetch.download-growth", in: 1...1_000) { downloadGrowth = value }
    let bytes = 1_024...LoadedManifest.defaultMaximumBytes
    if let value = try values.number("fetch.least-download-bytes", in: bytes) { leastDownloadLimit = value }
  }
}

extension HTTPSettings {
  init(_ values: ConfigurationValues) throws(ServiceSettingsError) {
    self.init()
    for bytes in try values.read("http.trust-root-files", try values.strings("http.trust-root-files") ?? []) {
      guard let certificates = try? NIOSSLCertificate.fromPEMBytes(bytes), !certificates.isEmpty else {
        throw values.error("http.trust-root-files", "holds a file without certificates in PEM")
      }
      additionalTrustRoots += certificates
    }
    if let host = try values.string("http.proxy-host") {
      let port = try values.required("http.proxy-port", try values.number("http.proxy-port", in: 1...65_535))
      if let user = try values.string("http.proxy-user") {
        let password = try values.secret("http.proxy-password") ?? ""
        proxy = .server(host: host, port: port, authorization: .basic(username: user, password: password))
      } else {
        try values.refuse(["http.proxy-password"], without: "http.proxy-user")
        proxy = .server(host: host, port: port)
      }
    } else {
      try values.refuse(["http.proxy-port", "http.proxy-user", "http.proxy-password"], without: "http.proxy-host")
    }
    if let value = try values.seconds("http.connect-timeout-seconds", in: 1...600) { connectTimeout = value }
  }
}
#endif
