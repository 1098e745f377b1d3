import Diagnostics
import PinEvidence
import PinFormat
import PinPolicy
import PinValidator

extension Rule {
  /// An exception that a server lives on.
  static let exceptionInUse = Rule(
    code: "P527",
    name: "exception-in-use",
    severity: .note,
    title: "A server passes by an exception of the policy.",
    rationale: """
      A trust exception was granted for a time, so that somebody could mend the server, and the server still needs it. From
      the exception's end on, clients refuse the connection. Where the server has been mended, nothing is said here.
      """,
    failing: .live("expired", "The server sends a certificate that has expired.", exception),
    passing: .live("renewed", "The server sends a certificate that was renewed.", exception),
    citation: "Apple, TN2232, Trust Exceptions",
    check: .live { _, facts in
      facts.targets.compactMap { target in
        var groups: [(used: ExcusedFailure, cells: Set<Cell>)] = []
        for judged in target.judged where judged.path.failures.isEmpty {
          for used in judged.path.excused {
            if let index = groups.firstIndex(where: { $0.used.exception == used.exception }) {
              groups[index].cells.insert(judged.cell)
            } else {
              groups.append((used, [judged.cell]))
            }
          }
        }
        guard !groups.isEmpty else { return nil }
        let cells = target.judged.map(\.cell)
        let parts = groups.map { group in
          "'\(group.used.exception.failure.rawValue)' until \(group.used.exception.until)"
            + CellScope(group.cells, among: cells).text()
        }
        let exceptions = facts.entry(of: target)?.trust?.exceptions ?? []
        let written = exceptions.filter { written in
          groups.contains {
            $0.used.exception.failure == written.failure.value && $0.used.exception.certificate == written.certificate
          }
        }
        return target.finding(
          "'\(target.label)' passes by the exception " + LiveFacts.joined(parts),
          related: written.prefix(3).map { Diagnostic.Related("granted here", at: $0.place) },
          help: "Have the server mended before the exception ends; then take the exception out.")
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
