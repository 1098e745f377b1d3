import Foundation
import Synchronization
import TestSupport
import Testing

extension Workplace {
  /// Runs what an output proposes, as it is printed: in a copy of the folder, where the step ran, on its day (`--at`), one
  /// after the other.
  func expectProposalsRun(
    in result: RunResult, after step: String, _ name: String, _ location: SourceLocation = #_sourceLocation
  ) throws {
    let lines = (result.stdoutText + "\n" + result.stderrText).split(separator: "\n").map(String.init)
    let proposals = Proposal.all(in: lines)
      .filter { proposal in
        // These depend on no file, so once is enough; of the others, a sample runs each once for a transcript.
        let isAlike = proposal.command.wholeMatch(of: /pintle\ (explain\ \S+|[a-z\ ]+--help)/) != nil
        guard isAlike || !Thoroughness.isFull else { return true }
        return Self.seen.withLock { $0.insert((isAlike ? "" : name) + proposal.command).inserted }
      }
    guard !proposals.isEmpty else { return }
    let copy = try copy()
    for proposal in proposals {
      let complaint = try copy.complaint(about: proposal, from: path, after: step)
      #expect(complaint == nil, "\(name): $ \(step)\n\(proposal.context)", sourceLocation: location)
    }
  }

  private static let seen = Mutex<Set<String>>([])

  /// What is wrong with a command of a transcript.
  private func complaint(about proposal: Proposal, from original: String, after step: String) throws -> String? {
    let command = proposal.command.replacingOccurrences(of: original, with: path)
    if proposal.isName {
      let words = command.prefix { $0 != "-" && !$0.isUppercase }
      return try run("\(words) --help", after: step).status == 0 || proposal.context.contains("there is no command")
        ? nil : "there is no command '\(words)'"
    }
    let placeholders = proposal.placeholders
    var filled = Self.dated(command, like: step)
    for placeholder in placeholders {
      guard let standIn = Proposal.standIns[placeholder] else { return "the placeholder \(placeholder) is not allowed" }
      filled = filled.replacing(" " + placeholder, with: " " + standIn)
    }
    let isWhole = !proposal.isExample && placeholders.allSatisfy { Proposal.standIns[$0] == "KEY" }
    var result = try run(filled, after: step)
    if isWhole, !placeholders.isEmpty {
      let keys = "ls $PWD/signing/release.key; find $PWD -name '*.key'"
      for key in try run(keys, after: "").stdoutText.split(separator: "\n") {
        result = try run(filled.replacing("--sign-key KEY", with: "--sign-key \(key)"), after: step)
        if proposal.statuses.contains(result.status) { break }
      }
    }
    if Proposal.exceptions[proposal.command] != nil { return nil }
    let isRight = isWhole ? proposal.statuses.contains(result.status) : result.status != 64 && result.status < 126
    let isIdle = command.hasPrefix("pintle check --fix") && result.stderrText.contains("no safe fixes")
    return isRight && !isIdle ? nil : "'\(command)' ends with \(result.status): \(result.stderrText)"
  }

  /// Runs a command in the folder of a step, on its day, without a network.
  func run(_ command: String, after step: String) throws -> RunResult {
    let folder = step.firstMatch(of: /^cd (\S+)|^pintle init (\w+)/).flatMap { $0.1 ?? $0.2 } ?? "."
    let store = step.firstMatch(of: /\bSSL_CERT_FILE=[^\s;$]+/)?.0 ?? ""
    let mapping = geteuid() == 0 ? [] : ["--map-root-user"]
    let script = "if [ -d \(folder) ]; then cd \(folder); fi; export \(store) && \(command)"
    return try TestSupport.run(
      "/usr/bin/unshare", mapping + ["--net", "/bin/sh", "-c", script],
      environment: environment, directory: path)
  }

  /// The command on the day of the step: what it is otherwise may depend on when the tests run.
  private static func dated(_ command: String, like step: String) -> String {
    let day = step.matches(of: /--(?:at|issued-at) (\d{4}-\d\d-\d\d\S*)/).last?.1 ?? "2026-11-22"
    let dated = command.replacing("--issued-at now", with: "--issued-at \(day)")
    let isDated = dated.contains("--at ") || dated.contains("--help")
    guard !isDated, dated.firstMatch(of: undated) == nil else { return dated }
    var parts = dated.split(separator: "   #", maxSplits: 1).map(String.init)
    parts[0] += " --at \(day)"
    return parts.joined(separator: "   #")
  }

  /// Commands that have no `--at`.
  private static var undated: Regex<(Substring, Substring)> {
    /^pintle (fmt|pin|show|key|keyset|explain|evidence|help|event$)\b/
  }
}
