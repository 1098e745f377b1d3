/// How grave a finding is.
package enum Severity: String, Hashable, Sendable, Comparable, CaseIterable {
  /// Worth knowing.
  case note
  /// Probably a mistake, or a risk that somebody should accept on purpose.
  case warning
  /// Nothing is built from a policy that has one.
  case error

  package static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

  private var rank: Int {
    switch self {
    case .note: 0
    case .warning: 1
    case .error: 2
    }
  }
}

/// One finding, ready to be shown: what is wrong, where, and what to do about it.
package struct Diagnostic: Hashable, Sendable {
  /// A further place that explains the finding, such as "first declared here".
  package struct Related: Hashable, Sendable {
    package var message: String
    package var place: Place

    package init(_ message: String, at place: Place) {
      self.message = message
      self.place = place
    }
  }

  /// The rule's stable code: `P301`.
  package var code: String
  package var severity: Severity
  /// What is wrong: one clause, lower case, no full stop.
  package var message: String
  package var place: Place
  package var related: [Related]
  /// What to do, as an instruction: one sentence or two.
  package var help: String
  /// Where the rule comes from: an RFC and its section, a platform's document, or Pintle's own page.
  package var citation: String
  /// The one case that proves the finding, where there is one.
  package var witness: Witness?
  /// Changes of the text that fix it, the best one first.
  package var fixes: [Fix]

  package init(
    code: String, severity: Severity, message: String, place: Place, related: [Related] = [], help: String,
    citation: String, witness: Witness? = nil, fixes: [Fix] = []
  ) {
    self.code = code
    self.severity = severity
    self.message = message
    self.place = place
    self.related = related
    self.help = help
    self.citation = citation
    self.witness = witness
    self.fixes = fixes
  }
}

extension Diagnostic: Comparable {
  /// Orders as people read: by place, then code, then text.
  package static func < (left: Diagnostic, right: Diagnostic) -> Bool {
    if left.place != right.place { return left.place < right.place }
    if left.code != right.code { return left.code < right.code }
    return left.message < right.message
  }
}

extension Diagnostic {
  /// Whether a code is of a rule about live servers.
  package static func isOfServers(_ code: String) -> Bool { code.hasPrefix("P5") }

  /// Whether a code is of a rule about servers that couldn't be asked, so that nothing is known to be wrong with them.
  package static func isOfReaching(_ code: String) -> Bool { code.hasPrefix("P53") }
}
