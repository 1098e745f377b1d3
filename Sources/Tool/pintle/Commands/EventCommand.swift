import ArgumentParser
import Diagnostics
import PinGate
import PinPolicy
import PinRelease
import PinRules

/// `pintle event`: a release that several people sign in git.
struct EventCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "event",
    abstract: "Show who must still sign, and write the signed files.",
    discussion: """
      A signing event is a branch of the policy's repository: a commit adds the drafts to the folder 'event', and each \
      signature is a commit that adds one file.\(Citation.see("docs/signing.md"))
      """,
    subcommands: [Status.self, Assemble.self])
}

/// Which branch is meant, and what it is compared with.
struct EventOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The repository, or the folder of it that has 'policies', 'keysets', 'released' and 'event'.",
      valueName: "directory"), completion: .directory)
  var repository = "."

  @Option(help: ArgumentHelp("The event's branch, or a commit of it.", valueName: "branch"))
  var branch = "HEAD"

  @Option(
    help: ArgumentHelp(
      "The branch that it is merged into, whose keysets and releases count; on a build server often origin/main.",
      valueName: "branch"))
  var base = "main"

  @OptionGroup var time: TimeOption

  func status() throws(CommandFailure) -> EventStatus {
    var status = try EventInspection.status(
      of: EventSources(repository, branch: branch, base: base), at: time.instant)
    status.rehearsed = time.at?.written
    return status
  }
}

extension EventStatus.State {
  /// What the commands end with.
  var exitStatus: ExitStatus {
    switch self {
    case .complete: .fine
    case .incomplete: .findings
    case .rejected: .refused
    }
  }
}
