package import Diagnostics
import PinFormat
import PinPolicy
package import PinRelease
package import PinRules
import PolicySupport

/// A policy of one host, checked, and as which release.
package enum SmallPolicy {
  package static let keys = """
    keys:
      first: { pin: sha256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4=, position: root }
      second: { pin: sha256/YZPgTZ+woNCCCIW3LH2CxQeLzB/1m42QcCTBSdgayjs=, custody: "HSM A", created: 2026-09-01 }
      third: { pin: sha256/JbQbUG5JMJUoI6brnx0x3vZF6jilxsapbXGVfjhN8Fg=, custody: "HSM B", created: 2026-09-01 }
      leaked: { pin: sha256/h6801m+z8v3zbgkRHpq6L29Esgfzhj89C1SyUCOQmqU=, denied: found in a bucket }
    key-sets:
      web: { active: [second], backup: [first] }
      unused: { active: [third], backup: [first] }

    """

  package static let web = """
    hosts:
      - { host: b.example.com, keys: web, expires: 2027-06-01, on-expiry: report-only }

    """

  package static let release = Release(
    serial: 7, issued: Instant(secondsSinceEpoch: 1_795_219_200), previous: nil, commit: nil, compiler: "pintle test")

  /// The keys above, and the text below them.
  package static func checked(_ text: String) throws -> CheckedPolicy {
    let policy = try ExampleFiles.resolve(keys + text)
    let outcome = CheckedPolicy.check(CheckInput(policy: policy, at: release.issued))
    guard let checked = outcome.checked else {
      throw Rejected(errors: outcome.result.diagnostics.filter { $0.severity == .error })
    }
    return checked
  }

  package struct Rejected: Error {
    package var errors: [Diagnostic]
  }
}
