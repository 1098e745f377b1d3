import OpenSSLKit
public import PinFormat
public import PinValidator

/// A connection whose validated chain didn't satisfy its host entry, with what the report formats say of it.
///
/// It holds what RFC 7469 section 3 names, and whether the entry enforces, which TrustKit's format names. It has nothing
/// of the client: no address, no name of a machine, nothing of the request.
public struct MismatchReport: Hashable, Sendable {
  /// When the connection was judged.
  public let dateTime: Instant
  /// The host that the connection was for, in canonical form.
  public let hostname: String
  /// The port that the connection was for.
  public let port: UInt16
  /// When the pins expire: the entry's `expires`, or the manifest's where the entry has none.
  public let effectiveExpiration: Instant
  /// Whether the entry covers the names below its host.
  public let includesSubdomains: Bool
  /// The entry's host.
  public let notedHostname: String
  /// The certificates as the server sent them, DER, the leaf first.
  public let servedChain: [[UInt8]]
  /// The certificates that trust evaluation built a path of, DER, leaf to anchor.
  public let validatedChain: [[UInt8]]
  /// The entry's key set, active keys first.
  public let knownPins: [Pin]
  /// Whether the entry enforces at this time; false where it only reports.
  public let isEnforced: Bool
  /// The entry as messages name it, such as `api.example.com:8443`.
  public let entry: String
  /// Where the entry asks for reports, in order of preference.
  public let reportURIs: [String]

  /// Describes what came of a handshake; nil where there is nothing to report.
  ///
  /// Reported are a mismatch, in `enforce` and in `report-only`, and a denied key. Everything else is only counted:
  /// where trust evaluation fails there is no validated chain, and the failure is one that any TLS client has. A
  /// client's certificate is never reported, since it may name a person.
  ///
  /// - Parameters:
  ///   - handshake: What was judged.
  ///   - decision: The result.
  ///   - instant: When it was judged.
  public init?(_ handshake: PeerHandshake, _ decision: Decision, at instant: Instant) {
    guard decision.isReportable(of: handshake.peer), let manifest = decision.manifest, let chain = decision.chain,
      let number = decision.verdict.context.entry, manifest.tables.hosts.indices.contains(number)
    else { return nil }
    let tables = manifest.tables
    let record = tables.hosts[number]
    dateTime = instant
    hostname = Self.canonical(handshake.host)
    port = handshake.port
    effectiveExpiration = tables.expiry(of: record) ?? manifest.expires
    includesSubdomains = record.includesSubdomains
    notedHostname = tables.host(ofEntry: number)
    servedChain = handshake.certificates
    validatedChain = chain.certificates
    knownPins = (record.keySet.map { tables.members(ofKeySet: $0) } ?? 0..<0).map {
      tables.pin(ofKey: tables.member($0).key)
    }
    isEnforced = !decision.verdict.context.events.contains(.reportOnly)
    entry = tables.label(ofEntry: number)
    reportURIs = tables.reportURIs(ofEntry: number)
  }

  /// The host as entries are looked up by; a text that isn't a host stays as it is.
  static func canonical(_ host: String) -> String {
    guard let canonical = try? CanonicalHost(host.utf8Span.span, isQuestion: true) else { return host }
    return HostName(canonical).text
  }
}

extension Decision {
  /// Whether a report is due: a mismatch or a denied key, of a server.
  func isReportable(of peer: PeerHandshake.Peer) -> Bool {
    guard peer == .server, chain != nil else { return false }
    return switch verdict {
    case .allow(.mismatchReported, _), .block(.mismatch, _), .block(.deniedKey, _): true
    default: false
    }
  }
}

extension MismatchReport {
  /// The report as it is sent: JSON without spaces, fields sorted by name, each once.
  ///
  /// Where it would be too long, certificates are left out from the end of the served chain, the leaf's never. The last
  /// remaining one says so, in explanatory text before its PEM block (RFC 7468 section 5.2).
  ///
  /// - Parameters:
  ///   - format: The format to write.
  ///   - service: What the service says of itself, where the format has fields for it.
  ///   - maximumBytes: The most bytes that the report may have.
  /// - Returns: The bytes of the report; nil where it is too long even so, or libcrypto fails.
  public func encoded(
    as format: ReportFormat, from service: ReportingService, maximumBytes: Int = 256 << 10
  ) -> [UInt8]? {
    guard let validated = Self.pem(validatedChain) else { return nil }
    switch format {
    case .trustKit:
      let bytes = trustKit(validated: validated, service)
      return bytes.count <= maximumBytes ? bytes : nil
    case .rfc7469:
      guard var served = Self.pem(servedChain) else { return nil }
      var bytes = rfc7469(served: served, validated: validated)
      while bytes.count > maximumBytes, served.count > 1 {
        served.removeLast()
        let left = servedChain.count - served.count
        var noted = served
        let said = left == 1 ? "1 more certificate was served and is" : "\(left) more certificates were served and are"
        noted[noted.count - 1] = said + " left out\n" + noted[noted.count - 1]
        bytes = rfc7469(served: noted, validated: validated)
      }
      return bytes.count <= maximumBytes ? bytes : nil
    }
  }

  /// RFC 7469 section 3.
  private func rfc7469(served: [String], validated: [String]) -> [UInt8] {
    var writer = CanonicalWriter(capacity: 4_096)
    writer.field("date-time", first: true)
    writer.instant(dateTime)
    writer.field("effective-expiration-date")
    writer.instant(effectiveExpiration)
    writer.field("hostname")
    writer.string(hostname)
    writer.field("include-subdomains")
    writer.boolean(includesSubdomains)
    writer.field("known-pins")
    writer.strings(pinTexts)
    writer.field("noted-hostname")
    writer.string(notedHostname)
    writer.field("port")
    writer.integer(Int64(port))
    writer.field("served-certificate-chain")
    writer.strings(served)
    writer.field("validated-certificate-chain")
    writer.strings(validated)
    writer.byte("}")
    return writer.bytes
  }

  /// The format of TrustKit's `TSKPinFailureReport`.
  ///
  /// `validation-result` is 1, TrustKit's number for a chain that is trusted and has none of the pins; it has no number
  /// of its own for a denied key. Its other failures are never reported.
  private func trustKit(validated: [String], _ service: ReportingService) -> [UInt8] {
    var writer = CanonicalWriter(capacity: 4_096)
    writer.field("app-bundle-id", first: true)
    writer.string(service.name)
    writer.field("app-platform")
    writer.string(service.platform)
    writer.field("app-platform-version")
    writer.string(service.platformVersion)
    writer.field("app-vendor-id")
    writer.string(service.vendorIdentifier)
    writer.field("app-version")
    writer.string(service.version)
    writer.field("date-time")
    writer.instant(dateTime)
    writer.field("enforce-pinning")
    writer.boolean(isEnforced)
    writer.field("hostname")
    writer.string(hostname)
    writer.field("include-subdomains")
    writer.boolean(includesSubdomains)
    writer.field("known-pins")
    writer.strings(pinTexts)
    writer.field("known-pins-expiration-date")
    writer.string(String(effectiveExpiration.description.prefix(10)))
    writer.field("noted-hostname")
    writer.string(notedHostname)
    writer.field("port")
    writer.integer(Int64(port))
    writer.field("trustkit-version")
    writer.string(Self.trustKitVersion)
    writer.field("validated-certificate-chain")
    writer.strings(validated)
    writer.field("validation-result")
    writer.integer(1)
    writer.byte("}")
    return writer.bytes
  }

  /// Who wrote the report: no version of TrustKit is claimed, and collectors don't read one from it.
  private static let trustKitVersion = "pintle"

  /// The pins as RFC 7469 section 3 has them, `pin-sha256="…"`.
  private var pinTexts: [String] { knownPins.map { "pin-sha256=\"" + Base64.encode($0.digest.bytes) + "\"" } }

  /// PEM without the line break at the end, as in the RFC's example.
  private static func pem(_ chain: [[UInt8]]) -> [String]? {
    var texts: [String] = []
    for certificate in chain {
      guard var text = try? PEMBlock.write(label: "CERTIFICATE", bytes: certificate) else { return nil }
      if text.last == UInt8(ascii: "\n") { text.removeLast() }
      texts.append(String(decoding: text, as: UTF8.self))
    }
    return texts
  }
}

extension CanonicalWriter {
  mutating func boolean(_ value: Bool) {
    literal(value ? "true" : "false")
  }
}
