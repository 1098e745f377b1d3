import Diagnostics
import PinPolicy

/// What a command reports for each audience of a policy, one after the other.
struct AudienceReport {
  private let policies: [LoadedPolicy]

  init(_ policies: [LoadedPolicy]) {
    self.policies = policies
  }

  /// Refuses formats that have one result.
  func requireText(_ isText: Bool) throws(CommandFailure) {
    guard policies.count > 1, !isText else { return }
    throw CommandFailure(
      .usage, "the policy has several audiences, and this format shows one",
      help: "Say which one is meant: --audience \(policies[0].oneOfSeveral ?? "NAME").")
  }

  /// Writes the reports of all, and ends with the gravest status.
  ///
  /// - Parameters:
  ///   - output: A file; standard output where nil.
  ///   - isMarkdown: Whether each audience's name is a heading of Markdown.
  ///   - others: What is reported for audiences that the policy doesn't have.
  ///   - say: The report of one audience.
  /// - Throws: What `say` throws, or the failure to write; at the end the exit status, unless all is well.
  func write(
    to output: String?, isMarkdown: Bool = false,
    and others: [(audience: String, text: String, status: ExitStatus)] = [],
    _ say: (LoadedPolicy) throws -> (text: String, status: ExitStatus)
  ) throws {
    var texts: [String] = []
    var gravest = ExitStatus.fine
    func add(_ name: String, _ text: String, _ status: ExitStatus) {
      let isAlone = policies.count + others.count == 1
      texts.append(isAlone ? text : (isMarkdown ? "## \(name)\n\n" : "Audience \(name)\n\n") + text)
      // A lockout is worse than findings.
      if status.rawValue > gravest.rawValue { gravest = status }
    }
    for policy in policies {
      let (text, status) = try say(policy)
      add(policy.oneOfSeveral ?? policy.policy.settings?.audience?.value ?? "", text, status)
    }
    for other in others { add(other.audience, other.text, other.status) }
    try Output.write(Array(texts.joined(separator: "\n").utf8), to: output ?? "-")
    try gravest.exit()
  }
}
