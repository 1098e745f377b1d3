import Diagnostics
import PinFormat
import PinPolicy

extension ExportFormat {
  /// TLSA records, as lines of a zone file (RFC 6698).
  package static let tlsa = ExportFormat(
    name: "tlsa", title: "DANE's TLSA records, as lines of a zone file", citation: TLSAFeatures.citation,
    options: [.port], support: TLSAFeatures.support
  ) { list, settings throws(ExchangeError) in
    [ExchangedFile(name: "tlsa.zone", bytes: Array(try TLSAZone(list, settings).text().utf8))]
  }
}

/// What a client of DANE does with TLSA records of usage 0 and 1 (RFC 6698 section 2.1.1, RFC 7671 section 5).
///
/// Both keep the validation by public CAs, as a policy does. Usage 1, PKIX-EE, has the server's own key match; usage 0,
/// PKIX-TA, that of a CA in the validated path. Any of the records is enough. Usages 2 and 3 would do without public CAs
/// and are never written. A key that may be either has a record of each.
enum TLSAFeatures {
  static let citation = "RFC 6698, RFC 7671"

  static func support(_ feature: PolicyFeature) -> FormatSupport {
    switch feature {
    case .port, .nestedEntries, .exclusion, .subtreeExclusion, .anyPosition, .caKey, .leafKey,
      .leafPosition, .caPosition, .mixedPositions, .singleKey:
      .exact
    case .allPorts:
      .lost(.asItStands, "A record is for one port, that of --port: connections to the others aren't pinned.")
    case .subdomains:
      .lost(
        .coverHostOnly, "A record is for one name: names below it aren't pinned, and each needs its own records.")
    case .address: .lost(.leaveHostOut, "A record is for a name: an address can't be pinned.")
    case .unpinnedHosts: .lost(.leaveAway, "Clients connect to hosts that have no records.")
    case .intermediatePosition, .rootPosition:
      .lost(.leaveAway, "Clients accept the key of any CA in the path, anywhere above the leaf.")
    case .leafAndCA: .lost(.leaveAway, "Clients are satisfied by any one of the records.")
    case .deniedKeys: .lost(.leaveKeysOut, "Clients accept a chain with a denied key.")
    case .anchors, .furtherAnchors, .trust: .lost(.leaveAway, "Clients validate only with their own trust stores.")
    case .reportOnly:
      .lost(.takeOut, "Clients have no report-only mode: the host isn't pinned, and nothing is reported.")
    case .reportURIs, .furtherReportURIs: .lost(.leaveAway, "Clients report nothing.")
    // Records stay until they are removed from the zone, as the policy says for an expired entry.
    case .expiryEnforce, .expiryTime, .expiryZone: .exact
    case .expiryReportOnly, .expiryUnpinned:
      .lost(.leaveAway, "Clients keep blocking mismatches after the expiry, until the records are removed.")
    case .expiryBlock:
      .lost(.leaveAway, "Clients still accept the pinned keys after the expiry, where the policy blocks them.")
    }
  }
}

/// Writes the records: `_443._tcp.example.com. IN TLSA 1 1 1 …`, sorted as the hosts are.
struct TLSAZone {
  /// The port of HTTPS, which is the default.
  private static let customaryPort: UInt16 = 443

  private let list: FittedPinList
  /// Of entries that name none.
  private let port: UInt16

  init(_ list: FittedPinList, _ settings: ExportSettings) throws(ExchangeError) {
    self.list = list
    guard let text = settings.values[.port] else {
      port = Self.customaryPort
      return
    }
    guard let number = UInt16(text), number > 0 else {
      throw ExchangeError(.invalidValue, "'\(VisibleText.of(text))' is not a port: give a number from 1 to 65535")
    }
    port = number
  }

  func text() throws(ExchangeError) -> String {
    let head = list.head(
      "TLSA records",
      notes: [
        "Entries that name no port: port \(port). The zone has to be signed (DNSSEC), or clients ignore the records.",
        "Usages 0 and 1 add to the validation by public CAs. Clients that know usages 2 and 3 only, as those of SMTP",
        "(RFC 7672 section 3.1.3), ignore them.",
      ])
    let entries = entries()
    guard !entries.isEmpty else {
      throw ExchangeError(.missingField, "every host excludes port \(port), and no other port is pinned")
    }
    return head.map { $0.isEmpty ? ";\n" : "; \($0)\n" }.joined() + "\n" + entries.flatMap(records).joined()
  }

  /// The pinned entries; the one for this very port alone counts, where a host has such and one for all ports.
  private func entries() -> [PinList.Host] {
    let pinned = list.list.hosts.filter { $0.mode != .off }
    // This includes an entry that excludes this port.
    let own = Set(list.list.hosts.filter { $0.port == port }.map(\.host))
    return pinned.filter { $0.port != nil || !own.contains($0.host) }
  }

  private func records(_ host: PinList.Host) -> [String] {
    list.list.keys(of: host).flatMap { key in
      usages(of: key).map { usage in
        "_\(host.port ?? port)._tcp.\(host.host.text). IN TLSA \(usage) 1 1 \(key.pin.digest.hex) "
          + "; \(FittedPinList.harmless(key.name))\n"
      }
    }
  }

  /// 1 for a server's key, 0 for a CA's, both where nobody knows; selector 1 is the SPKI, matching type 1 SHA-256.
  private func usages(of key: PinList.Key) -> [Int] {
    switch (key.position, key.owner) {
    case (.leaf, _), (nil, .server): [1]
    case (.intermediate, _), (.root, _), (.ca, _), (nil, .certificateAuthority): [0]
    case (nil, nil): [1, 0]
    }
  }
}
