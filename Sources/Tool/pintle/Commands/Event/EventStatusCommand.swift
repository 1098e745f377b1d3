import ArgumentParser
import PinGate
import PinRules

extension EventCommand {
  /// `pintle event status`: who must still sign.
  struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "status",
      abstract: "Show who must still sign the drafts of a branch.",
      discussion: """
        Reads two commits, never the working tree. The base decides who may sign and what is released. Shows for \
        each draft who has signed and who hasn't, and signatures that don't count: of another key, or over earlier \
        bytes, with what changed since. Each draft is compiled again from the branch's policy; other bytes are rejected.

        If the release changes a policy file with 'owners:', one of its owners must have signed.

        The exit status is 0 if everything is signed, 2 if drafts are missing, if signatures are missing (an owner's, \
        too), or if the branch has files that don't belong to the event, and 6 if a draft is rejected.

        EXAMPLES:
          pintle event status
          pintle event status --branch release-8 --base origin/main
          pintle event status --base origin/main --format markdown >comment.md
        """)

    /// How the status is written.
    enum Format: String, ExpressibleByArgument, CaseIterable {
      case text
      case markdown
      case json
    }

    @OptionGroup var event: EventOptions

    @Option(help: "text, markdown (for a comment on a pull request) or json.")
    var format = Format.text

    func run() throws {
      let status = try event.status()
      switch format {
      case .text: try Console.write(SigningEventText(status).text())
      case .markdown: try Console.write(SigningEventMarkdown(status).text())
      case .json: try Console.write(EventFacts(status: status).json())
      }
      try status.state.exitStatus.exit()
    }
  }
}
