import Diagnostics
import PinFormat
import PinPolicy
import PinRelease

extension Rule {
  /// Something that needs a word of explanation and has none.
  static let missingReason = Rule(
    code: "P413",
    name: "missing-reason",
    severity: .warning,
    title: "An exclusion, or a change to trust evaluation, has no reason.",
    rationale: """
      `mode: off` removes the protection of a host, and `trust` changes whom a client trusts. Both are legitimate, and both
      look like a mistake, or an attack, to the next reader. A reviewer can agree to a reason, and can check a year later
      whether it is still true. Stricter minimums explain themselves.
      """,
    failing: Example(
      """
      version: 1
      keys:
        example-root: { file: keys/example-root.pem }
        api-spare: { file: keys/api-spare.csr }
      hosts:
        - host: example.com
          include-subdomains: true
          keys: { active: [example-root], backup: [api-spare] }
        - host: legacy.example.com
          mode: off
      """),
    passing: Example(
      """
      version: 1
      keys:
        example-root: { file: keys/example-root.pem }
        api-spare: { file: keys/api-spare.csr }
      hosts:
        - host: example.com
          include-subdomains: true
          keys: { active: [example-root], backup: [api-spare] }
        - host: legacy.example.com
          mode: off
          reason: third-party appliance, replaced in the second quarter
      """),
    citation: "Apple, TN2232, HTTPS Server Trust Evaluation",
    check: .policy(missingReasons))
}

private func missingReasons(_ input: CheckInput) -> [Finding] {
  let hosts = input.policy.hosts
  // Only entries that exclude a host or change trust evaluation need a reason.
  let traits = input.hostFacts.traits
  let candidates = input.hostFacts.entries(without: .hasReason).filter { index in
    !traits[index].isDisjoint(with: [.isOff, .hasTrust])
  }
  let firstHostsOfTrust = Set(input.firstHostsOfTrust)
  return candidates.compactMap { index in
    let host = hosts[index]
    guard host.mode.value == .off || firstHostsOfTrust.contains(index) else { return nil }
    guard !input.mayHave("reason", host) else { return nil }
    if host.mode.value == .off {
      return Finding(
        at: host.written.place, "'\(host.label)' is excluded without a reason",
        help: "Add a 'reason:' to the entry: why it isn't pinned, and what would change that.",
        fixes: input.adding("reason", "", besideFieldAt: host.written.place, .suggested))
    }
    guard let trust = host.trust, trust.reason == nil, changesTrust(trust) else { return nil }
    return Finding(
      at: trust.place, "'\(host.label)' changes trust evaluation without a reason",
      help: "Add a 'reason:' to its 'trust:'.",
      fixes: .fix(
        "add 'reason:'", .suggested, input.file(of: trust.place)?.adding("reason", "", insideFieldAt: trust.place)))
  }
}

/// True where somebody is believed who otherwise wouldn't be; exceptions have reasons of their own.
private func changesTrust(_ trust: Policy.Trust) -> Bool {
  !trust.anchorFiles.isEmpty || !trust.intermediateFiles.isEmpty || trust.certificate != nil || trust.serverName != nil
}
