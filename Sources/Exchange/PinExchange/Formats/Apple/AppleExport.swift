import PinFormat

extension ExportFormat {
  /// `NSPinnedDomains` of App Transport Security, as an Info.plist has it.
  package static let apple = ExportFormat(
    name: "apple", title: "Apple's NSPinnedDomains, for an Info.plist", citation: AppleFeatures.citation,
    support: AppleFeatures.support
  ) { list, _ throws(ExchangeError) in
    try AppleWriter.requireBothSides(list.list)
    return [AppleWriter.file(list)]
  }
}

/// What Apple's systems do with a policy (iOS 14, macOS 11 and later; "NSPinnedDomains", "NSPinnedCAIdentities",
/// "NSPinnedLeafIdentities" and "NSIncludesSubdomains" in Apple's Information Property List reference).
///
/// The keys of leaves and those of authorities are two lists. Where an entry has both, a chain must satisfy each. Names
/// with one label more are included, and no others. Which of two entries counts for a name that both include isn't
/// documented, and nothing but URLSession and what is on it looks at them.
enum AppleFeatures {
  static let citation = "Apple, Information Property List: NSAppTransportSecurity, NSPinnedDomains"

  static func support(_ feature: PolicyFeature) -> FormatSupport {
    switch feature {
    case .allPorts, .caKey, .leafKey, .leafPosition, .caPosition, .leafAndCA, .singleKey: .exact
    case .subdomains:
      .lost(.coverDirectSubdomains, "Apple covers names one label below the host: deeper names aren't pinned.")
    case .port: .lost(.leaveAway, "Apple can't pin a single port: the pins apply to all ports of the host.")
    case .address: .lost(.asItStands, "Addresses are read from iOS 17 and macOS 14 on: earlier systems don't pin them.")
    case .nestedEntries:
      .lost(.asItStands, "Apple doesn't say which entry counts for a name that two of them cover.")
    case .exclusion, .subtreeExclusion:
      .lost(
        .leaveHostOut,
        "Apple can't exclude a name: the keys of the entry above apply to it, and with other keys it is blocked.")
    case .unpinnedHosts: .lost(.leaveAway, "Apple leaves hosts without pins to the system's own validation.")
    case .anyPosition:
      .lost(.leaveKeysOut, "Apple needs to know whether a key is a leaf's or an authority's; this isn't known.")
    case .intermediatePosition, .rootPosition:
      .lost(.leaveAway, "Apple accepts an authority's key anywhere above the leaf.")
    case .mixedPositions:
      .lost(.requireBoth, "Apple requires a leaf's key and an authority's: a chain with only one of them is blocked.")
    case .deniedKeys: .lost(.leaveKeysOut, "Apple accepts a chain with a denied key.")
    case .anchors:
      .lost(
        .requireAnchor,
        "A private anchor must be installed on the device. A host with keys of the leaf only requires an anchor's too.")
    case .furtherAnchors: .lost(.leaveAway, "Apple trusts a private anchor only if it is installed on the device.")
    case .trust: .lost(.leaveAway, "Apple validates only as the system does.")
    case .reportOnly: .lost(.takeOut, "Apple has no report-only mode: the host isn't pinned, and nothing is reported.")
    case .reportURIs, .furtherReportURIs: .lost(.leaveAway, "Apple reports nothing.")
    // The pins in a build stay as long as it is in use, as the policy says for an expired entry.
    case .expiryEnforce, .expiryTime, .expiryZone: .exact
    case .expiryReportOnly, .expiryUnpinned:
      .lost(.leaveAway, "Apple keeps blocking mismatches after the expiry, until another build is installed.")
    case .expiryBlock:
      .lost(.leaveAway, "Apple still accepts the pinned keys after the expiry, where the policy blocks them.")
    }
  }
}

enum AppleWriter {
  /// Refuses hosts that ask for a key of each side and have lost those of one, because the other would be enough then.
  static func requireBothSides(_ list: PinList) throws(ExchangeError) {
    for host in list.hosts where host.requirement == .leafAndCA {
      let sides = Set(list.keys(of: host).map(\.side))
      guard !sides.isSuperset(of: [.leaf, .above]) else { continue }
      throw ExchangeError(
        .invalidValue,
        "'\(host.label)' asks for a leaf's key and an authority's, and has no \(sides.contains(.leaf) ? "authority's" : "leaf's") "
          + "that Apple could be told: say in the policy where its keys stand")
    }
  }

  static func file(_ list: FittedPinList) -> ExchangedFile {
    var domains: [String: PropertyListWriter.Item] = [:]
    for host in list.list.hosts { domains[host.host.text] = entry(host, in: list.list) }
    let security: PropertyListWriter.Item = .dictionary([
      "NSAppTransportSecurity": .dictionary(["NSPinnedDomains": .dictionary(domains)])
    ])
    return ExchangedFile(
      name: "NSPinnedDomains.plist",
      bytes: PropertyListWriter.bytes(security, head: list.head("Public-key pins for Apple's systems")))
  }

  private static func entry(_ host: PinList.Host, in list: PinList) -> PropertyListWriter.Item {
    var fields: [String: PropertyListWriter.Item] = [:]
    if host.subdomains != .none { fields["NSIncludesSubdomains"] = .boolean(true) }
    // Keys of an unknown side were removed when the list was fitted to the format.
    for (name, side) in [("NSPinnedLeafIdentities", PinList.Key.Side.leaf), ("NSPinnedCAIdentities", .above)] {
      let pins = PropertyListWriter.pins(of: host, in: list) {
        $0.side == side
      } item: {
        .dictionary(["SPKI-SHA256-BASE64": .string(Base64.encode($0.pin.digest.bytes))])
      }
      if !pins.isEmpty { fields[name] = .array(pins) }
    }
    return .dictionary(fields)
  }
}
