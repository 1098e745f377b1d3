import Diagnostics
package import PinPolicy

/// What is found for the audiences of a policy, put together: what is found for several is reported once.
package struct AudienceFindings {
  private var names: [String] = []
  private var found: [Said: (diagnostic: Diagnostic, audiences: [String])] = [:]
  private var accepted: [Diagnostic: Suppression] = [:]
  private var rules: [RuleInfo] = []

  /// What is the same for a reader; further places may differ.
  private struct Said: Hashable {
    var code: String
    var place: Place
    var message: String

    init(_ diagnostic: Diagnostic) {
      (code, place, message) = (diagnostic.code, diagnostic.place, diagnostic.message)
    }
  }

  package init() {}

  /// Adds what was found for an audience; of a slice, only what is about the slice itself.
  package mutating func add(_ result: Checker.Result, for policy: LoadedPolicy) {
    rules = result.rules
    let name = policy.oneOfSeveral ?? ""
    if !policy.policy.isSlice { names.append(name) }
    for diagnostic in result.diagnostics
    where !policy.policy.isSlice || diagnostic.code == Rule.undefinedAudience.code {
      found[Said(diagnostic), default: (diagnostic, [])].audiences.append(name)
    }
    for (diagnostic, suppression) in result.suppressed { accepted[diagnostic] = suppression }
  }

  /// The suppressions that were needed, when the last audience is checked; nil before, when others may need more.
  package func suppressionsInUse(before policy: LoadedPolicy) -> Set<Suppression>? {
    policy.policy.audiences.last == policy.oneOfSeveral ? Set(accepted.values) : nil
  }

  package var result: Checker.Result {
    var result = Checker.Result(diagnostics: [], suppressed: [], rules: rules)
    for (found, audiences) in found.values {
      var diagnostic = found
      if audiences.count < names.count, diagnostic.code != Rule.suppressionUnused.code {
        diagnostic.message += " (for \(Wording.list(audiences)))"
      }
      result.diagnostics.append(diagnostic)
    }
    result.suppressed = accepted.map { ($0, $1) }
    result.diagnostics.sort()
    result.suppressed.sort { $0.diagnostic < $1.diagnostic }
    return result
  }
}
