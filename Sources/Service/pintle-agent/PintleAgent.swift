#if Service
public import ArgumentParser
import Configuration
import Glibc
public import Logging
import PinService
import PinValidator
import ServiceLifecycle
import UnixSignals

/// `pintle-agent`: one fetcher for the clients of a host or pod.
@main
struct PintleAgent: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pintle-agent",
    abstract: "Fetch manifests and keysets for all clients of a host or pod.",
    discussion: """
      The agent fetches and verifies as a service with PinService does, and puts what it accepts into a folder. Clients \
      watch the folder (PINTLE_FILE_PATH=FOLDER/manifest.json, PINTLE_KEYSET_FOLDER=FOLDER/keysets), verify the files \
      themselves and keep their own state. docs/service.md has the settings of both.

      EXAMPLES:
        PINTLE_AUDIENCE=production PINTLE_KEYSET_FILE=1.keyset.json \\
        PINTLE_DIRECTORY=/var/lib/pintle-agent \\
        PINTLE_KEYSET_URLS=https://pins.example.com/{version}.keyset.json \\
        PINTLE_FETCH_URLS=https://pins.example.com/manifest.json \\
          pintle-agent run /run/pintle/production
        pintle-agent check /run/pintle/production
        pintle-agent check --alive /run/pintle/production
      """,
    version: "0.1.0",
    subcommands: [Run.self, Check.self])

  /// Ends with what is wrong.
  static func fail(_ message: String) -> ExitCode {
    let line = "pintle-agent: error: \(message)\n"
    _ = line.utf8.withContiguousStorageIfAvailable { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    return ExitCode(1)
  }
}

/// Fetches and writes until it is stopped.
struct Run: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Fetch, verify and write into a folder, until stopped.",
    discussion: """
      Settings are read from the environment: PINTLE_AUDIENCE, PINTLE_KEYSET_FILE, PINTLE_FETCH_URLS and the others of \
      docs/service.md. PINTLE_DIRECTORY is required: the agent's own state, in another folder. Both folders are \
      created if only their parents exist. One agent is for one audience. Under systemd (Type=notify), it is ready once there is a manifest in the folder.

      EXIT STATUS:
        0   stopped by SIGINT or SIGTERM
        1   the agent could not do its work
        64  wrong usage
      """)

  @Argument(
    help: ArgumentHelp(
      "The folder that clients read. Other users must not be able to write to it.",
      valueName: "folder"))
  var folder: String

  @Option(
    help: ArgumentHelp(
      "Write metrics to this file in the text format of Prometheus, for node_exporter's textfile collector.",
      valueName: "file"))
  var metrics: String?

  @Option(help: "trace, debug, info, notice, warning, error or critical.")
  var logLevel = Logger.Level.info

  func run() async throws {
    signal(SIGPIPE, SIG_IGN)
    // Clients are other users.
    umask(0o022)
    LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
    var logger = Logger(label: "pintle-agent")
    logger.logLevel = logLevel
    let message: String
    do {
      try await serve(logger)
      return
    } catch let error as AgentError {
      message = error.message
    } catch let error as ServiceSettingsError {
      message = error.description
    }
    throw PintleAgent.fail(message)
  }

  private func serve(_ logger: Logger) async throws {
    // The agent answers no client, so what it would answer without a manifest needs no setting.
    let configuration = ConfigReader(providers: [
      EnvironmentVariablesProvider(), InMemoryProvider(values: ["pintle.without-manifest": "block"]),
    ])
    let pins = try PinStoreSettings(configuration)
    let settings = try PintleServiceSettings(configuration)
    guard let state = pins.directory else {
      throw AgentError("pintle.directory: is not set; it is where the agent keeps its own state")
    }
    guard settings.reports == nil else {
      throw AgentError("pintle.reports.directory: the agent reports nothing, because it has no connections: remove it")
    }
    guard settings.fetch != nil || settings.file != nil else {
      throw AgentError("pintle.fetch.urls: is not set, and neither is pintle.file.path, so there is nothing to do")
    }
    try MirrorFolder.createPrivate(state)
    let mirror = try MirrorFolder(folder, besides: state)
    let text = TextMetrics()
    let pintle = try PintleService(pins, settings, logger: logger, metrics: text)
    await blocking { mirror.offer(to: pintle.store) }
    let agent = try Agent(pintle, mirror, text, metricsFile: metrics, logger: logger)
    let group = ServiceGroup(
      services: [pintle, agent], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    try await group.run()
  }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
#else
import Glibc

/// The program as `swift build` makes it without the trait Service.
@main enum PintleAgent {
  static func main() {
    let text =
      "pintle-agent: built without the service. Build it with: swift build -c release --traits Service "
      + "--product pintle-agent\n"
    for byte in text.utf8 { _ = withUnsafePointer(to: byte) { write(STDERR_FILENO, $0, 1) } }
    exit(1)
  }
}
#endif
