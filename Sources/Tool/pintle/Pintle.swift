import ArgumentParser
import CLibMalloc
import Diagnostics
import Glibc
import PinRules

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
      CommandGroup(name: "Check", subcommands: [Check.self, TestCommand.self, Diff.self, Simulate.self, Rotate.self]),
      CommandGroup(
        name: "Release",
        subcommands: [
          KeyCommand.self, KeysetCommand.self, Build.self, Deny.self, Sign.self, EventCommand.self, Gate.self,
          Verify.self, Publish.self, Export.self,
        ]),
      CommandGroup(name: "Run", subcommands: [Probe.self, Decide.self, WhyCommand.self]),
      CommandGroup(
        name: "Inspect",
        subcommands: [
          PolicyCommand.self, Show.self, History.self, Explain.self, EvidenceCommand.self, AuthoritiesCommand.self,
        ]),
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
      let message = Credentials.hidden(in: fullMessage(for: error))
      if let mistake = UsageMistake.failure(message, in: CommandLine.arguments.dropFirst()) {
        Console.report(mistake)
      } else if !message.isEmpty {
        Console.say(message)
      }
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

/// Where people read the documentation, which the environment says: findings link there.
enum DocumentationAddress {
  /// Rejects an address that can't be in a link of every format, such as Markdown and HTML.
  ///
  /// - Throws: ``CommandFailure``, with exit status 64.
  static func check() throws(CommandFailure) {
    guard let address = Report.Tool.pintle.reference else { return }
    let scheme = "https://"
    let isPlain = address.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "-._~:/%".utf8.contains(byte)
      }
    }
    guard isPlain, address.hasPrefix(scheme), address.utf8.count > scheme.utf8.count else {
      throw CommandFailure(
        .usage, "\(Report.Tool.documentationVariable) is not an address like https://pins.example.com/docs",
        help: "Correct it, or unset it.")
    }
  }
}

/// The heap of a process that ends soon: it grows in large steps and pages, and keeps what is freed.
///
/// Without this, a large build spends a sixth of its time on page faults.
enum Heap {
  private static let step = 64 << 20
  private static let largePage = 2 << 20

  static func prepare() {
    // Large arrays come from the heap, too: the memory of one is used again for the next.
    mallopt(M_MMAP_THRESHOLD, 32 << 20)
    mallopt(M_TRIM_THRESHOLD, .max)
    mallopt(M_TOP_PAD, Int32(step))
    // More than the heap has yet, so that it grows by a step. The compiler would omit a block of which nothing is asked.
    guard let block = malloc(1 << 20), malloc_usable_size(block) > 0, let end = sbrk(0) else { return }
    free(block)
    let begin = (Int(bitPattern: end) - step + largePage - 1) & ~(largePage - 1)
    madvise(UnsafeMutableRawPointer(bitPattern: begin), Int(bitPattern: end) - begin, MADV_HUGEPAGE)
  }
}

/// A command that doesn't exist, of which ArgumentParser only says that it didn't expect the argument.
enum UnknownCommand {
  /// What other tools call a command of ours.
  private static let synonyms = [
    "lint": "check", "validate": "check", "format": "fmt", "compile": "build", "compare": "diff", "plan": "rotate",
    "scan": "probe", "inspect": "show", "keygen": "key",
    "keyset new": "keyset init", "keyset create": "keyset init",
  ]

  /// Says so and names the command that was probably meant; nil if all named commands exist.
  static func failure(in arguments: some Sequence<String>) -> CommandFailure? {
    var command: any ParsableCommand.Type = Pintle.self
    var path = "pintle"
    for argument in arguments.drop(while: { $0 == "help" }) {
      let known = command.configuration.subcommands
      guard !known.isEmpty, !argument.hasPrefix("-") else { return nil }
      guard let next = known.first(where: { $0.configuration.commandName == argument }) else {
        let names = known.compactMap { $0.configuration.commandName }
        let synonym = synonyms["\(path) \(argument)".dropFirst("pintle ".count).lowercased()].map { "pintle " + $0 }
        let near = Suggestion.nearest(to: argument, among: names).map { "\(path) \($0)" }
        let meant = (synonym ?? near).map { "Did you mean '\($0)'? " }
        return CommandFailure(
          .usage, "there is no command '\(path) \(argument)'",
          help: (meant ?? "") + "'\(path) --help' lists the commands.")
      }
      command = next
      path += " " + argument
    }
    return nil
  }
}
