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
