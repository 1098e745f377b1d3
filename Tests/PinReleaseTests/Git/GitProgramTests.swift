import Diagnostics
import Testing

@testable import PinPolicy
@testable import PinRelease

struct GitProgramTests {
  /// In containers, the checkout often belongs to another user than the one who runs the job.
  @Test("a repository of another user comes with the command that accepts it")
  func otherOwner() {
    let git = GitProgram(directory: "policies")
    let failure = git.unusable("detected dubious ownership in repository at '/srv/pins'", help: "Clone it.")
    #expect(
      failure.message
        == "'policies' can't be looked up in git: detected dubious ownership in repository at '/srv/pins'")
    #expect(failure.help?.hasSuffix("git config --global --add safe.directory '/srv/pins'") == true)
    #expect(git.unusable("not a git repository", help: "Clone it.").help == "Clone it.")
  }
}
