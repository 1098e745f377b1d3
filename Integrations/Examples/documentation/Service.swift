import Configuration
import Logging
import PinService
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
