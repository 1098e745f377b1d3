import PinFormat

extension ExportFormat {
  /// `res/xml/network_security_config.xml` of an app.
  package static let android = ExportFormat(
    name: "android", title: "Android's Network Security Config", citation: AndroidFeatures.citation,
    support: AndroidFeatures.support
  ) { list, _ throws(ExchangeError) in
    [AndroidWriter.file(list)] + AnchorFile.all(of: list.list)
  }
}

/// What Android does with a policy (`frameworks/base/core/java/android/security/net/config`, Android 7 and later).
///
/// - `ApplicationConfig.getConfigForHostname`: the entry of the name itself counts, else the one with the longest name
///   among those that include subdomains, at any depth; pins of two entries are never merged. An entry without a
///   `pin-set` pins nothing.
/// - `NetworkSecurityTrustManager.checkPins`: any certificate of the trusted chain, the anchor included, may have the key.
/// - `XmlConfigSource.parsePinSet`: the expiration is a day, which begins in the device's time zone, since its
///   `SimpleDateFormat` is given none; from then on nothing is pinned.
enum AndroidFeatures {
  static let citation = "AOSP, frameworks/base/core/java/android/security/net/config"

  static let zone =
    "The day begins in the device's time zone: pinning ends up to 14 hours before the policy's expiry, or 12 after it."

  static func support(_ feature: PolicyFeature) -> FormatSupport {
    switch feature {
    case .subdomains, .allPorts, .nestedEntries, .exclusion, .subtreeExclusion: .exact
    case .anyPosition, .caKey, .leafKey, .mixedPositions, .singleKey, .expiryUnpinned: .exact
    case .port: .lost(.leaveAway, "Android can't pin a single port: the pins apply to all ports of the host.")
    case .address:
      .lost(.asItStands, "Android compares an address as text: written in another way, it isn't pinned.")
    case .unpinnedHosts: .lost(.leaveAway, "Android connects to hosts without pins.")
    case .leafPosition, .intermediatePosition, .rootPosition, .caPosition:
      .lost(.leaveAway, "Android accepts the key anywhere in the chain.")
    case .leafAndCA: .lost(.leaveAway, "Android is satisfied by any one of the host's keys.")
    case .deniedKeys: .lost(.leaveKeysOut, "Android accepts a chain with a denied key.")
    case .anchors, .furtherAnchors: .exact
    case .trust: .lost(.leaveAway, "Android validates with anchors, and by its own rules.")
    case .reportOnly:
      .lost(.takeOut, "Android has no report-only mode: the host isn't pinned, and nothing is reported.")
    case .reportURIs, .furtherReportURIs: .lost(.leaveAway, "Android reports nothing.")
    case .expiryEnforce:
      .lost(
        .leaveAway,
        "The pins don't expire: they stay in force, as the policy says, but nothing shows that they are old.")
    case .expiryReportOnly:
      .lost(.leaveAway, "The pins don't expire: a mismatch still blocks when the policy only reports it.")
    case .expiryBlock:
      .lost(.leaveAway, "The pins don't expire: they are still accepted when the policy blocks every chain.")
    case .expiryTime: .lost(.nextDay, "Pinning ends with the day, up to a day after the policy's expiry.")
    case .expiryZone: .lost(.asItStands, zone)
    }
  }
}

/// Writes the elements as Android's documentation does, hosts with the same keys together.
enum AndroidWriter {
  static func file(_ list: FittedPinList) -> ExchangedFile {
    var writer = XMLWriter(indentation: "    ")
    writer.comment(list.head("Public-key pins for Android", notes: notes(list.list)))
    writer.start("network-security-config")
    for hosts in groups(list.list) {
      writer.start("domain-config")
      for host in hosts { domain(host, to: &writer) }
      if let host = hosts.first {
        anchors(of: host, to: &writer)
        pinSet(of: host, in: list.list, to: &writer)
      }
      writer.end()
    }
    writer.end()
    return ExchangedFile(name: "network_security_config.xml", bytes: writer.bytes())
  }

  static func domain(_ host: PinList.Host, to writer: inout XMLWriter) {
    let includes = host.subdomains == .none ? "false" : "true"
    writer.element("domain", [("includeSubdomains", includes)], text: host.host.text)
  }

  /// Where the files of anchors belong, if there are any.
  static func notes(_ list: PinList) -> [String] {
    AnchorFile.all(of: list).isEmpty ? [] : ["The certificates beside this file belong into res/raw of the app."]
  }

  /// The anchors of a host; without the element, it has those of the app.
  static func anchors(of host: PinList.Host, to writer: inout XMLWriter) {
    guard let file = AnchorFile.name(of: host.anchors) else { return }
    writer.start("trust-anchors")
    writer.element("certificates", [("src", "@raw/\(file.dropLast(".pem".count))")])
    if host.countsSystemAnchors { writer.element("certificates", [("src", "system")]) }
    writer.end()
  }

  /// A host without keys gets no `pin-set`, and so isn't pinned.
  static func pinSet(of host: PinList.Host, in list: PinList, to writer: inout XMLWriter) {
    guard let number = host.keySet else { return }
    let set = list.keySets[number]
    writer.start("pin-set", host.expires.map { [("expiration", AndroidDay.text($0))] } ?? [])
    var seen: Set<Pin> = []
    for (keys, suffix) in [(set.active, ""), (set.backup, ", backup")] {
      for key in keys.map({ list.keys[$0] }) where seen.insert(key.pin).inserted {
        writer.comment([key.name + suffix])
        writer.element("pin", [("digest", "SHA-256")], text: Base64.encode(key.pin.digest.bytes))
      }
    }
    writer.end()
  }

  /// Hosts that one element can name together, in the order of the first of each.
  private static func groups(_ list: PinList) -> [[PinList.Host]] {
    struct Kind: Hashable {
      var keySet: Int?
      var expires: Instant?
      var anchors: [PinList.Anchor]
      var countsSystemAnchors: Bool
    }
    var order: [Kind] = []
    var hosts: [Kind: [PinList.Host]] = [:]
    for host in list.hosts {
      let kind = Kind(
        keySet: host.keySet, expires: host.expires, anchors: host.anchors,
        countsSystemAnchors: host.countsSystemAnchors)
      if hosts[kind] == nil { order.append(kind) }
      hosts[kind, default: []].append(host)
    }
    return order.compactMap { hosts[$0] }
  }
}
