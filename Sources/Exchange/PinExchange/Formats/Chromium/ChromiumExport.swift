import PinFormat

extension ExportFormat {
  /// Chromium's static pin list: the JSON with pin sets and entries, and the `.pins` file with the keys.
  ///
  /// What is written passes the checks of Chromium's own generator: names of keys and sets stand once, keys with one hash
  /// stand once, every key is used, every host is canonical and has one entry
  /// (`net/tools/transport_security_state_generator/transport_security_state_generator.cc`).
  package static let chromium = ExportFormat(
    name: "chromium", title: "Chromium's static pin list, as JSON and .pins", citation: ChromiumFormat.citation,
    support: chromiumSupport
  ) { list, settings throws(ExchangeError) in
    let writer = ChromiumWriter(list, at: settings.instant)
    return [
      ExchangedFile(name: "transport_security_state_static_pins.json", bytes: try writer.json()),
      ExchangedFile(name: "transport_security_state_static.pins", bytes: writer.pins()),
    ]
  }

  /// What Chromium does with a policy (`net/http/transport_security_state.cc`).
  private static func chromiumSupport(_ feature: PolicyFeature) -> FormatSupport {
    switch feature {
    case .subdomains, .allPorts, .anyPosition, .caKey, .leafKey, .mixedPositions, .singleKey, .deniedKeys: .exact
    case .port: .lost(.leaveAway, "Chromium can't pin a single port: the pins apply to all ports of the host.")
    case .address:
      .lost(.leaveHostOut, "Chromium's list contains only names: connections to the address aren't pinned.")
    case .nestedEntries:
      .lost(
        .asItStands,
        "Names below a nested entry that doesn't include its subdomains aren't pinned: Chromium looks no further up.")
    case .exclusion, .subtreeExclusion:
      .lost(
        .leaveHostOut,
        "The list can't exclude a name: the keys of the entry above apply to it, and with other keys it is blocked."
      )
    case .unpinnedHosts: .lost(.leaveAway, "Chromium connects to hosts without pins.")
    case .leafPosition, .intermediatePosition, .rootPosition, .caPosition:
      .lost(.leaveAway, "Chromium accepts the key anywhere in the chain.")
    case .leafAndCA: .lost(.leaveAway, "Chromium is satisfied by any one of the host's keys.")
    case .anchors, .furtherAnchors, .trust: .lost(.leaveAway, "Chromium validates only with its own root store.")
    case .reportOnly:
      .lost(.takeOut, "Chromium has no report-only mode: the host isn't pinned, and nothing is reported.")
    case .reportURIs, .furtherReportURIs:
      .lost(.leaveAway, "Chromium sends no reports: its generator ignores the list's 'report_uri'.")
    case .expiryEnforce, .expiryReportOnly, .expiryUnpinned, .expiryBlock:
      .lost(
        .leaveAway,
        "Chromium enforces the whole list for ten weeks from the day on which it is written, and nothing after that.")
    case .expiryTime, .expiryZone: .exact
    }
  }
}
