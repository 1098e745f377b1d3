import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// An anchor that no chain can end in.
  static let unusableAnchor = Rule(
    code: "P329",
    name: "unusable-anchor",
    severity: .error,
    title: "An anchor is a certificate that can't be the end of a chain.",
    rationale: """
      A chain ends in a certificate authority, or in a certificate that vouches for itself. A server's certificate that
      somebody else issued does neither. Where it is the only anchor, trust evaluation fails for every chain, which
      blocks in `report-only` too; beside other anchors it has no effect. To accept only this certificate,
      name it with `certificate:`; to trust its CA, name the CA.
      """,
    failing: Example(
      """
      version: 1
      keys:
        api: { file: keys/api.pem }
        api-spare: { file: keys/api-spare.csr }
      hosts:
        - host: api.example.com
          keys: { active: [api], backup: [api-spare] }
          trust:
            anchors: [keys/api.pem]
            reason: issued by our own CA
      """),
    passing: Example(
      """
      version: 1
      keys:
        api: { file: keys/api.pem }
        api-spare: { file: keys/api-spare.csr }
      hosts:
        - host: api.example.com
          keys: { active: [api], backup: [api-spare] }
          trust:
            anchors: [keys/example-root.pem]
            reason: issued by our own CA
      """),
    citation: "docs/validation.md#what-trust-changes",
    check: .policy { input in
      input.firstHostsOfTrust.flatMap { unusableAnchors(of: input.policy.hosts[$0], in: input) }
    })
}

private func unusableAnchors(of host: Policy.HostEntry, in input: CheckInput) -> [Finding] {
  // With 'certificate:' no path is built, so anchors have no effect.
  guard host.mode.value != .off, let trust = host.trust, trust.certificate == nil else { return [] }
  // An anchor whose file can't be read may be usable.
  let hasOthers =
    trust.systemAnchors || input.hasUnreadAnchors(host)
    || trust.anchorFiles.contains { $0.value.contains(where: canEndAPath) }
  return trust.anchorFiles.flatMap { file in
    file.value.filter { !canEndAPath($0) }.map { anchor in
      Finding(
        at: file.place,
        "\(Wording.quoted(anchor.subject ?? anchor.path, most: 120)) can't be an anchor: it is not a CA certificate "
          + "and not self-signed",
        help: "Name the CA that issued it; or use 'certificate:' in place of 'anchors:' to accept this one alone.",
        severity: hasOthers ? .warning : nil)
    }
  }
}

func canEndAPath(_ anchor: KeyMaterial) -> Bool {
  anchor.certificate.map { $0.isCA || $0.isSelfIssued } ?? true
}

extension CheckInput {
  /// True where an entry names an anchor whose file can't be read, which is a finding of its own.
  func hasUnreadAnchors(_ host: Policy.HostEntry) -> Bool {
    let named = writtenTrust(host)?.anchors?.count { $0.value != "system" } ?? 0
    return named > host.trust?.anchorFiles.count ?? 0
  }
}
