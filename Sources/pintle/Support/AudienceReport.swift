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
  func write(
    to output: String?, isMarkdown: Bool = false, _ say: (LoadedPolicy) throws -> (text: String, status: ExitStatus)
  ) throws {
    var texts: [String] = []
    var gravest = ExitStatus.fine
    for policy in policies {
      let (text, status) = try say(policy)
      let name = policy.oneOfSeveral ?? ""
      texts.append(policies.count == 1 ? text : (isMarkdown ? "## \(name)\n\n" : "Audience \(name)\n\n") + text)
      // A lockout is worse than findings.
      if status.rawValue > gravest.rawValue { gravest = status }
    }
    try Output.write(Array(texts.joined(separator: "\n").utf8), to: output ?? "-")
    try gravest.exit()
  }
}
