import PinFormat

extension ExportFormat {
  /// The `TSKConfiguration` of TrustKit for iOS and macOS, as an Info.plist has it.
  package static let trustKitIOS = ExportFormat(
    name: "trustkit-ios", title: "TrustKit for iOS and macOS, for an Info.plist", citation: TrustKitFeatures.citation,
    support: TrustKitFeatures.support
  ) { list, _ throws(ExchangeError) in
    try TrustKitHosts.requireRegistered(list.list)
    return [TrustKitWriter.file(list)]
  }
}

/// What TrustKit does with a policy (TrustKit 3.0, `parse_configuration.m`, `configuration_utils.m`,
/// `TSKPinningValidator.m`).
///
/// - The entry of the name itself counts, else the longest one above it that includes subdomains, at any depth;
///   releases before June 2019 took any such one ("Fix overlapping pinsets"). An entry with
///   `TSKExcludeSubdomainFromParentPolicy` removes its own name alone, and can say nothing else.
/// - Any certificate of the chain that the system has validated may have the key.
/// - `TSKExpirationDate` is 00:00:00Z of a day; after it, nothing is pinned.
/// - The app doesn't start with fewer than two pins where an entry enforces.
/// - Every report goes to each of the addresses, and to TrustKit's makers unless that is switched off.
enum TrustKitFeatures {
  static let citation = "TrustKit 3.0, parse_configuration.m, configuration_utils.m, TSKPinningValidator.m"

  static func support(_ feature: PolicyFeature) -> FormatSupport {
    switch feature {
    case .subdomains, .allPorts, .nestedEntries, .exclusion, .anyPosition, .caKey, .leafKey, .mixedPositions: .exact
    case .reportOnly, .reportURIs, .furtherReportURIs, .expiryUnpinned, .expiryZone: .exact
    case .subtreeExclusion:
      .lost(
        .coverHostOnly,
        "TrustKit excludes only the name itself: the keys of the entry above apply to the names below it.")
    case .port: .lost(.leaveAway, "TrustKit can't pin a single port: the pins apply to all ports of the host.")
    case .address: .lost(.leaveHostOut, "TrustKit doesn't accept IP addresses: connections to this one aren't pinned.")
    case .unpinnedHosts: .lost(.leaveAway, "TrustKit leaves hosts without pins to the system's own validation.")
    case .leafPosition, .intermediatePosition, .rootPosition, .caPosition:
      .lost(.leaveAway, "TrustKit accepts the key anywhere in the chain.")
    case .leafAndCA: .lost(.leaveAway, "TrustKit is satisfied by any one of the host's keys.")
    case .deniedKeys: .lost(.leaveKeysOut, "TrustKit accepts a chain with a denied key.")
    case .singleKey:
      .lost(.leaveHostOut, "TrustKit requires two pins, and stops the app otherwise: the host isn't pinned.")
    case .anchors, .furtherAnchors, .trust: .lost(.leaveAway, "TrustKit validates only as the system does.")
    case .expiryEnforce:
      .lost(
        .leaveAway,
        "The pins don't expire: they stay in force, as the policy says, but nothing shows that they are old.")
    case .expiryReportOnly:
      .lost(.leaveAway, "The pins don't expire: a mismatch still blocks when the policy only reports it.")
    case .expiryBlock:
      .lost(.leaveAway, "The pins don't expire: they are still accepted when the policy blocks every chain.")
    case .expiryTime: .lost(.nextDay, "Pinning ends with the day, up to a day after the policy's expiry.")
    }
  }
}

enum TrustKitWriter {
  static func file(_ list: FittedPinList) -> ExchangedFile {
    var domains: [String: PropertyListWriter.Item] = [:]
    for host in list.list.hosts { domains[host.host.text] = entry(host, in: list.list) }
    let configuration: PropertyListWriter.Item = .dictionary([
      "TSKConfiguration": .dictionary(["TSKPinnedDomains": .dictionary(domains)])
    ])
    return ExchangedFile(
      name: "TrustKit.plist",
      bytes: PropertyListWriter.bytes(configuration, head: list.head("Public-key pins for TrustKit")))
  }

  private static func entry(_ host: PinList.Host, in list: PinList) -> PropertyListWriter.Item {
    guard host.mode != .off else { return .dictionary(["TSKExcludeSubdomainFromParentPolicy": .boolean(true)]) }
    var fields: [String: PropertyListWriter.Item] = [
      "TSKIncludeSubdomains": .boolean(host.subdomains != .none),
      "TSKEnforcePinning": .boolean(host.mode == .enforce),
      // By default TrustKit also sends reports to its own makers.
      "TSKDisableDefaultReportUri": .boolean(true),
      "TSKPublicKeyHashes": .array(
        PropertyListWriter.pins(of: host, in: list) { .string(Base64.encode($0.pin.digest.bytes)) }),
    ]
    if let expires = host.expires { fields["TSKExpirationDate"] = .string(AndroidDay.text(expires)) }
    if !host.reportURIs.isEmpty { fields["TSKReportUris"] = .array(host.reportURIs.map { .string($0) }) }
    return .dictionary(fields)
  }
}
