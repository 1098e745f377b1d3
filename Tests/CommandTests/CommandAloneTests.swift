import TestSupport
import Testing

/// The commands that are parsed without all others: what they don't take themselves is answered as by the whole tree.
struct CommandAloneTests {
  static let commands = ["check", "fmt"]

  @Test(arguments: commands)
  func answersQuestionsLikeTheTree(_ command: String) throws {
    let place = try Workplace()
    for (alone, whole) in [
      ("\(command) --help", "help \(command)"),
      ("\(command) policies -h", "help \(command)"),
      ("\(command) --version", "--version"),
      ("\(command) --generate-completion-script bash", "--generate-completion-script bash"),
      ("\(command) -- --help", "\(command) ./--help"),
    ] {
      let (found, wanted) = (try place.run("pintle " + alone), try place.run("pintle " + whole))
      #expect(found.status == wanted.status, "\(alone)")
      #expect(found.stdoutText == wanted.stdoutText, "\(alone)")
    }
  }

  @Test(arguments: commands)
  func mistakesNameTheWholeCommand(_ command: String) throws {
    let result = try Workplace().run("pintle \(command) --no-such-option")
    #expect(result.status == 64)
    #expect(result.stderrText.contains("'pintle \(command) --help'"), "\(result.stderrText)")
  }
}
