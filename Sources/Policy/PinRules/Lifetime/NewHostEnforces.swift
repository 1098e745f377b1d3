import Diagnostics
import PinFormat
import PinPolicy
import PinRotation

extension Rule {
  /// A host that clients enforce without ever having tried.
  package static let newHostEnforces = Rule(
    code: "P406",
    name: "new-host-enforces",
    severity: .warning,
    title: "A new host enforces pins at once.",
    rationale: """
      Whether pins are right shows on real connections only: a forgotten data centre with another certificate, a proxy, a
      client that builds another chain. In `report-only` each of them is a report; in `enforce` it is an outage. So a new
      host starts with reports. Needs the baseline, the manifest that clients now have.
      """,
    failing: Example(
      """
      version: 1
      keys:
        example-root: { file: keys/example-root.pem }
        api-spare: { file: keys/api-spare.csr }
      hosts:
        - host: api.example.com
          mode: enforce
          keys: { active: [example-root], backup: [api-spare] }
      """, baseline: emptyBaseline),
    passing: Example(
      """
      version: 1
      keys:
        example-root: { file: keys/example-root.pem }
        api-spare: { file: keys/api-spare.csr }
      hosts:
        - host: api.example.com
          mode: report-only
          keys: { active: [example-root], backup: [api-spare] }
      """, baseline: emptyBaseline),
    citation: "RFC 7469 section 2.3.2 and appendix B",
    check: .policy(newHostsThatEnforce))
}

private func newHostsThatEnforce(_ input: CheckInput) -> [Finding] {
  guard let baseline = input.baseline else { return [] }
  let known = ManifestHosts(baseline)
  let hosts = input.policy.hosts
  return input.hostFacts.entries(with: .enforces)
    .filter { (known.governing(hosts[$0].host, port: hosts[$0].port?.value)?.mode ?? .off) == .off }
    .map { index in
      let host = hosts[index]
      return Finding(
        at: host.written.place, "'\(host.label)' is new to clients and enforces at once",
        help: "Release it with 'mode: report-only' first, watch the reports, and then switch to 'enforce'.",
        fixes: input.written(host)?.terms.mode.map { input.writing("report-only", at: $0.place, .suggested) }
          ?? input.adding("mode", "report-only", besideFieldAt: host.written.place, .suggested))
    }
}

/// The signed part of a manifest without any host.
private let emptyBaseline = """
  {"audience":"production","expires":"2026-12-20T00:00:00Z","hosts":[],"issued":"2026-11-20T00:00:00Z",\
  "key-sets":{},"keys":{},"on-stale":"enforce","provenance":{"compiler":"pintle 0.1.0",\
  "sources":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},\
  "refresh-after":"2026-11-21T00:00:00Z","serial":1,"type":"application/vnd.pintle.manifest.v1+json",\
  "unpinned-hosts":"allow","version":1}
  """
