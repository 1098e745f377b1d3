#if Collector
public import ArgumentParser
import Glibc
public import Logging
import PinCollector
import ServiceLifecycle
import UnixSignals

/// `pintle-collect`: parses arguments, runs the collector, says why it can't.
@main
struct PintleCollect: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pintle-collect",
    abstract: "Receive reports of pin mismatches, store them and show them.",
    discussion: """
      Clients POST their reports to /reports: in the formats of RFC 7469 and TrustKit, and the daily counts of \
      Pintle's own clients. The page at / and the JSON at /v1/… say which hosts and keys fail since when, which \
      entries are ready to enforce, and which manifests clients run. docs/reports.md has the rest.

      Anybody who can connect can report: reports prove nothing about who sent them. Reading needs the token of \
      --token-file, where there is one. Requests have to name localhost, an IP address or a --host-name in Host, \
      unless the collector serves HTTPS itself, so that web pages can't reach it by way of a browser.

      EXAMPLES:
        pintle-collect
        pintle-collect --listen 0.0.0.0:8464 --token-file token \\
          --tls-certificate chain.pem --tls-key key.pem
        pintle-collect --postgres 'host=db dbname=pins' --trust-forwarded
        pintle-collect --listen 10.0.0.5:8464 --trusted-proxy 10.0.0.0/24 \\
          --host-name pins.example.org
        pintle-collect --forward - | log-shipper

      EXIT STATUS:
        0   stopped by SIGINT or SIGTERM, with everything stored
        1   the collector could not do its work
        64  wrong usage

      SIGHUP opens the file of --forward again, for log rotation.
      """,
    version: "0.1.0")

  @Option(help: ArgumentHelp("The address and port to listen on; port 0 is any free one.", valueName: "host:port"))
  var listen = ListenAddress(host: "127.0.0.1", port: 8464)

  @OptionGroup(title: "Storage") var storage: StorageOptions
  @OptionGroup(title: "Who may do what") var access: AccessOptions

  @Option(
    help: ArgumentHelp("Add a line of JSON for each report to a file, or to standard output (-).", valueName: "file"))
  var forward: String?

  @Option(help: "trace, debug, info, notice, warning, error or critical.")
  var logLevel = Logger.Level.info

  func run() async throws {
    // With SIGPIPE ignored, a closed pipe is an error of one call, and doesn't end the process.
    signal(SIGPIPE, SIG_IGN)
    // Stored and forwarded reports are readable only by this user.
    umask(0o077)
    LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
    var logger = Logger(label: "pintle-collect")
    logger.logLevel = logLevel
    do {
      let collector = try Collector(try settings(), logger: logger, onListening: announce)
      access.warn(listen, logger)
      let hangUps = HangUps { collector.reopenForward() }
      defer { hangUps.stop() }
      var configuration = ServiceGroupConfiguration(
        services: [collector, ShutdownLimit(seconds: 30)], gracefulShutdownSignals: [.sigterm, .sigint],
        logger: logger)
      // Shorter than ShutdownLimit, so that cancelled work leaves the database consistent.
      configuration.maximumGracefulShutdownDuration = Duration.seconds(25)
      try await ServiceGroup(configuration: configuration).run()
    } catch let error as CollectorError {
      Self.say("pintle-collect: error: \(error.message)")
      throw ExitCode(1)
    }
  }

  /// Says where it listens: for people, and for programs that asked for any free port.
  private var announce: @Sendable (_ port: Int) -> Void {
    let address = "\(access.scheme)://\(listen.shownHost)"
    return { Self.say("pintle-collect: listening on \(address):\($0)") }
  }

  private func settings() throws -> CollectorSettings {
    var settings = CollectorSettings(storage: storage.storage)
    settings.host = listen.host
    settings.port = listen.port
    settings.limits = storage.limits
    settings.forward = forward
    try access.apply(to: &settings)
    return settings
  }

  static func say(_ text: String) {
    let line = text + "\n"
    _ = line.utf8.withContiguousStorageIfAvailable { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
#else
import Glibc

/// The program as `swift build` makes it without the trait Collector.
@main enum PintleCollect {
  static func main() {
    let text =
      "pintle-collect: built without the collector. Build it with: swift build -c release --traits Collector "
      + "--product pintle-collect\n"
    for byte in text.utf8 { _ = withUnsafePointer(to: byte) { write(STDERR_FILENO, $0, 1) } }
    exit(1)
  }
}
#endif
