#if Collector
import ArgumentParser
import Foundation
import Logging
import PinCollector

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

  @Flag(help: "Believe X-Forwarded-For about who a client is; only behind a proxy that sets it.")
  var trustForwarded = false

  @Option(help: "How many reports a second are taken from one address in the long run.")
  var rate = 2.0

  @Option(help: "How many reports are taken from one address at once.")
  var burst = 60.0

  func validate() throws {
    guard (tlsCertificate == nil) == (tlsKey == nil) else {
      throw ValidationError("--tls-certificate and --tls-key belong together.")
    }
    guard rate > 0, rate <= 100_000 else { throw ValidationError("--rate is above 0 and at most 100000.") }
    guard burst >= 1, burst <= 1_000_000 else { throw ValidationError("--burst is from 1 to 1000000.") }
    for host in acceptHost where host.isEmpty || host.hasPrefix(".") || host != host.lowercased() {
      throw ValidationError("--accept-host is a domain in small letters without a dot before it: example.com.")
    }
  }

  var scheme: String { tlsCertificate == nil ? "http" : "https" }

  func apply(to settings: inout CollectorSettings) throws {
    if let tlsCertificate, let tlsKey { settings.tls = .init(certificates: tlsCertificate, key: tlsKey) }
    settings.readToken = try tokenFile.map(Self.token)
    settings.acceptedHosts = acceptHost
    settings.trustsForwarded = trustForwarded
    settings.rates.perAddress = rate
    settings.rates.burstPerAddress = burst
    settings.rates.overall = max(settings.rates.overall, rate)
    settings.rates.burstOverall = max(settings.rates.burstOverall, burst)
  }

  /// Says what an operator may not have meant.
  func warn(_ listen: ListenAddress, _ logger: Logger) {
    guard !listen.isLoopback else { return }
    if tokenFile == nil { logger.warning("whoever can connect can read; --token-file changes that") }
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
#endif
