import ArgumentParser
import Diagnostics
import Glibc

/// The command line: parses arguments, calls one function of the modules below, prints.
///
/// Each command states its name: where one doesn't, ArgumentParser derives it from the type's, and the casts that this
/// takes cost more than all other work of a short command.
@main
struct Pintle: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pintle",
    abstract: "TLS public-key pins as policy: check a policy, build a signed manifest, decide on chains.",
    discussion: """
      A security team writes pin policies in YAML. pintle checks them and builds one signed manifest. Services load it \
      and check every TLS handshake with Pintle's validator.

      EXAMPLES:
        pintle check policies
        pintle key release.key
        pintle build -o m.json --sign-key release.key --serial 1 --issued-at now
        pintle decide api.example.com --manifest m.json --key release.key.pub \\
          --chain chain.pem

      EXIT STATUS:
      \(ExitStatus.table)
      """,
    version: Version.current,
    groupedSubcommands: [
      CommandGroup(
        name: "Write", subcommands: [Init.self, Fmt.self, ImportCommand.self, Find.self, PinCommand.self, LSP.self]),
      CommandGroup(name: "Check", subcommands: [Check.self, Diff.self, Simulate.self, Rotate.self]),
      CommandGroup(
        name: "Release",
        subcommands: [
          KeyCommand.self, KeysetCommand.self, Build.self, Sign.self, EventCommand.self, Gate.self, Verify.self,
          Publish.self, Export.self,
        ]),
      CommandGroup(name: "Run", subcommands: [Probe.self, Decide.self, WhyCommand.self]),
      CommandGroup(
        name: "Inspect", subcommands: [Show.self, Explain.self, EvidenceCommand.self, AuthoritiesCommand.self]),
    ])

  static func main() {
    // Without the parser, because build scripts call this often.
    if CommandLine.arguments.dropFirst().elementsEqual(["--version"]) { return print(Version.current) }
    Heap.prepare()
    // With SIGPIPE ignored, a closed pipe or connection is an error of one call, and doesn't end the process.
    signal(SIGPIPE, SIG_IGN)
    do {
      let arguments = Array(CommandLine.arguments.dropFirst())
      var command = try parseAlone(arguments) ?? parseAsRoot(arguments)
      try DocumentationAddress.check()
      try command.run()
    } catch let failure as CommandFailure {
      Console.report(failure)
      Glibc.exit(failure.status.rawValue)
    } catch {
      // For help about an unknown command, ArgumentParser would print the help of its parent command.
      if [.validationFailure, .success].contains(exitCode(for: error)),
        let unknown = UnknownCommand.failure(in: CommandLine.arguments.dropFirst())
      {
        Console.report(unknown)
        Glibc.exit(unknown.status.rawValue)
      }
      let status = exitCode(for: error)
      if status.isSuccess { exit(withError: error) }
      // A command that has said all ends with a status alone.
      let message = fullMessage(for: error)
      if !message.isEmpty { Console.say(Credentials.hidden(in: message)) }
      Glibc.exit(status.rawValue)
    }
  }
}

extension Pintle {
  /// The commands that hooks run at each commit, and editors at each save.
  ///
  /// They name `pintle` as what is above them, which keeps ArgumentParser from building two commands of its own
  /// first, by which it would know that it is asked for completions.
  private static let oftenRun: [any ParsableCommand.Type] = [Check.self, Fmt.self]

  /// The command that is named first, parsed without all others; nil where those have to be asked, too.
  ///
  /// What a command takes by itself means the same below its root. Whatever it doesn't take, such as a mistake or a
  /// question for help, is for the whole tree to answer.
  private static func parseAlone(_ arguments: [String]) -> (any ParsableCommand)? {
    guard let name = arguments.first, let command = oftenRun.first(where: { $0.configuration.commandName == name }),
      let parsed = try? command.parseAsRoot(Array(arguments.dropFirst())), type(of: parsed) == command
    else { return nil }
    return parsed
  }
}
