import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// Something that was meant for development only is in another audience's manifest.
  static let developmentInProduction = Rule(
    code: "P218",
    name: "development-in-production",
    severity: .error,
    title: "An anchor or host of one audience is in another's manifest, or is enforced in development only.",
    rationale: """
      The anchor of a development CA makes clients trust certificates that are issued with little care. A host of
      development in production's manifest tells its name to everybody. A host that is enforced in development and not in
      production was probably forgotten there.

      `development: true` marks an audience. An anchor is one for development if an overlay of such an audience names it,
      or an entry that is only for such audiences. If production uses the same CA on purpose, suppress the finding.
      `domains:` lists the domains in which only this audience may have hosts.
      """,
    failing: .publicWeb(audiences("[api.example.com]")),
    passing: .publicWeb(audiences("[staging.example.com]")),
    citation: "docs/audiences.md",
    check: .policy { input in anchors(input) + domains(input) + modes(input) })

  private static func audiences(_ domains: String) -> String {
    """
    manifest:
      audiences:
        production: { refresh-after: 1d }
        staging: { development: true, domains: \(domains) }
    hosts:
      - host: api.example.com
        audiences: [production]
        keys: public-web
    """
  }

  private static func anchors(_ input: CheckInput) -> [Finding] {
    let shared = Set(input.policy.hosts.compactMap { $0.trust?.place })
    // By their keys: a certificate that is issued again is the same anchor.
    var meant: [Pin: Place] = [:]
    for development in input.policy.developments {
      for trust in development.hosts.lazy.compactMap(\.trust) where !shared.contains(trust.place) {
        for anchor in trust.trustedKeys { meant[anchor] = meant[anchor] ?? trust.place }
      }
    }
    guard !meant.isEmpty else { return [] }
    return input.firstHostsOfTrust.compactMap { index in
      let entry = input.policy.hosts[index]
      guard let trust = entry.trust, let place = trust.trustedKeys.lazy.compactMap({ meant[$0] }).first else {
        return nil
      }
      return Finding(
        at: trust.place, "'\(entry.label)' trusts an anchor that an entry for development names too",
        related: [Diagnostic.Related("here it is for development", at: place)],
        help:
          "If it is the CA for development, use another anchor here. If it isn't, suppress this finding with the reason."
      )
    }
  }

  private static func domains(_ input: CheckInput) -> [Finding] {
    guard let name = input.policy.settings?.audience?.value else { return [] }
    let audiences = input.policy.files.lazy.compactMap(\.settings).first?.audiences ?? []
    let environment = audiences.first { $0.name.value == name }?.sliceOf?.value ?? name
    var own: Set<String> = []
    var domains: [String: (audience: String, place: Place)] = [:]
    for audience in audiences {
      for domain in audience.domains {
        guard let host = try? InternationalName.host(domain.value) else { continue }
        if audience.name.value == environment {
          own.insert(host.text)
        } else {
          domains[host.text] = (audience.name.value, domain.place)
        }
      }
    }
    for name in own { domains[name] = nil }
    guard !domains.isEmpty else { return [] }
    return input.policy.hosts.compactMap { entry in
      guard let owner = ([entry.host.text] + entry.host.namesAbove).lazy.compactMap({ domains[$0] }).first else {
        return nil
      }
      return Finding(
        at: entry.written.place, "'\(entry.label)' is in a domain of the audience '\(owner.audience)'",
        related: [Diagnostic.Related("its domains are here", at: owner.place)],
        help: "Write 'audiences: [\(owner.audience)]' in the entry.")
    }
  }

  private static func modes(_ input: CheckInput) -> [Finding] {
    var enforced: [String: Place] = [:]
    for development in input.policy.developments {
      for entry in development.hosts where entry.mode.value == .enforce { enforced[entry.label] = entry.written.place }
    }
    return input.policy.hosts.compactMap { entry in
      guard entry.mode.value != .enforce, let place = enforced[entry.label] else { return nil }
      return Finding(
        at: entry.mode.place,
        "'\(entry.label)' is \(entry.mode.value == .off ? "off" : "only reported") here, and enforced in development",
        related: place == entry.written.place ? [] : [Diagnostic.Related("it is enforced here", at: place)],
        help: "Enforce it here too, or suppress this finding with the reason.", severity: .warning)
    }
  }
}

extension Policy.Trust {
  /// The keys of all certificates that end a path or stand for one.
  fileprivate var trustedKeys: [Pin] {
    (anchorFiles.flatMap(\.value) + [certificate?.value].compactMap(\.self)).map(\.pin)
  }
}
