import Diagnostics
import PinFormat

extension ExportFormat {
  /// Validation contexts, as static secrets that clusters refer to by name.
  package static let envoy = ExportFormat(
    name: "envoy", title: "Envoy's validation contexts, as static secrets in YAML", citation: EnvoyFeatures.citation,
    options: [.trustedCA], support: EnvoyFeatures.support
  ) { list, settings throws(ExchangeError) in
    [ExchangedFile(name: "pins.yaml", bytes: Array(try EnvoySecrets(list, settings).text().utf8))]
  }
}

/// What Envoy's `CertificateValidationContext` does with a policy (`default_validator.cc`).
///
/// `verify_certificate_spki` compares the leaf's key alone, any of the hashes being enough. It replaces nothing: with
/// `trusted_ca` the chain is validated too, and with `match_typed_subject_alt_names` the name; without `trusted_ca` a
/// matching key would be enough for Envoy, no matter who signed the certificate, so none is written without it.
enum EnvoyFeatures {
  static let citation =
    "source/common/tls/cert_validator/default_validator.cc and "
    + "api/envoy/extensions/transport_sockets/tls/v3/common.proto of Envoy"

  static func support(_ feature: PolicyFeature) -> FormatSupport {
    switch feature {
    // A context belongs to the cluster that refers to it, and the cluster's configuration has the port.
    case .port, .allPorts, .address, .nestedEntries, .exclusion, .subtreeExclusion, .leafKey, .leafPosition, .singleKey:
      .exact
    case .subdomains: .lost(.coverHostOnly, "A context verifies one name: names below it have no context.")
    case .unpinnedHosts: .lost(.leaveAway, "Envoy connects without pins to clusters that refer to no context.")
    case .anyPosition:
      .lost(.asItStands, "Envoy compares only the server's own key: a CA's key matches nothing.")
    case .caKey, .intermediatePosition, .rootPosition, .caPosition:
      .lost(
        .leaveKeysOut, "Envoy compares only the server's own key: a chain that contains only the CA's key is blocked.")
    case .mixedPositions:
      .lost(.leaveAway, "Envoy compares only the server's own key: the keys above it aren't written.")
    case .leafAndCA: .lost(.leaveAway, "Envoy requires a key of the leaf, and none above it.")
    case .deniedKeys: .lost(.leaveKeysOut, "Envoy accepts a chain with a denied key above the leaf.")
    case .anchors: .exact
    case .furtherAnchors: .lost(.leaveAway, "Envoy takes anchors from one place: here only those of --trusted-ca.")
    case .trust: .lost(.leaveAway, "Envoy validates with anchors, and by its own rules.")
    case .reportOnly: .lost(.takeOut, "Envoy has no report-only mode: the host isn't pinned, and nothing is reported.")
    case .reportURIs, .furtherReportURIs:
      .lost(.leaveAway, "Envoy reports nothing: it counts 'ssl.fail_verify_cert_hash'.")
    // A context stays in use until the configuration is replaced, as the policy says for an expired entry.
    case .expiryEnforce, .expiryTime, .expiryZone: .exact
    case .expiryReportOnly, .expiryUnpinned:
      .lost(.leaveAway, "Envoy keeps blocking mismatches after the expiry, until the file is replaced.")
    case .expiryBlock:
      .lost(.leaveAway, "Envoy still accepts the pinned keys after the expiry, where the policy blocks them.")
    }
  }
}

/// Writes a part of Envoy's bootstrap: `static_resources.secrets`, one for each entry, named as the entry is.
struct EnvoySecrets {
  private let list: FittedPinList
  /// Where the proxy finds the anchors of hosts that have none of their own; empty if there are no such hosts.
  private let trustedCA: String

  init(_ list: FittedPinList, _ settings: ExportSettings) throws(ExchangeError) {
    let path = settings.values[.trustedCA]
    guard path != nil || !list.list.hosts.contains(where: { $0.mode != .off && $0.anchors.isEmpty }) else {
      throw ExchangeError(
        .missingField,
        "'envoy' needs --trusted-ca: without anchors Envoy would take a pinned key from anybody's certificate",
        help: "Name the file of anchors as the proxy sees it, such as /etc/ssl/certs/ca-certificates.crt.")
    }
    if let path, path.isEmpty || !path.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value < 0x7F }) {
      throw ExchangeError(.invalidValue, "'\(VisibleText.of(path))' is not a path that can be written")
    }
    self.list = list
    trustedCA = path ?? ""
  }

  func text() -> String {
    let head = list.head(
      "Public-key pins for Envoy",
      notes: [
        "Merged into the bootstrap with --config-yaml. A cluster takes a context by its name in its UpstreamTlsContext,",
        "which sets 'sni' to the host:",
        "  common_tls_context: { validation_context_sds_secret_config: { name: THE NAME } }",
      ])
    return head.map { $0.isEmpty ? "#\n" : "# \($0)\n" }.joined() + "\nstatic_resources:\n  secrets:\n"
      + list.list.hosts.filter { $0.mode != .off }.map(secret).joined()
  }

  private func secret(_ host: PinList.Host) -> String {
    var text = "  - name: \(Self.quoted(host.label))\n    validation_context:\n"
    let anchors = host.anchors.map(\.pem).joined()
    text += "      trusted_ca:\n"
    text +=
      anchors.isEmpty
      ? "        filename: \(Self.quoted(trustedCA))\n"
      : "        inline_string: |\n" + anchors.split(separator: "\n").map { "          \($0)\n" }.joined()
    text += "      verify_certificate_spki:\n"
    for key in list.list.keys(of: host) {
      text += "      - \(Self.quoted(Base64.encode(key.pin.digest.bytes))) # \(FittedPinList.harmless(key.name))\n"
    }
    text += "      match_typed_subject_alt_names:\n      - san_type: \(host.host.isAddress ? "IP_ADDRESS" : "DNS")\n"
    return text + "        matcher:\n          exact: \(Self.quoted(host.host.text))\n"
  }

  /// A double-quoted scalar, of text in ASCII.
  private static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
