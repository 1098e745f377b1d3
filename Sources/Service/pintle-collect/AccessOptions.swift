#if Collector
public import ArgumentParser
import Foundation
import Logging
public import PinCollector

/// Who may connect, report and read, and how often.
struct AccessOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Serve HTTPS with this certificate chain (PEM).", valueName: "file"))
  var tlsCertificate: String?

  @Option(help: ArgumentHelp("The certificate's private key (PEM).", valueName: "file"))
  var tlsKey: String?

  @Option(
    help: ArgumentHelp(
      "Let only those read who know the token in this file: as 'Authorization: Bearer', or as the password that a "
        + "browser asks for.", valueName: "file"))
  var tokenFile: String?

  @Option(
    help: ArgumentHelp("Take only reports about this domain and what is below it; repeatable.", valueName: "domain"))
  var acceptHost: [String] = []

  @Option(
    help: ArgumentHelp(
      "A name that the collector accepts in Host, besides localhost and IP addresses; repeatable. Needed if clients or a "
        + "proxy send another name in Host and the collector doesn't serve HTTPS itself.", valueName: "name"))
  var hostName: [String] = []

  @Flag(
    help: "Believe X-Forwarded-For about who a client is; only behind a proxy that adds to it. Its last address counts."
  )
  var trustForwarded = false

  @Option(
    help: ArgumentHelp(
      "Believe X-Forwarded-For only from this proxy (192.0.2.1) or these (10.0.0.0/8); repeatable. The last address that "
        + "isn't a proxy's counts.", valueName: "address"))
  var trustedProxy: [AddressRange] = []

  @Option(help: "The reports a second that are accepted from one address in the long run.")
  var rate = 2.0

  @Option(help: "The reports that are accepted from one address at once.")
  var burst = 60.0

  @Option(
    help: ArgumentHelp(
      "The reports a second that are accepted from all addresses together. (default: 100, or --rate if that is more)",
      valueName: "rate"))
  var overallRate: Double?

  @Option(
    help: ArgumentHelp(
      "The reports that are accepted from all addresses at once; half of them only as the first of an address in ten "
        + "minutes. (default: 1000, or twice --burst if that is more)", valueName: "burst"))
  var overallBurst: Double?

  func validate() throws {
    guard (tlsCertificate == nil) == (tlsKey == nil) else {
      throw ValidationError("--tls-certificate and --tls-key belong together.")
    }
    guard rate > 0, rate <= 100_000 else { throw ValidationError("--rate is above 0 and at most 100000.") }
    guard burst >= 1, burst <= 1_000_000 else { throw ValidationError("--burst is from 1 to 1000000.") }
    if let overallRate, !(rate...1_000_000).contains(overallRate) {
      throw ValidationError("--overall-rate is from --rate to 1000000.")
    }
    if let overallBurst, !(2 * burst...10_000_000).contains(overallBurst) {
      throw ValidationError("--overall-burst is from twice --burst to 10000000.")
    }
    for name in hostName where name.isEmpty || name.contains(":") || name.contains("/") {
      throw ValidationError("--host-name is a name without a port: pins.example.org.")
    }
    for host in acceptHost where host.isEmpty || host.hasPrefix(".") || host != host.lowercased() {
      throw ValidationError("--accept-host is a domain in small letters without a dot before it: example.com.")
    }
  }

  var scheme: String { tlsCertificate == nil ? "http" : "https" }

  func apply(to settings: inout CollectorSettings) throws {
    if let tlsCertificate, let tlsKey { settings.tls = .init(certificates: tlsCertificate, key: tlsKey) }
    settings.readToken = try tokenFile.map(Self.token)
    settings.acceptedHosts = acceptHost
    settings.hostNames = hostName
    settings.trustsForwarded = trustForwarded || !trustedProxy.isEmpty
    settings.trustedProxies = trustedProxy
    settings.rates.perAddress = rate
    settings.rates.burstPerAddress = burst
    settings.rates.overall = overallRate ?? max(settings.rates.overall, rate)
    settings.rates.burstOverall = overallBurst ?? max(settings.rates.burstOverall, 2 * burst)
  }

  /// Says what an operator may not have meant.
  func warn(_ listen: ListenAddress, _ logger: Logger) {
    let isBehindAProxy = trustForwarded || !trustedProxy.isEmpty
    if hostName.isEmpty, tlsCertificate == nil, isBehindAProxy || !listen.isLoopback {
      logger.warning("only requests to the collector's address or localhost are accepted; --host-name adds a name")
    }
    guard !listen.isLoopback else { return }
    if tokenFile == nil { logger.warning("anybody who can connect can read; --token-file changes that") }
    if tlsCertificate == nil {
      logger.warning("reports and answers go over the network in clear; serve HTTPS or use a proxy")
    }
  }

  private static func token(_ path: String) throws -> String {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw CollectorError("can't read the token in '\(path)'")
    }
    let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    guard (16...1_024).contains(text.utf8.count) else {
      throw CollectorError("the token in '\(path)' has \(text.utf8.count) bytes; it needs 16 to 1024")
    }
    return text
  }
}

extension AddressRange: ExpressibleByArgument {
  /// Reads an option's value.
  public init?(argument: String) { self.init(argument) }
}
#endif
