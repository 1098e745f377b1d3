#if Service
import Configuration
import Logging
import PinService
import PinValidator
import ServiceLifecycle
import UnixSignals

func run(beside server: any Service) async throws {
  let logger = Logger(label: "payments")
  let configuration = ConfigReader(provider: EnvironmentVariablesProvider())
  let pintle = try PintleService(configuration: configuration, logger: logger)
  // Give `pintle.store` to the transports, see transports.md.
  let group = ServiceGroup(services: [pintle, server], gracefulShutdownSignals: [.sigterm], logger: logger)
  try await group.run()
}

func service(shipped: [UInt8], logger: Logger) throws -> PintleService {
  let keyset = try TrustedKeyset.load(shipped: shipped, audience: "production")
  var pins = PinStoreSettings(keyset: keyset, withoutManifest: .block)
  pins.directory = "/var/lib/payments/pintle"
  var settings = PintleServiceSettings()
  settings.fetch = FetchSettings(urls: ["https://pins.example.com/manifest.json"])
  settings.fetch?.keysetURLs = ["https://pins.example.com/keysets/{version}.keyset.json"]
  let pintle = try PintleService(pins, settings, logger: logger)
  return pintle
}

/// For an endpoint of the service's own, which only its administrators reach.
func fetchNow(_ pintle: PintleService) {
  pintle.fetchNow()
}

/// For a health check, or a page of the service's own.
func describe(_ pintle: PintleService) -> String {
  let status = pintle.status
  guard let version = status.keysetVersion, let days = status.keysetDaysLeft else { return "signers are fixed" }
  return "keyset \(version), days left: \(days), manifest endorsed: \(status.store.isEndorsed)"
}
#endif
