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
    case .port: .lost(.leaveAway, "Chromium knows no ports: the pins hold for all ports of the host.")
    case .address: .lost(.leaveHostOut, "Chromium's list is of names: connections to the address aren't pinned.")
    case .nestedEntries:
      .lost(
        .asItStands,
        "Names below a nested entry that doesn't include its subdomains aren't pinned: Chromium looks no further up.")
    case .exclusion, .subtreeExclusion:
      .lost(
        .leaveHostOut,
        "The list can't take a name out: it is held to the keys of the entry above it, and blocked where it has others."
      )
    case .unpinnedHosts: .lost(.leaveAway, "Chromium connects to hosts without pins.")
    case .leafPosition, .intermediatePosition, .rootPosition, .caPosition:
      .lost(.leaveAway, "Chromium takes the key wherever it stands in the chain.")
    case .leafAndCA: .lost(.leaveAway, "Chromium is satisfied by any one of the host's keys.")
    case .trust: .lost(.leaveAway, "Chromium validates by its own root store, and by nothing else.")
    case .reportOnly: .lost(.takeOut, "Chromium can't only observe: the host isn't pinned, and nothing is reported.")
    case .reportURIs, .furtherReportURIs:
      .lost(.leaveAway, "Chromium sends no reports: its generator passes the list's 'report_uri' over.")
    case .expiryEnforce, .expiryReportOnly, .expiryUnpinned, .expiryBlock:
      .lost(
        .leaveAway,
        "Chromium enforces the whole list for ten weeks from the day on which it is written, and nothing after that.")
    case .expiryTime, .expiryZone: .exact
    }
  }
}
