import Diagnostics
import PinFormat
import PinProbe

/// What the page says of a host before it says more.
struct HostSummary {
  var target: AssessedTarget
  var standing: Standing
  /// The numbers of the report's findings about it.
  var findings: [Int]
  var errors: Int
  var warnings: Int
  /// The gravest finding, by the name of its rule: `certificate expired`.
  var cause: String?
  /// The addresses that were visited, each once.
  var addresses: [String]
  /// The first notAfter of all the certificates of its paths.
  var earliestExpiry: Instant?

  init(_ target: AssessedTarget, findings: [Int], _ page: ProbePage) {
    self.target = target
    self.findings = findings
    let grave = findings.map { page.report.diagnostics[$0] }
    errors = grave.count { $0.severity == .error }
    warnings = grave.count { $0.severity == .warning }
    cause = grave.max { $0.severity < $1.severity }.map { worst in
      let rule = page.report.rules.first { $0.code == worst.code }
      return rule.map { $0.name.replacing("-", with: " ") } ?? worst.code
    }
    var seen: Set<String> = []
    addresses = target.visits.map(\.address).filter { seen.insert($0).inserted }
    let paths = target.visits.compactMap(\.served).flatMap { $0.judgements.flatMap(\.paths) }
    let shown = Set(paths.flatMap(\.chain)).union(target.visits.compactMap { $0.served?.chain.first })
    earliestExpiry = shown.compactMap { page.assessment.certificates[$0]?.notAfter }.min()
    standing = Self.standing(
      of: target, paths: paths.map { PathState($0).standing },
      hasError: grave.contains { $0.severity == .error && !Diagnostic.isOfReaching($0.code) }, hasWarning: warnings > 0)
  }

  private static func standing(
    of target: AssessedTarget, paths: [Standing], hasError: Bool, hasWarning: Bool
  ) -> Standing {
    let worst = paths.min()
    if worst == .fails || hasError { return .fails }
    guard let worst, target.hasAnswered else { return .unreached }
    let isPartlyUnreached = target.visits.contains { if case .failed = $0.outcome { true } else { false } }
    return isPartlyUnreached || target.unresolved != nil || hasWarning ? .caution : worst
  }

  /// The worst first; where two stand alike, by findings and then by name.
  static func isBefore(_ left: HostSummary, _ right: HostSummary) -> Bool {
    if left.standing != right.standing { return left.standing < right.standing }
    if left.errors != right.errors { return left.errors > right.errors }
    if left.warnings != right.warnings { return left.warnings > right.warnings }
    if left.target.host != right.target.host { return left.target.host < right.target.host }
    return left.target.port < right.target.port
  }
}
