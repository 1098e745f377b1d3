import Diagnostics
import PinPolicy

extension Rule {
  /// A host and port have one entry.
  static let duplicateHost = Rule(
    code: "P203",
    name: "duplicate-host",
    severity: .error,
    title: "A host and port have two entries.",
    rationale: """
      One entry governs a connection, and pins of two entries are never merged. Of two entries for the same host and
      port neither is more specific, so the order of files would decide which one applies.
      """,
    failing: .publicWeb(
      """
      hosts:
        - host: api.example.com
          keys: public-web
        - host: API.example.com
          mode: report-only
          keys: public-web
      """),
    passing: .publicWeb(
      """
      hosts:
        - host: api.example.com
          keys: public-web
        - host: api.example.com
          port: 8443
          mode: report-only
          keys: public-web
      """),
    citation: "docs/policy.md#which-entry-applies",
    isSuppressible: false,
    check: .problems { problem, input in
      guard case .duplicateHost(let label) = problem.kind else { return nil }
      return Finding(
        at: problem.place, "'\(label)' has a second entry here",
        related: problem.related.map { [Diagnostic.Related("its first entry is here", at: $0)] } ?? [],
        help: "Merge the two entries, or tell them apart by 'port:'.",
        fixes: input.deletingItem(
          "this entry", at: problem.place, input.saySame(problem.place, problem.related) ? .safe : .suggested))
    })
}

extension CheckInput {
  /// True if two entries of a file say the same, except how their hosts are written.
  fileprivate func saySame(_ place: Place, _ other: Place?) -> Bool {
    guard let other, other.file == place.file else { return false }
    return file(of: place)?.areSameItems(place, other, but: "host") ?? false
  }
}
