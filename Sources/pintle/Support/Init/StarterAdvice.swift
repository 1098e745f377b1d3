/// What to do once the first files are there.
enum StarterAdvice {
  /// Lines for the person who ran the command.
  static func text(_ answers: StarterAnswers, isFresh: Bool) -> String {
    var steps: [String] = []
    if isFresh, answers.active.isEmpty || answers.hosts.isEmpty {
      steps.append("name your keys and hosts in policies/hosts.yaml, as its comments say")
    }
    if isFresh, answers.reportURI == nil {
      steps.append(
        "say in policies/hosts.yaml where clients report mismatches: without that, report-only tells you nothing")
    }
    steps.append("pintle check policies")
    if !answers.hosts.isEmpty, !answers.active.isEmpty {
      steps.append("pintle probe policies, to see whether the servers keep to it")
    }
    if answers.hasHook { steps.append("git config core.hooksPath .githooks, or pre-commit install") }
    switch answers.service {
    case .github, .gitlab:
      steps.append("pintle keys new release.key; mkdir signers; mv release.key.pub signers/; keep release.key secret")
      steps.append("set PINTLE_URL, PINTLE_SHA256 and PINTLE_SIGNING_KEY in the pipeline's settings")
    case .none: break
    }
    return "next:\n" + steps.enumerated().map { "  \($0 + 1). \($1)" }.joined(separator: "\n")
  }
}
