import Diagnostics
import PinPolicy
import PinProbe

extension Rule {
  /// An intermediate of `trust` that leads to no anchor of the entry.
  static let unconnectedIntermediate = Rule(
    code: "P334",
    name: "unconnected-intermediate",
    severity: .warning,
    title: "An intermediate that `trust` names doesn't lead to any of the entry's anchors.",
    rationale: """
      Clients use `intermediates:` to build a path from a server's certificate to an anchor. If the issuer of an
      intermediate is neither an anchor of the entry nor another of its intermediates, clients can use the intermediate
      only if the server sends the missing certificates. Usually the wrong file is named. Nothing is reported if the
      entry also trusts the system's anchors, because those differ between clients.
      """,
    failing: Example(example(anchor: "other-root")),
    passing: Example(example(anchor: "example-root")),
    citation: "docs/validation.md#what-trust-changes",
    check: .policy { input in
      input.trustFaults.compactMap { fault in
        guard fault.kind == .leadsNowhere else { return nil }
        let issuer = Wording.quoted(fault.certificate?.certificate?.issuer ?? "", most: 120)
        return Finding(
          at: fault.place,
          "\(fault.name) doesn't lead to an anchor of this entry: the certificate of its issuer \(issuer) is missing",
          help: "Add the issuer's certificate to 'anchors:' or 'intermediates:', or remove this intermediate.")
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
