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
/// documented, and nothing but URLSession and what stands on it looks at them.
enum AppleFeatures {
  static let citation = "Apple, Information Property List: NSAppTransportSecurity, NSPinnedDomains"

  static func support(_ feature: PolicyFeature) -> FormatSupport {
    switch feature {
    case .allPorts, .caKey, .leafKey, .leafPosition, .caPosition, .leafAndCA, .singleKey: .exact
    case .subdomains:
      .lost(.coverDirectSubdomains, "Apple covers names with one label more: those below them aren't pinned.")
    case .port: .lost(.leaveAway, "Apple knows no ports: the pins hold for all ports of the host.")
    case .address: .lost(.asItStands, "Addresses are read from iOS 17 and macOS 14 on: earlier systems don't pin them.")
    case .nestedEntries:
      .lost(.asItStands, "Apple doesn't say which entry counts for a name that two of them cover.")
    case .exclusion, .subtreeExclusion:
      .lost(
        .leaveHostOut,
        "Apple can't take a name out: it is held to the keys of the entry above it, and blocked where it has others.")
    case .unpinnedHosts: .lost(.leaveAway, "Apple leaves hosts without pins to the system's own validation.")
    case .anyPosition:
      .lost(.leaveKeysOut, "Apple asks whether a key is a leaf's or an authority's: unknown, it is accepted nowhere.")
    case .intermediatePosition, .rootPosition:
      .lost(.leaveAway, "Apple takes the key of an authority wherever it stands above the leaf.")
    case .mixedPositions:
      .lost(.requireBoth, "Apple asks for a leaf's key and an authority's: a chain with one of them alone is blocked.")
    case .deniedKeys: .lost(.leaveKeysOut, "Apple accepts a chain that a denied key stands in.")
    case .trust: .lost(.leaveAway, "Apple validates as the system does, and by nothing else.")
    case .reportOnly: .lost(.takeOut, "Apple can't only observe: the host isn't pinned, and nothing is reported.")
    case .reportURIs, .furtherReportURIs: .lost(.leaveAway, "Apple reports nothing.")
    // Pins of a build hold for as long as it is in use, which is what the policy says of an expired entry.
    case .expiryEnforce, .expiryTime, .expiryZone: .exact
    case .expiryReportOnly, .expiryUnpinned:
      .lost(.leaveAway, "Apple goes on blocking mismatches after the expiry, until another build is installed.")
    case .expiryBlock:
      .lost(.leaveAway, "Apple goes on accepting the pinned keys after the expiry, when the policy blocks them.")
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
    // A key whose side nobody knows has been left out by the fitting.
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
