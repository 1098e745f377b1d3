package import Diagnostics
package import PinPolicy

/// One rule: its stable code, its words, and what it looks at.
///
/// A rule's own file is the single source of everything said about it: `pintle explain`, the reference page in `docs/`
/// and the tests read it from here. A rule never reads the clock, the network or the disk: all it may know is in
/// ``CheckInput``.
package struct Rule: Sendable {
  /// When a rule is asked.
  package enum Check: Sendable {
    /// With all others, about the policy.
    case policy(@Sendable (CheckInput) -> [Finding])
    /// After all others, about the suppressions and which of them were needed.
    case suppressions(@Sendable (CheckInput, _ used: Set<Suppression>) -> [Finding])
    /// Where there is evidence of live servers, about what they showed.
    case live(@Sendable (CheckInput, LiveFacts) -> [Finding])
    /// Where there are released manifests to compare with, about what the release would do to clients.
    case rotation(@Sendable (CheckInput, RotationFacts) -> [Finding])
    /// By the commands that make, sign and verify keysets.
    case keyset(@Sendable (KeysetInput) -> [Finding])
    /// By the command that reads what the rule is about, such as a signing key's file.
    case elsewhere
  }

  /// The part of the catalogue that a rule belongs to; the first digit of its code.
  package enum Family: Int, Sendable, CaseIterable {
    case syntax = 1
    case hosts = 2
    case keys = 3
    case lifetime = 4
    case live = 5
    case rotation = 6
    case signing = 7
    case reports = 8
    case exchange = 9
  }

  /// `P` and three digits; never given to another rule once published.
  package let code: String
  /// A short name in kebab case, for people.
  package let name: String
  package let severity: Severity
  /// What the rule says, as one sentence.
  package let title: String
  /// Why it matters and what goes wrong otherwise, in Markdown.
  package let rationale: String
  /// A policy that the rule objects to; made at each use, as few commands show it.
  package var failing: Example { makeFailing() }
  /// The same policy, repaired.
  package var passing: Example { makePassing() }
  /// Where the rule comes from: an RFC and its section, a platform's document, or a page of Pintle's own.
  package let citation: String
  /// False where a suppression would only hide that the policy can't be read.
  package let isSuppressible: Bool
  package let check: Check
  private let makeFailing: @Sendable () -> Example
  private let makePassing: @Sendable () -> Example

  package init(
    code: String, name: String, severity: Severity, title: String, rationale: String,
    failing: @autoclosure @escaping @Sendable () -> Example, passing: @autoclosure @escaping @Sendable () -> Example,
    citation: String, isSuppressible: Bool = true, check: Check
  ) {
    self.code = code
    self.name = name
    self.severity = severity
    self.title = title
    self.rationale = rationale
    makeFailing = failing
    makePassing = passing
    self.citation = citation
    self.isSuppressible = isSuppressible
    self.check = check
  }

  package var family: Family? {
    code.utf8.dropFirst().first.flatMap { Family(rawValue: Int($0) - Int(UInt8(ascii: "0"))) }
  }

  /// The diagnostic that one of the rule's findings makes.
  package func diagnostic(_ finding: Finding) -> Diagnostic {
    Diagnostic(
      code: code, severity: finding.severity ?? severity, message: finding.message, place: finding.place,
      related: finding.related, help: finding.help, citation: finding.citation ?? citation, witness: finding.witness,
      fixes: finding.fixes)
  }
}

/// What a rule says of one place; the rule itself adds its code, severity and citation.
package struct Finding: Hashable, Sendable {
  package var place: Place
  /// What is wrong: one clause, lower case, no full stop, names in single quotes.
  package var message: String
  package var related: [Diagnostic.Related]
  /// What to do, as an instruction, with a full stop.
  package var help: String
  /// Where this finding comes from, if that says more than where its rule does.
  package var citation: String?
  /// A severity other than the rule's own.
  package var severity: Severity?
  /// The one case that proves it, where the rule is about what happens to clients.
  package var witness: Witness?
  /// Changes of the text that fix it, the best one first.
  package var fixes: [Fix]

  package init(
    at place: Place, _ message: String, related: [Diagnostic.Related] = [], help: String, citation: String? = nil,
    severity: Severity? = nil, witness: Witness? = nil, fixes: [Fix] = []
  ) {
    self.place = place
    self.message = message
    self.related = related
    self.help = help
    self.citation = citation
    self.severity = severity
    self.witness = witness
    self.fixes = fixes
  }
}

extension Rule {
  /// What renderers show of the rule.
  package var info: RuleInfo {
    RuleInfo(code: code, name: name, title: title, severity: severity, rationale: rationale, citation: citation)
  }
}
