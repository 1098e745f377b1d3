import PinFormat

extension ExportFormat {
  /// A file for `curl --config`, with a part for each host.
  package static let curl = ExportFormat(
    name: "curl", title: "curl's --pinnedpubkey, as a config file", citation: CurlFeatures.citation,
    support: CurlFeatures.support
  ) { list, _ throws(ExchangeError) in
    [ExchangedFile(name: "pins.curlrc", bytes: Array(try CurlConfig(list).text().utf8))]
      + AnchorFile.all(of: list.list)
  }
}

/// What curl's `--pinnedpubkey` does with a policy (`docs/cmdline-opts/pinnedpubkey.md`, `Curl_pin_peer_pubkey` in
/// `lib/vtls/vtls.c`).
///
/// It compares the key of the server's own certificate, and nothing else of the chain, with SHA-256 hashes, one of which
/// is enough. The chain is validated besides, unless `--insecure` says otherwise.
enum CurlFeatures {
  static let citation = "docs/cmdline-opts/pinnedpubkey.md of curl, 7.44.0 and later"

  static func support(_ feature: PolicyFeature) -> FormatSupport {
    switch feature {
    case .port, .address, .nestedEntries, .exclusion, .subtreeExclusion, .leafKey, .leafPosition, .singleKey: .exact
    case .allPorts:
      .lost(.asItStands, "A part of the file is for one port, 443 here: connections to the others aren't pinned.")
    case .subdomains: .lost(.coverHostOnly, "A part of the file is for one host: names below it aren't pinned.")
    case .unpinnedHosts: .lost(.leaveAway, "curl connects without pins to hosts that the file doesn't name.")
    case .anyPosition:
      .lost(.asItStands, "curl compares only the server's own key: a CA's key matches nothing.")
    case .caKey, .intermediatePosition, .rootPosition, .caPosition:
      .lost(
        .leaveKeysOut, "curl compares only the server's own key: a chain that contains only the CA's key is blocked.")
    case .mixedPositions:
      .lost(.leaveAway, "curl compares only the server's own key: the keys above it aren't written.")
    case .leafAndCA: .lost(.leaveAway, "curl requires a key of the leaf, and none above it.")
    case .deniedKeys: .lost(.leaveKeysOut, "curl accepts a chain with a denied key above the leaf.")
    case .anchors: .exact
    case .furtherAnchors:
      .lost(.leaveAway, "curl takes a file of anchors in place of its own: here only those that it was built with.")
    case .trust: .lost(.leaveAway, "curl validates with anchors, and by its own rules.")
    case .reportOnly: .lost(.takeOut, "curl has no report-only mode: the host isn't pinned, and nothing is reported.")
    case .reportURIs, .furtherReportURIs: .lost(.leaveAway, "curl reports nothing.")
    // A config file stays in use until it is replaced, as the policy says for an expired entry.
    case .expiryEnforce, .expiryTime, .expiryZone: .exact
    case .expiryReportOnly, .expiryUnpinned:
      .lost(.leaveAway, "curl keeps ending mismatched transfers after the expiry, until the file is replaced.")
    case .expiryBlock:
      .lost(.leaveAway, "curl still accepts the pinned keys after the expiry, where the policy blocks them.")
    }
  }
}

/// Writes a config file of curl (`docs/cmdline-opts/config.md`): lines of `option = "value"`; `next` ends a part.
struct CurlConfig {
  private static let customaryPort: UInt16 = 443

  private let list: FittedPinList

  init(_ list: FittedPinList) {
    self.list = list
  }

  func text() throws(ExchangeError) -> String {
    var notes = ["For 'curl --config FILE'; the option of one host does by itself."]
    if list.list.hosts.contains(where: { !$0.anchors.isEmpty }) {
      notes.append("Run curl in the folder of this file, where the files of anchors are.")
    }
    let head = list.head("Public-key pins for curl", notes: notes)
    // A URL without a port means port 443. An entry for port 443, also one that excludes it, replaces the one for all
    // ports.
    let own = Set(list.list.hosts.filter { $0.port == Self.customaryPort }.map(\.host))
    let parts = list.list.hosts.filter { $0.mode != .off && ($0.port != nil || !own.contains($0.host)) }.map(part)
    guard !parts.isEmpty else {
      throw ExchangeError(
        .missingField, "every host excludes port \(Self.customaryPort), and no other port is pinned")
    }
    return head.map { $0.isEmpty ? "#\n" : "# \($0)\n" }.joined() + "\n" + parts.joined(separator: "\nnext\n\n")
  }

  private func part(_ host: PinList.Host) -> String {
    let keys = list.list.keys(of: host)
    let names = FittedPinList.harmless(keys.map(\.name).joined(separator: ", "))
    let pins = keys.map { "sha256//" + $0.pin.description.dropFirst("sha256/".count) }.joined(separator: ";")
    let address = host.host.kind == .ipv6 ? "[\(host.host.text)]" : host.host.text
    let port = host.port.map { ":\($0)" } ?? ""
    // Debian's curl also looks into a folder of the system's anchors, unless it is given another one.
    let anchors = AnchorFile.name(of: host.anchors).map { "cacert = \"\($0)\"\ncapath = \"/dev/null\"\n" } ?? ""
    return "# \(names)\nurl = \"https://\(address)\(port)/\"\npinnedpubkey = \"\(pins)\"\n\(anchors)"
  }
}
