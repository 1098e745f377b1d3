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
  /// The file with the steps that aren't shown.
  static let rest = "SETUP.md"
  /// How many steps are shown.
  private static let mostShown = 3

  /// What to do, step by step: as many steps as somebody does at once, and the file with the others.
  ///
  /// - Parameters:
  ///   - answers: What was wanted.
  ///   - directory: Where the files are.
  ///   - isFresh: Whether there was no policy yet.
  ///   - others: Files that were there and say something else than ours would.
  ///   - unignored: What `.gitignore` lacks.
  /// - Returns: Lines for the person who ran the command, and the file; nil if all steps are shown.
  static func text(
    _ answers: StarterAnswers, in directory: String, isFresh: Bool, others: [String], unignored: [String]
  ) -> (shown: String, file: String?) {
    let enter = directory == "." ? [] : ["cd \(ShellWord.of(directory))"]
    let steps = enter + steps(answers, isFresh, others, unignored)
    let shown = steps.count <= mostShown + 1 ? steps : Array(steps.prefix(mostShown))
    let text =
      "next:\n" + shown.enumerated().map { "  \($0 + 1). " + Console.wrapped($1, indent: 5) }.joined(separator: "\n")
    guard shown.count < steps.count else { return (text, nil) }
    let all = steps.dropFirst(enter.count).map { "- [ ] \(Console.wrapped($0, indent: 6))\n" }
    let file = "# What is left to do until the first release\n\nWritten by `pintle init`; remove it at the end.\n\n"
    return (text + "\nthen: the rest of \(rest)", file + all.joined())
  }

  private static func steps(
    _ answers: StarterAnswers, _ isFresh: Bool, _ others: [String], _ unignored: [String]
  ) -> [String] {
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
    steps.append("pintle check policies")
    if !answers.hosts.isEmpty, !answers.active.isEmpty {
      steps.append("pintle probe policies, to see whether the servers keep to it")
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
    if answers.hasHook { steps.append("git config core.hooksPath .githooks, or pre-commit install") }
    guard answers.service != .none else {
      return steps + [
        "make keys and a keyset, then build, sign and publish the first release: see 'pintle keyset init --help', "
          + "'pintle build --help', 'pintle sign --help' and 'pintle publish --help'"
      ]
    }
    let settings = answers.service == .github ? ".github/ and ci/" : ".gitlab-ci.yml and ci/"
    steps += [
      "make the keys of two people who sign and two roots, each where only its owner can read it: 'pintle key PATH'",
      "make a keyset of the public keys: 'pintle keyset init -o keysets/1.keyset.json --audience \(answers.audience) "
        + "--root NAME=FILE --root NAME=FILE --root-threshold 2 --signer NAME=FILE --signer NAME=FILE --threshold 2 "
        + "--expires DATE'",
      "build the first release and have it signed: see 'pintle build --help' and 'pintle sign --help'",
      "commit keysets/ and the first release to the main branch: 'pintle gate --base main --first-release'",
      "protect the main branch: nobody pushes to it; require a review, the jobs 'check' and 'gate', and branches that are "
        + "up to date; let \(settings) have owners who must review (CODEOWNERS). Let nobody delete or force-push other "
        + "branches",
      "set PINTLE_FROM and PINTLE_FINGERPRINT in the pipeline's settings: see ci/pins",
    ]
    if answers.insideRunner == nil {
      steps.append("internal hosts are left out, because no runner inside has been named (--inside-runner)")
    }
    return steps
  }
}
