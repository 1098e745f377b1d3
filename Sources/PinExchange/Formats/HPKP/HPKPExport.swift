import PinFormat

extension ExportFormat {
  /// The header of each host (RFC 7469).
  package static let hpkp = ExportFormat(
    name: "hpkp", title: "HTTP's Public-Key-Pins header, one for each host", citation: HPKPFeatures.citation,
    support: HPKPFeatures.support
  ) { list, settings throws(ExchangeError) in
    [ExchangedFile(name: "public-key-pins.txt", bytes: Array(HPKPHeaders(list, at: settings.instant).text().utf8))]
  }
}

/// What a user agent does with `Public-Key-Pins` (RFC 7469).
///
/// It compares the keys of the validated chain, any of them, for every port of the host (section 2.6). Hosts are names,
/// never addresses (section 2.3.3). A header without a pin that isn't in the chain is ignored (section 2.5).
enum HPKPFeatures {
  static let citation = "RFC 7469"

  static func support(_ feature: PolicyFeature) -> FormatSupport {
    switch feature {
    case .subdomains, .allPorts, .anyPosition, .caKey, .leafKey, .reportOnly, .reportURIs: .exact
    case .mixedPositions:
      .lost(
        .asItStands,
        "A browser ignores a header whose keys are all in the chain: a host that has no other keys isn't pinned.")
    case .port: .lost(.leaveAway, "Pins of a header apply to all ports of the host.")
    case .address: .lost(.leaveHostOut, "A browser ignores pins for an IP address: the host isn't pinned.")
    case .nestedEntries:
      .refused("RFC 7469 leaves open which pins count for a name that two noted hosts cover.")
    case .exclusion, .subtreeExclusion:
      .lost(
        .leaveHostOut,
        "A header can't exclude a name: the keys of the entry above apply to it, and with other keys it is blocked."
      )
    case .unpinnedHosts: .lost(.leaveAway, "A browser connects to hosts without pins.")
    case .leafPosition, .intermediatePosition, .rootPosition, .caPosition:
      .lost(.leaveAway, "A browser accepts the key anywhere in the chain.")
    case .leafAndCA: .lost(.leaveAway, "A browser is satisfied by any one of the host's keys.")
    case .deniedKeys: .lost(.leaveKeysOut, "A browser accepts a chain with a denied key.")
    case .singleKey:
      .lost(.leaveHostOut, "A browser ignores a header without a backup pin: the host isn't pinned.")
    case .trust: .lost(.leaveAway, "A browser validates only with its own trust store.")
    case .furtherReportURIs: .lost(.leaveAway, "A header has one report address: the first is written.")
    // Pins are noted anew with each response, for as long as the header is sent.
    case .expiryEnforce, .expiryUnpinned, .expiryTime, .expiryZone: .exact
    case .expiryReportOnly:
      .lost(.leaveAway, "A browser keeps blocking mismatches after the expiry, for as long as the header is sent.")
    case .expiryBlock:
      .lost(.leaveAway, "A browser still accepts the pinned keys after the expiry, where the policy blocks them.")
    }
  }
}

/// Writes a header for each host, below a comment that names the host.
struct HPKPHeaders {
  private let list: FittedPinList
  private let instant: Instant

  /// How long pins are noted where the policy doesn't say: the 60 days of RFC 7469 section 4.1.
  static let customaryAge: Int64 = 60 * 86_400

  init(_ list: FittedPinList, at instant: Instant) {
    self.list = list
    self.instant = instant
  }

  func text() -> String {
    let head = list.head(
      "Public-key pins for HTTP",
      notes: [
        "'max-age' counts from each response, and was computed at \(instant): export the file again as the",
        "expiry comes closer.",
      ])
    return head.map { $0.isEmpty ? "#\n" : "# \($0)\n" }.joined()
      + list.list.hosts.filter { $0.mode != .off }.map { "\n# host: \($0.host.text)\n" + header($0) + "\n" }.joined()
  }

  private func header(_ host: PinList.Host) -> String {
    let isObserved = host.mode == .reportOnly
    var directives = list.list.keys(of: host).map { "pin-sha256=\"\(Base64.encode($0.pin.digest.bytes))\"" }
    // A header that only reports isn't noted, so it has no age (section 2.1.2).
    if !isObserved { directives.append("max-age=\(age(host))") }
    if host.subdomains == .all { directives.append("includeSubDomains") }
    if let address = host.reportURIs.first { directives.append("report-uri=\(Self.quoted(address))") }
    return (isObserved ? "Public-Key-Pins-Report-Only: " : "Public-Key-Pins: ") + directives.joined(separator: "; ")
  }

  /// A quoted string (RFC 7230 section 3.2.6), which nothing in an address can end.
  private static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }

  /// Seconds for which pins are noted; 0 has a browser forget them, which is what an expiry that has passed means.
  private func age(_ host: PinList.Host) -> Int64 {
    guard let expires = host.expires, host.onExpiry == .unpinned else { return Self.customaryAge }
    return max(0, expires.seconds(since: instant))
  }
}
