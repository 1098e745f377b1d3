package import Diagnostics
package import PinPolicy

/// Asks all rules and collects what they say.
package enum Checker {
  /// What checking found, sorted.
  package struct Result: Sendable {
    package var diagnostics: [Diagnostic]
    /// Findings that a suppression accepts for now, with the suppression.
    package var suppressed: [(diagnostic: Diagnostic, by: Suppression)]
    /// The rules that were asked, and those of other commands: all but those about keysets, those about live servers
    /// without evidence, and those about rotation without released manifests.
    package var rules: [RuleInfo]
  }

  /// Runs the rules over a policy.
  ///
  /// A suppression speaks of the findings of its code that begin on its line, until its date.
  /// The caller may have worked out what rules about live servers stand on.
  package static func check(
    _ input: CheckInput, rules: [Rule] = Rule.catalogue, live: LiveFacts? = nil
  ) -> Result {
    let rules = rules + input.ownRules
    var result = Result(diagnostics: [], suppressed: [], rules: rules.lazy.filter { $0.isAsked(of: input) }.map(\.info))
    var used: Set<Suppression> = []
    // Of several with the same code on one line, prefer one that hasn't ended.
    let suppressions = Dictionary(input.policy.suppressions.map { (Accepted($0.code, at: $0.place), $0) }) {
      input.instant < $0.until ? $0 : $1
    }
    func collect(_ findings: [Finding], of rule: Rule) {
      for finding in findings {
        let diagnostic = rule.diagnostic(finding)
        // A suppression can't suppress findings about itself.
        if rule.isSuppressible, let suppression = suppressions[Accepted(rule.code, at: finding.place)],
          input.instant < suppression.until, suppression.place != finding.place
        {
          used.insert(suppression)
          result.suppressed.append((diagnostic, suppression))
        } else {
          result.diagnostics.append(diagnostic)
        }
      }
    }
    let live = live ?? input.live.map { LiveFacts(input, $0) }
    let rotation = input.rotation.map { RotationFacts(input, $0) }
    for rule in rules {
      switch rule.check {
      case .policy(let check): collect(check(input), of: rule)
      case .live(let check): if let live { collect(check(input, live), of: rule) }
      case .rotation(let check): if let rotation { collect(check(input, rotation), of: rule) }
      case .suppressions, .keyset, .elsewhere: continue
      }
    }
    for rule in rules {
      if case .suppressions(let check) = rule.check { collect(check(input, used), of: rule) }
    }
    result.diagnostics.sort()
    result.suppressed.sort { $0.diagnostic < $1.diagnostic }
    return result
  }

  /// A rule's findings on one line.
  private struct Accepted: Hashable {
    var code: String
    var file: FileID
    var line: UInt32

    init(_ code: String, at place: Place) {
      self.code = code
      file = place.file
      line = place.start.line
    }
  }
}

extension Rule {
  /// False for what isn't about a policy, and what can't be asked for lack of evidence or of released manifests.
  fileprivate func isAsked(of input: CheckInput) -> Bool {
    switch check {
    case .live: input.live != nil
    case .rotation: input.rotation != nil
    case .keyset: false
    case .policy, .suppressions, .elsewhere: true
    }
  }
}
