#if Service
import AsyncHTTPClient
import Configuration
import Logging
import PinFormat
import PinValidator
import Testing

@testable import PinService

@Suite struct ConfigurationTests {
  let folder: TemporaryFolder
  let releases = Releases()
  let key: String

  init() throws {
    folder = try TemporaryFolder()
    key = try folder.write(releases.publicKey, to: "release.pub")
  }

  /// What is least needed.
  var least: [String: String] {
    ["PINTLE_AUDIENCE": "test", "PINTLE_SIGNERS_FILES": key, "PINTLE_WITHOUT_MANIFEST": "block"]
  }

  func reader(_ more: [String: String?] = [:]) -> ConfigReader {
    var variables = least
    for (name, value) in more { variables[name] = value }
    return ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: variables))
  }

  @Test func `the least that is needed`() throws {
    let pins = try PinStoreSettings(reader())
    #expect(pins.audience == "test")
    #expect(pins.withoutManifest == .block)
    guard case .signers(let signers) = pins.trust else {
      Issue.record("the signers aren't fixed")
      return
    }
    #expect(signers.threshold == 1)
    #expect(pins.directory == nil && pins.embedded == nil)
    #expect(pins.activationGuard == ActivationGuard())
    let settings = try PintleServiceSettings(reader())
    #expect(settings.fetch == nil && settings.file == nil)
    #expect(settings.housekeepingInterval == .seconds(10))
  }

  @Test func `every key, from environment variables`() throws {
    let authority = try TestAuthority()
    let roots = try folder.write(authority.rootPEM, to: "roots.pem")
    let manifest = try releases.file(serial: 3)
    let embedded = try folder.write(manifest, to: "manifest.json")
    let reader = reader([
      "PINTLE_SIGNERS_THRESHOLD": "1", "PINTLE_WITHOUT_MANIFEST": "not-pinned", "PINTLE_DIRECTORY": folder.path,
      "PINTLE_EMBEDDED_FILE": embedded, "PINTLE_MAXIMUM_BYTES": "4096", "PINTLE_GUARD_MAXIMUM_LOSS_PERCENT": "5",
      "PINTLE_GUARD_REPLAYS_RECENT_CHAINS": "false", "PINTLE_ANCHORS_FILES": roots, "PINTLE_ANCHORS_SYSTEM": "true",
      "PINTLE_GUARD_RECENT_SECONDS": "7200",
      "PINTLE_FETCH_URLS": "https://a.test/m.json,http://b.test/m.json", "PINTLE_FETCH_ALLOW_HTTP": "true",
      "PINTLE_FETCH_INTERVAL_SECONDS": "60", "PINTLE_FETCH_DUE_INTERVAL_SECONDS": "30",
      "PINTLE_FETCH_JITTER_PERCENT": "20", "PINTLE_FETCH_FIRST_RETRY_SECONDS": "5",
      "PINTLE_FETCH_LONGEST_RETRY_SECONDS": "50", "PINTLE_FETCH_LONGEST_RETRY_AFTER_SECONDS": "70",
      "PINTLE_FETCH_DOWNLOAD_GROWTH": "2", "PINTLE_FETCH_LEAST_DOWNLOAD_BYTES": "2048",
      "PINTLE_FETCH_DEADLINE_SECONDS": "7", "PINTLE_FETCH_SIGNAL": "SIGHUP",
      "PINTLE_FILE_PATH": "/etc/pintle/manifest.json",
      "PINTLE_FILE_INTERVAL_SECONDS": "3", "PINTLE_HTTP_TRUST_ROOT_FILES": roots,
      "PINTLE_HTTP_PROXY_HOST": "proxy.test",
      "PINTLE_HTTP_PROXY_PORT": "3128", "PINTLE_HTTP_CONNECT_TIMEOUT_SECONDS": "4", "PINTLE_HOUSEKEEPING_SECONDS": "2",
    ])
    let pins = try PinStoreSettings(reader)
    #expect(pins.withoutManifest == .notPinned)
    #expect(pins.directory == folder.path)
    #expect(pins.embedded == manifest)
    #expect(pins.maximumBytes == 4_096)
    #expect(
      pins.activationGuard == ActivationGuard(maximumLossPercent: 5, replaysRecentChains: false, recentPeriod: 7_200))
    let settings = try PintleServiceSettings(reader)
    let fetch = try #require(settings.fetch)
    #expect(fetch.urls == ["https://a.test/m.json", "http://b.test/m.json"])
    #expect(fetch.interval == .seconds(60) && fetch.dueInterval == .seconds(30) && fetch.jitterPercent == 20)
    #expect(fetch.firstRetry == .seconds(5) && fetch.longestRetry == .seconds(50))
    #expect(fetch.longestRetryAfter == .seconds(70) && fetch.deadline == .seconds(7))
    #expect(fetch.downloadGrowth == 2 && fetch.leastDownloadLimit == 2_048)
    #expect(settings.fetchSignal == .hangUp)
    #expect(settings.file == WatchedFile(path: "/etc/pintle/manifest.json", interval: .seconds(3)))
    #expect(settings.http.additionalTrustRoots.count == 1)
    #expect(settings.http.proxy?.host == "proxy.test" && settings.http.proxy?.port == 3_128)
    #expect(settings.http.connectTimeout == .seconds(4))
    #expect(settings.housekeepingInterval == .seconds(2))
  }

  @Test(
    arguments: [
      ("PINTLE_AUDIENCE", nil, "pintle.audience"),
      ("PINTLE_SIGNERS_FILES", nil, "pintle.signers.files"),
      ("PINTLE_SIGNERS_FILES", "/nowhere/release.pub", "pintle.signers.files"),
      ("PINTLE_SIGNERS_FILES", "/dev/null", "pintle.signers.files"),
      ("PINTLE_SIGNERS_FILES", "/dev/zero", "pintle.signers.files"),
      ("PINTLE_SIGNERS_THRESHOLD", "2", "pintle.signers.threshold"),
      ("PINTLE_SIGNERS_THRESHOLD", "0", "pintle.signers.threshold"),
      ("PINTLE_SIGNERS_THRESHOLD", "one", "pintle.signers.threshold"),
      ("PINTLE_WITHOUT_MANIFEST", nil, "pintle.without-manifest"),
      ("PINTLE_WITHOUT_MANIFEST", "allow", "pintle.without-manifest"),
      ("PINTLE_EMBEDDED_FILE", "/nowhere.json", "pintle.embedded-file"),
      ("PINTLE_MAXIMUM_BYTES", "1", "pintle.maximum-bytes"),
      ("PINTLE_GUARD_MAXIMUM_LOSS_PERCENT", "101", "pintle.guard.maximum-loss-percent"),
      ("PINTLE_GUARD_REPLAYS_RECENT_CHAINS", "perhaps", "pintle.guard.replays-recent-chains"),
      ("PINTLE_ANCHORS_FILES", "/dev/null", "pintle.anchors.files"),
      ("PINTLE_FETCH_URLS", "http://a.test/", "pintle.fetch.urls"),
      ("PINTLE_FETCH_URLS", "https://u:p@a.test/", "pintle.fetch.urls"),
      ("PINTLE_FETCH_SIGNAL", "SIGHUP", "pintle.fetch.signal"),
      ("PINTLE_FILE_INTERVAL_SECONDS", "0", "pintle.file.interval-seconds"),
      ("PINTLE_HTTP_TRUST_ROOT_FILES", "/dev/null", "pintle.http.trust-root-files"),
      ("PINTLE_HTTP_PROXY_HOST", "proxy.test", "pintle.http.proxy-port"),
      ("PINTLE_HOUSEKEEPING_SECONDS", "soon", "pintle.housekeeping-seconds"),
    ] as [(String, String?, String)])
  func `a mistake stops the start and names its key`(variable: String, value: String?, key: String) {
    let error = #expect(throws: ServiceSettingsError.self) {
      var more: [String: String?] = [variable: value]
      if variable == "PINTLE_FILE_INTERVAL_SECONDS" { more["PINTLE_FILE_PATH"] = "/x" }
      _ = try PintleService(
        configuration: reader(more), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }
    #expect(error?.key == key)
    #expect(error?.description.contains(value == nil ? "not set" : ":") == true)
    #expect(error?.description.contains("u:p") == false)
  }

  @Test(arguments: [
    ("PINTLE_FETCH_INTERVAL_SECONDS", "0"), ("PINTLE_FETCH_JITTER_PERCENT", "-1"),
    ("PINTLE_FETCH_DEADLINE_SECONDS", "1.5"), ("PINTLE_FETCH_ALLOW_HTTP", "maybe"),
    ("PINTLE_FETCH_FIRST_RETRY_SECONDS", ""), ("PINTLE_FETCH_LONGEST_RETRY_SECONDS", "999999"),
    ("PINTLE_FETCH_SIGNAL", "SIGKILL"),
  ])
  func `a mistake about fetching names its key`(variable: String, value: String) {
    let error = #expect(throws: ServiceSettingsError.self) {
      try PintleServiceSettings(reader(["PINTLE_FETCH_URLS": "https://a.test/", variable: value]))
    }
    let key = variable.dropFirst("PINTLE_FETCH_".count).lowercased().replacing("_", with: "-")
    #expect(error?.key == "pintle.fetch." + key)
  }

  @Test(arguments: [
    ("PINTLE_ANCHORS_SYSTEM", "true", "pintle.anchors.files"),
    ("PINTLE_FETCH_INTERVAL_SECONDS", "60", "pintle.fetch.urls"),
    ("PINTLE_FILE_INTERVAL_SECONDS", "3", "pintle.file.path"),
    ("PINTLE_HTTP_PROXY_USER", "somebody", "pintle.http.proxy-host"),
    ("PINTLE_REPORTS_AGGREGATE_URIS", "https://a.test/", "pintle.reports.directory"),
  ])
  func `a key without the one that it belongs to is a mistake`(variable: String, value: String, owner: String) {
    let error = #expect(throws: ServiceSettingsError.self) {
      _ = try PintleService(
        configuration: reader([variable: value]), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }
    #expect(error?.description.contains("has no effect without \(owner)") == true)
  }

  @Test func `values of a provider that has types are read too, and a wrong type is a mistake`() throws {
    func settings(_ interval: ConfigValue) throws -> PintleServiceSettings {
      try PintleServiceSettings(
        ConfigReader(
          provider: InMemoryProvider(values: [
            "pintle.fetch.urls": .init(.stringArray(["https://a.test/"]), isSecret: false),
            "pintle.fetch.interval-seconds": interval,
          ])))
    }
    #expect(try settings(.init(.int(120), isSecret: false)).fetch?.interval == .seconds(120))
    let error = #expect(throws: ServiceSettingsError.self) { try settings(.init(.string("120"), isSecret: false)) }
    #expect(error?.key == "pintle.fetch.interval-seconds")
  }
}
#endif
