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
    var severity: Severity
    var place: Place
    var message: String

    init(_ diagnostic: Diagnostic) {
      (code, severity) = (diagnostic.code, diagnostic.severity)
      (place, message) = (diagnostic.place, diagnostic.message)
    }
  }

  package init() {}

  /// Adds what was found for an audience; of a slice, only errors, which keep it from being built.
  package mutating func add(_ result: Checker.Result, for policy: LoadedPolicy) {
    rules = result.rules
    let name = policy.oneOfSeveral ?? ""
    if !policy.policy.isSlice { names.append(name) }
    for diagnostic in result.diagnostics
    where !policy.policy.isSlice || diagnostic.severity == .error {
      found[Said(diagnostic), default: (diagnostic, [])].audiences.append(name)
    }
    for (diagnostic, suppression) in result.suppressed { accepted[diagnostic] = suppression }
  }

  /// The suppressions that were needed, when the last audience is checked; nil before, when others may need more.
  ///
  /// Slices need none that their environment doesn't need.
  package func suppressionsInUse(before policy: LoadedPolicy) -> Set<Suppression>? {
    let audiences = policy.policy.files.lazy.compactMap(\.settings).first?.audiences
    let last = audiences?.last { $0.sliceOf == nil }?.name.value
    return last == policy.oneOfSeveral ? Set(accepted.values) : nil
  }

  package var result: Checker.Result {
    var result = Checker.Result(diagnostics: [], suppressed: [], rules: rules)
    for (found, audiences) in found.values {
      var diagnostic = found
      if !Set(audiences).isSuperset(of: names), diagnostic.code != Rule.suppressionUnused.code {
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
