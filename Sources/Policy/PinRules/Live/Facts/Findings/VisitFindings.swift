import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

/// What a rule says of one visit, or of one cell of it, behind the target's name; and what to do about it.
///
/// Those with the same message are one part of the target's finding.
struct VisitPhrase: Equatable {
  var message: String
  var help: String
  /// True where clients block the server for it, whatever the rule's own severity.
  var isError: Bool

  init(_ message: String, help: String, isError: Bool = false) {
    self.message = message
    self.help = help
    self.isError = isError
  }
}

extension LiveFacts {
  /// One finding for each target, about the visits of which there is something to say.
  func visitFindings(_ phrase: (LiveTarget.Served) -> VisitPhrase?) -> [Finding] {
    targets.compactMap { target in
      guard target.isAnswerable else { return nil }
      let found = target.served.compactMap { visit in phrase(visit).map { (phrase: $0, cell: visit.cell) } }
      guard let first = found.first else { return nil }
      let parts = Self.merged(found.map { ($0.phrase.message, [$0.cell]) })
      return target.finding(
        "'\(target.label)' "
          + Self.joined(parts.map { $0.text + target.scope(ofVisits: $0.cells, isOnly: parts.count == 1) }),
        help: first.phrase.help, severity: found.contains { $0.phrase.isError } ? .error : nil)
    }
  }

  /// The same about flaws of the served chains.
  func flawFindings(_ phrase: (ChainFlaw, ServedReport) -> VisitPhrase?) -> [Finding] {
    visitFindings { visit in
      let phrases = visit.report.flaws.compactMap { phrase($0, visit.report) }
      return phrases.first.map { first in
        VisitPhrase(
          Self.joined(phrases.map(\.message)), help: first.help, isError: phrases.contains { $0.isError })
      }
    }
  }
}
