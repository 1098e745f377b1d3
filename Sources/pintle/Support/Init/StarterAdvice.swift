import Diagnostics
import PinPolicy

/// The policy that a repository had before `pintle init`.
struct PresentPolicy {
  /// The environment that its manifest is for, as far as that can be read.
  var audience: String?

  /// Nil where a folder holds no policy file, in subfolders neither.
  static func find(in folder: String) -> PresentPolicy? {
    guard let directory = try? PolicyDirectory.load([folder]), !directory.sources.ids.isEmpty else { return nil }
    let policy = PolicyReader.read(directory.sources, unread: directory.problems)
    return PresentPolicy(audience: policy.files.lazy.compactMap { $0.settings?.audience?.value }.first)
  }
}

/// What to do once the first files are there.
enum StarterAdvice {
  /// What to do, step by step.
  ///
  /// - Parameters:
  ///   - answers: What was wanted.
  ///   - isFresh: Whether there was no policy yet.
  ///   - others: Files that were there and say something else than ours would.
  ///   - unignored: What `.gitignore` lacks.
  /// - Returns: Lines for the person who ran the command.
  static func text(_ answers: StarterAnswers, isFresh: Bool, others: [String], unignored: [String]) -> String {
    var steps: [String] = []
    if !unignored.isEmpty {
      steps.append("add to .gitignore, so that no private key is committed: " + unignored.joined(separator: " "))
    }
    let unlike = others.filter { $0 != ".gitignore" }
    if !unlike.isEmpty {
      steps.append("see what these lack of what a new folder gets: " + unlike.joined(separator: ", "))
    }
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
      steps.append("pintle keys new release.key; mkdir signers released; mv release.key.pub signers/release.pub")
      steps.append("keep release.key secret: anybody who has it can release pins")
      steps.append("set PINTLE_URL, PINTLE_SHA256 and PINTLE_SIGNING_KEY in the pipeline's settings")
    case .none: break
    }
    return "next:\n" + steps.enumerated().map { "  \($0 + 1). \($1)" }.joined(separator: "\n")
  }
}
