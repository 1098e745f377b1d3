import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinRelease
import PinValidator

extension Rule {
  /// An exception that a server lives on.
  static let exceptionInUse = Rule(
    code: "P527",
    name: "exception-in-use",
    severity: .note,
    title: "A server is accepted only because of an exception in the policy.",
    rationale: """
      The policy grants an exception until a date, so that the server can be fixed in the meantime, and the server still
      needs it. When the exception ends, clients block the connection. The same is reported for an intermediate that the
      policy supplies because the server doesn't send it. Once the server is fixed, this finding disappears.
      """,
    failing: .live("expired", "The server sends a certificate that has expired.", exception),
    passing: .live("renewed", "The server sends a certificate that was renewed.", exception),
    citation: "Apple, TN2232, Trust Exceptions",
    check: .live { _, facts in
      facts.targets.compactMap { target in
        let uses = target.judged.filter(\.path.failures.isEmpty).flatMap { judged in
          facts.uses(by: judged, of: target).map { (use: $0, cell: judged.cell) }
        }
        guard let first = uses.first else { return nil }
        let parts = LiveFacts.merged(uses.map { ($0.use.text, [$0.cell]) })
        let cells = target.judged.map(\.cell)
        var places: [Place] = []
        for use in uses where !places.contains(use.use.place) { places.append(use.use.place) }
        return target.finding(
          "'\(target.label)' is accepted only because of "
            + LiveFacts.joined(
              parts.map { part in
                part.text
                  + CellScope(part.cells, among: cells).text(elsewhere: parts.count == 1 ? .not : .unsaid)
              }),
          related: places.prefix(3).map { Diagnostic.Related("granted here", at: $0) }, help: first.use.help)
      }
    })

  private static let exception = """
      live-root: { file: live/root.pem }
    hosts:
      - host: legacy.example.com
        keys: { active: [example-root, live-root], backup: [other-root] }
        trust:
          exceptions:
            - failure: expired
              certificate: keys/legacy.pem
              until: 2026-12-15
              reason: the vendor renews it on 2026-12-12
    """
}

/// What of an entry's `trust:` a path needed.
private struct TrustUse {
  var text: String
  var place: Place
  var help: String
}

extension LiveFacts {
  fileprivate func uses(by judged: LiveTarget.Judged, of target: LiveTarget) -> [TrustUse] {
    guard let trust = entry(of: target)?.trust else { return [] }
    let exceptions = judged.path.excused.compactMap { used -> TrustUse? in
      let written = trust.exceptions.first {
        $0.failure.value == used.exception.failure && $0.certificate == used.exception.certificate
          && $0.until.value == used.exception.until
      }
      return TrustUse(
        text: "the exception '\(used.exception.failure.rawValue)' until \(used.exception.until)",
        place: written?.place ?? trust.place,
        help: "Fix the server before the exception ends; then remove the exception.")
    }
    return exceptions + intermediates(of: trust, neededBy: judged, of: target)
  }

  /// Certificates that the policy supplied because the server doesn't send them.
  private func intermediates(
    of trust: Policy.Trust, neededBy judged: LiveTarget.Judged, of target: LiveTarget
  ) -> [TrustUse] {
    let served = target.served[judged.visit].report.chain
    // The last certificate of a path is an anchor, wherever it comes from.
    return judged.path.chain.dropFirst().dropLast().compactMap { fingerprint in
      guard !served.contains(fingerprint),
        let file = trust.intermediateFiles.first(where: { file in
          file.value.contains { $0.certificate?.fingerprint == fingerprint }
        })
      else { return nil }
      return TrustUse(
        text: "the intermediate '\(name(fingerprint))' in the policy, which it doesn't send", place: file.place,
        help: "Have the server send its whole chain; then remove the intermediate from the policy.")
    }
  }
}
