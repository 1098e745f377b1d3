import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// A field that is written must be able to change something.
  static let fieldsWithoutEffect = Rule(
    code: "P209",
    name: "fields-without-effect",
    severity: .warning,
    title: "A field has no effect here.",
    rationale: """
      The field looks like protection, but it does nothing: an exclusion (`mode: off`) needs no keys and never
      expires, `on-expiry` needs an `expires` to wait for, a certificate that is compared byte for byte isn't validated
      by a path, a `trust` without content changes nothing, and `defaults:` apply only to the hosts of their own
      file.
      """,
    failing: .publicWeb(
      """
      hosts:
        - host: example.com
          include-subdomains: true
          keys: public-web
        - host: legacy.example.com
          mode: off
          keys: public-web
          reason: third-party appliance, replaced in the second quarter
      """),
    passing: .publicWeb(
      """
      hosts:
        - host: example.com
          include-subdomains: true
          keys: public-web
        - host: legacy.example.com
          mode: off
          reason: third-party appliance, replaced in the second quarter
      """),
    citation: "docs/policy.md#reference",
    check: .policy { input in
      let policy = input.policy
      let actions = Dictionary(policy.files.map { ($0.id, $0.defaults.onExpiry?.place) }) { first, _ in first }
      // If something could not be read, an entry may have fields that aren't in its traits.
      let isRead = policy.problems.isEmpty
      let hosts = policy.hosts.indices.filter { index in
        !isRead || !input.hostFacts.traits[index].isDisjoint(with: [.isOff, .hasTrust])
          || !policy.hosts[index].probe.isEmpty
          || isOwn(policy.hosts[index].onExpiry, besides: actions)
      }
      return hosts.flatMap { unusedFields(of: policy.hosts[$0], in: input) }
        + policy.files.flatMap { unusedDefaults(of: $0, in: input) }
        + input.firstHostsOfTrust.flatMap { unusedTrustFields(of: policy.hosts[$0], in: input) }
        + input.keyFacts.keys(with: .isDenied).flatMap { fieldsBesideDenial(policy.keys[$0], in: input) }
    })

  /// False for what an entry doesn't say, and what it has from its file's defaults.
  private static func isOwn(_ action: Located<ExpiryAction>?, besides defaults: [FileID: Place?]) -> Bool {
    guard let action else { return false }
    return defaults[action.place.file] != action.place
  }

  private static func unusedFields(of entry: Policy.HostEntry, in input: CheckInput) -> [Finding] {
    guard let written = input.written(entry) else { return [] }
    if entry.mode.value == .off {
      return fieldsOfPinnedEntries(written).map { name, place in
        Finding(
          at: place, "'\(name)' has no effect on an entry with 'mode: off'",
          related: [Diagnostic.Related("the entry is an exclusion because of this", at: entry.mode.place)],
          help: "Delete '\(name)', or delete 'mode: off' if the host should be pinned.",
          fixes: input.deletingField(name, at: place, .suggested))
      }
    }
    var findings: [Finding] = []
    // An empty 'trust' that replaces a default has an effect.
    if let trust = written.terms.trust, changesNothing(trust), input.file(of: entry)?.defaults.trust == nil,
      !input.unread.containsAny(of: written),
      !input.isCutOff(written)
    {
      findings.append(
        Finding(
          at: trust.place, "'trust' has no effect, because nothing in it differs from the system's trust evaluation",
          help: "Delete 'trust', or add what is to differ.",
          fixes: input.deletingField("trust", at: trust.place, .suggested)))
    }
    if let action = written.terms.onExpiry, entry.expires == nil, !input.mayHave("expires", entry) {
      findings.append(
        Finding(
          at: action.place, "'on-expiry' has no effect on an entry that doesn't expire",
          help: "Add 'expires:', here or in 'defaults:', or delete 'on-expiry'.",
          fixes: input.deletingField("on-expiry", at: action.place, .suggested)))
    }
    if let action = written.terms.onExpiry, action.value == .enforce, entry.mode.value == .reportOnly,
      entry.expires != nil
    {
      findings.append(
        Finding(
          at: action.place, "'enforce' goes on as before, and so doesn't enforce what is only reported until then",
          related: [Diagnostic.Related("mismatches are only reported because of this", at: entry.mode.place)],
          help: "Choose 'report-only', which says the same, or 'block'.", severity: .note,
          fixes: input.writing("report-only", at: action.place, .suggested)))
    }
    if let probe = written.probe.first, !entry.coversSubdomains, !input.mayHave("include-subdomains", entry) {
      findings.append(
        Finding(
          at: probe.place, "'probe' has no effect on an entry that doesn't cover names below its host",
          help: "Add 'include-subdomains: true', or delete 'probe'.",
          fixes: input.deletingField("probe", at: probe.place, .suggested)))
    }
    return findings
  }

  private static func fieldsOfPinnedEntries(_ host: ParsedHost) -> [(name: String, place: Place)] {
    let keys: Place? =
      switch host.keys {
      case .named(let name): name.place
      case .inline(let set): set.place
      case nil: nil
      }
    let places = host.terms.places.filter { !["mode", "include-subdomains"].contains($0.name) }
    return [("keys", keys), ("probe", host.probe.first?.place)].compactMap { name, place in place.map { (name, $0) } }
      + places
  }

  private static func unusedTrustFields(of entry: Policy.HostEntry, in input: CheckInput) -> [Finding] {
    let beside = input.writtenTrust(entry).map(fieldsBesideCertificate) ?? []
    let intermediates = entry.trust?.certificate == nil ? entry.trust?.intermediateFiles ?? [] : []
    return intermediates.flatMap(leaves)
      + beside.map { name, place in
        Finding(
          at: place, "'\(name)' has no effect beside 'certificate'",
          help: "Delete '\(name)': the certificate is compared byte for byte, and its path and name aren't looked at.",
          fixes: input.deletingField(name, at: place, .suggested))
      }
  }

  private static func fieldsBesideCertificate(_ trust: ParsedTrust) -> [(name: String, place: Place)] {
    guard trust.certificate != nil else { return [] }
    let fields: KeyValuePairs<String, Place?> = [
      "anchors": trust.anchors?.first?.place, "intermediates": trust.intermediates.first?.place,
      "server-name": trust.serverName?.place, "signatures": trust.signatures.first?.place,
    ]
    return fields.compactMap { name, place in place.map { (name, $0) } }
  }

  /// Certificates of a bundle of intermediates that can't have issued another.
  private static func leaves(among bundle: Located<[KeyMaterial]>) -> [Finding] {
    bundle.value.filter { $0.certificate?.isCA == false }.map { certificate in
      Finding(
        at: bundle.place,
        "\(Wording.quoted(certificate.subject ?? certificate.path, most: 120)) has no effect among 'intermediates'",
        help: "Name the certificate of the CA that issued the server's: this isn't a CA's, so no path uses it.")
    }
  }

  /// True where nothing is stated but a reason, or that the system's anchors count, as they do anyway.
  private static func changesNothing(_ trust: ParsedTrust) -> Bool {
    (trust.anchors ?? []).allSatisfy { $0.value == "system" } && trust.intermediates.isEmpty && trust.certificate == nil
      && trust.serverName == nil && trust.exceptions.isEmpty && trust.minimumRSABits == nil
      && trust.minimumECBits == nil && trust.signatures.isEmpty && trust.minimumTLS == nil
  }

  private static func unusedDefaults(of file: ParsedFile, in input: CheckInput) -> [Finding] {
    let defaults = file.defaults
    if let first = defaults.places.map(\.place).min(), file.hosts.isEmpty, file.isComplete,
      !input.unread.contains("hosts", of: file.id)
    {
      return [
        Finding(
          at: first, "these defaults have no effect, because this file has no hosts",
          help: "Move 'defaults:' to the files that have hosts: they apply only to the hosts of their own file.",
          fixes: input.deletingField("defaults", at: first, .suggested))
      ]
    }
    guard let action = defaults.onExpiry, defaults.expires == nil, file.isComplete,
      file.hosts.allSatisfy({ $0.terms.expires == nil && !input.unread.contains("expires", of: $0) })
    else { return [] }
    return [
      Finding(
        at: action.place, "'on-expiry' has no effect, because no entry of this file expires",
        help: "Add 'expires:' beside it, or delete it.",
        fixes: input.deletingField("on-expiry", at: action.place, .suggested))
    ]
  }

  private static func fieldsBesideDenial(_ key: Policy.Key, in input: CheckInput) -> [Finding] {
    guard key.denied != nil else { return [] }
    var findings: [Finding] = []
    // 'position: leaf' has an effect: clients that see only the leaf enforce a denial only with it.
    if let position = key.position, position.value != .leaf {
      findings.append(
        Finding(
          at: position.place, "'position: \(position.value.rawValue)' has no effect on a denied key",
          help: "Delete 'position': a denied key blocks wherever it is in the chain.",
          fixes: input.deletingField("position", at: position.place, .suggested)))
    }
    if let place = key.status?.place {
      findings.append(
        Finding(
          at: place, "'status' has no effect on a denied key",
          help: "Delete 'status': a denied key has come to its end.",
          fixes: input.deletingField("status", at: place, .suggested)))
    }
    if let first = key.steps.dated.map(\.instant.place).min() {
      findings.append(
        Finding(
          at: first, "'steps' has no effect on a denied key",
          help: "Delete 'steps': a denied key stays in every manifest, and no server may present it.",
          fixes: input.deletingField("steps", at: first, .suggested)))
    }
    return findings
  }
}
