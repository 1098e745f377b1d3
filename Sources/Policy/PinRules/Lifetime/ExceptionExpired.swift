import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// A trust exception whose end date has passed.
  static let exceptionExpired = Rule(
    code: "P407",
    name: "exception-expired",
    severity: .warning,
    title: "A trust exception has ended.",
    rationale: """
      An exception excuses one failure of one certificate until a date, so that somebody can fix the server. From then
      on the failure blocks again. An exception that has ended either isn't needed any more, or the host is down
      already.
      """,
    failing: Example(
      """
      version: 1
      keys:
        example-root: { file: keys/example-root.pem }
        legacy: { file: keys/legacy.pem }
      hosts:
        - host: legacy.example.com
          keys: { active: [legacy], backup: [example-root] }
          trust:
            reason: the appliance can't renew its certificate by itself
            exceptions:
              - failure: expired
                certificate: keys/legacy.pem
                until: 2026-11-15
                reason: the vendor renews it on 2026-11-12
      """),
    passing: Example(
      """
      version: 1
      keys:
        example-root: { file: keys/example-root.pem }
        legacy: { file: keys/legacy.pem }
      hosts:
        - host: legacy.example.com
          keys: { active: [legacy], backup: [example-root] }
          trust:
            reason: the appliance can't renew its certificate by itself
            exceptions:
              - failure: expired
                certificate: keys/legacy.pem
                until: 2026-12-15
                reason: the vendor renews it on 2026-12-12
      """),
    citation: "Apple, TN2232, Trust Exceptions",
    check: .policy { input in
      input.firstHostsOfTrust.flatMap { index -> [Finding] in
        let host = input.policy.hosts[index]
        guard host.mode.value != .off, let exceptions = host.trust?.exceptions else { return [] }
        return exceptions.filter { $0.until.value <= input.instant }.map { exception in
          Finding(
            at: exception.until.place,
            "the exception '\(exception.failure.value.rawValue)' of '\(host.label)' ended at \(exception.until.value)",
            related: [Diagnostic.Related("granted for this reason", at: exception.reason.place)],
            help: "Remove it; if the server still fails, fix the server, or grant the exception again.",
            fixes: input.deletingItem("the exception", at: exception.until.place, .suggested))
        }
      }
    })
}
