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
  ///   - directory: Where the files are.
  ///   - isFresh: Whether there was no policy yet.
  ///   - others: Files that were there and say something else than ours would.
  ///   - unignored: What `.gitignore` lacks.
  /// - Returns: Lines for the person who ran the command.
  static func text(
    _ answers: StarterAnswers, in directory: String, isFresh: Bool, others: [String], unignored: [String]
  ) -> String {
    var steps = directory == "." ? [] : ["cd \(ShellWord.of(directory))"]
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
    if isFresh {
      steps.append(
        "if you export pins, look at 'on-expiry' in policies/hosts.yaml: no format of 'pintle export' can say "
          + "'report-only'")
    }
    steps.append("pintle check policies")
    if !answers.hosts.isEmpty, !answers.active.isEmpty {
      steps.append("pintle probe policies, to see whether the servers keep to it")
    }
    if answers.hasHook { steps.append("git config core.hooksPath .githooks, or pre-commit install") }
    if answers.service != .none {
      steps.append(
        "make the keys of two people who sign and two roots, each where only its owner can read it: 'pintle key PATH'")
      steps.append(
        "make a keyset of the public keys: 'pintle keyset init -o keysets/1.keyset.json --audience \(answers.audience) "
          + "--root NAME=FILE --root NAME=FILE --root-threshold 2 --signer NAME=FILE --signer NAME=FILE --threshold 2 "
          + "--expires DATE'")
      steps.append(
        "commit keysets/ and the first release to the main branch: 'pintle gate --base main --first-release'")
      let settings = answers.service == .github ? ".github/ and ci/" : ".gitlab-ci.yml and ci/"
      steps.append(
        "protect the main branch: nobody pushes to it; require a review, the jobs 'check' and 'gate', and branches that are "
          + "up to date; let \(settings) have owners who must review (CODEOWNERS). Let nobody delete or force-push other "
          + "branches"
      )
      steps.append("set PINTLE_FROM and PINTLE_FINGERPRINT in the pipeline's settings: see ci/pins")
      if answers.insideRunner == nil {
        steps.append("internal hosts are left out, because no runner inside has been named (--inside-runner)")
      }
    }
    return "next:\n"
      + steps.enumerated().map { "  \($0 + 1). " + Console.wrapped($1, indent: $0 < 9 ? 5 : 6) }.joined(separator: "\n")
  }
}
