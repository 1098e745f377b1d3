import PinFormat

extension ExportFormat {
  /// A Network Security Config with TrustKit's parts.
  package static let trustKitAndroid = ExportFormat(
    name: "trustkit-android", title: "TrustKit for Android, in a Network Security Config",
    citation: TrustKitAndroidFeatures.citation, support: TrustKitAndroidFeatures.support
  ) { list, _ throws(ExchangeError) in
    try TrustKitHosts.requireRegistered(list.list)
    return [TrustKitAndroidWriter.file(list)] + AnchorFile.all(of: list.list)
  }
}

/// What TrustKit for Android does with a policy (TrustKit-Android 1.1, `config/` and `pinning/PinningTrustManager.java`).
///
/// From Android 7 on, the platform reads the same file and pins every connection of the app; TrustKit's trust manager
/// decides, on the connections that use it, whether a mismatch that the platform found blocks, and reports it. Before,
/// TrustKit pins these connections itself. A `domain-config` has one domain for TrustKit: of several, it takes the last.
/// The app doesn't start with a domain under no public top-level domain (`DomainValidator`), with an address, with one
/// pin only where it enforces, or with an entry that has no `pin-set` (`DomainPinningPolicy`).
enum TrustKitAndroidFeatures {
  static let citation = "TrustKit-Android, config/DomainPinningPolicy.java and pinning/PinningTrustManager.java"

  static func support(_ feature: PolicyFeature) -> FormatSupport {
    switch feature {
    case .subdomains, .allPorts, .nestedEntries, .anyPosition, .caKey, .leafKey, .mixedPositions: .exact
    case .expiryUnpinned: .exact
    // TrustKit sends each report to all of the addresses.
    case .reportURIs, .furtherReportURIs: .exact
    case .port: .lost(.leaveAway, "TrustKit can't pin a single port: the pins apply to all ports of the host.")
    case .address: .lost(.leaveHostOut, "TrustKit doesn't accept IP addresses: connections to this one aren't pinned.")
    case .exclusion, .subtreeExclusion:
      .lost(
        .leaveHostOut,
        "TrustKit can't exclude a name: the keys of the entry above apply to it, and with other keys it is blocked."
      )
    case .unpinnedHosts: .lost(.leaveAway, "TrustKit leaves hosts without pins to Android's own validation.")
    case .leafPosition, .intermediatePosition, .rootPosition, .caPosition:
      .lost(.leaveAway, "TrustKit accepts the key anywhere in the chain.")
    case .leafAndCA: .lost(.leaveAway, "TrustKit is satisfied by any one of the host's keys.")
    case .deniedKeys: .lost(.leaveKeysOut, "TrustKit accepts a chain with a denied key.")
    case .singleKey:
      .lost(.leaveHostOut, "TrustKit requires two pins, and stops the app otherwise: the host isn't pinned.")
    case .anchors, .furtherAnchors: .exact
    case .trust: .lost(.leaveAway, "Android validates with anchors, and by its own rules.")
    case .reportOnly:
      .lost(
        .takeOut,
        "Android 7 and later blocks what TrustKit would only report: the host isn't pinned, and nothing is reported.")
    case .expiryEnforce:
      .lost(
        .leaveAway,
        "The pins don't expire: they stay in force, as the policy says, but nothing shows that they are old.")
    case .expiryReportOnly:
      .lost(.leaveAway, "The pins don't expire: a mismatch still blocks when the policy only reports it.")
    case .expiryBlock:
      .lost(.leaveAway, "The pins don't expire: they are still accepted when the policy blocks every chain.")
    case .expiryTime: .lost(.nextDay, "Pinning ends with the day, up to a day after the policy's expiry.")
    case .expiryZone: .lost(.asItStands, AndroidFeatures.zone)
    }
  }
}

enum TrustKitAndroidWriter {
  static func file(_ list: FittedPinList) -> ExchangedFile {
    var writer = XMLWriter(indentation: "    ")
    writer.comment(
      list.head("Public-key pins for TrustKit and Android", notes: AndroidWriter.notes(list.list)))
    writer.start("network-security-config")
    for host in list.list.hosts {
      writer.start("domain-config")
      AndroidWriter.domain(host, to: &writer)
      AndroidWriter.anchors(of: host, to: &writer)
      AndroidWriter.pinSet(of: host, in: list.list, to: &writer)
      // By default TrustKit doesn't enforce, and also sends reports to its own makers.
      let enforces = host.mode == .enforce ? "true" : "false"
      let attributes = [("enforcePinning", enforces), ("disableDefaultReportUri", "true")]
      if host.reportURIs.isEmpty {
        writer.element("trustkit-config", attributes)
      } else {
        writer.start("trustkit-config", attributes)
        for uri in host.reportURIs { writer.element("report-uri", text: uri) }
        writer.end()
      }
      writer.end()
    }
    writer.end()
    return ExchangedFile(name: "network_security_config.xml", bytes: writer.bytes())
  }
}
