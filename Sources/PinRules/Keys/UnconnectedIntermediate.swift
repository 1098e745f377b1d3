import Diagnostics
import PinEvidence
import PinPolicy

extension Rule {
  /// An intermediate of `trust` that leads to no anchor of the entry.
  static let unconnectedIntermediate = Rule(
    code: "P334",
    name: "unconnected-intermediate",
    severity: .warning,
    title: "An intermediate that `trust` names leads to none of the entry's anchors.",
    rationale: """
      Clients use `intermediates:` to get from a server's certificate to an anchor. If the issuer of an intermediate is
      neither an anchor of the entry nor another of its intermediates, clients can only use it if the server sends the
      rest. Mostly the wrong file is named. Where the system's anchors count, it isn't reported, because which these are
      depends on the client.
      """,
    failing: Example(example(anchor: "other-root")),
    passing: Example(example(anchor: "example-root")),
    citation: "docs/validation.md#what-trust-changes",
    check: .policy { input in
      input.trustFaults.compactMap { fault in
        guard fault.kind == .leadsNowhere else { return nil }
        let issuer = Wording.quoted(fault.certificate.certificate?.issuer ?? "", most: 120)
        return Finding(
          at: fault.place,
          "\(fault.name) doesn't lead to an anchor of this entry: no certificate of \(issuer) is named",
          help: "Name the certificate of its issuer in 'anchors:' or 'intermediates:', or remove this one.")
      }
    })

  private static func example(anchor: String) -> String {
    """
    version: 1
    keys:
      \(anchor): { file: keys/\(anchor).pem }
      api-spare: { file: keys/api-spare.csr }
    hosts:
      - host: api.example.com
        keys: { active: [\(anchor)], backup: [api-spare] }
        trust:
          anchors: [keys/\(anchor).pem]
          intermediates: [keys/example-intermediate.pem]
          reason: issued by our own CA, whose servers leave the intermediate out
    """
  }
}
