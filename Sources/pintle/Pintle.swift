import ArgumentParser
import Glibc

/// The command line: parses arguments, calls one function of the modules below, prints.
///
/// Each command states its name: where one doesn't, ArgumentParser derives it from the type's, and the casts that this
/// takes cost more than all other work of a short command.
@main
struct Pintle: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pintle",
    abstract: "TLS public-key pins as policy: check them, build a signed manifest, decide on it.",
    discussion: """
      A security team writes YAML pin policies; pintle checks them and emits one signed manifest; services ask its \
      validator on every TLS handshake.

      EXAMPLES:
        pintle check policies
        pintle keys new release.key
        pintle build -o m.json --sign-key release.key --serial 1 --issued-at now
        pintle decide api.example.com --manifest m.json --key release.key.pub \\
          --chain chain.pem

      EXIT STATUS:
      \(ExitStatus.table)
      """,
    version: Version.current,
    subcommands: [
      Init.self, Check.self, Fmt.self, Probe.self, Diff.self, Simulate.self, Rotate.self, Explain.self, Build.self,
      Keys.self,
      KeysetCommand.self, Sign.self, Verify.self, Inspect.self, Export.self, ImportCommand.self, Decide.self,
      EvidenceCommand.self, PinCommand.self, Collect.self, LSP.self,
      Completion.self,
    ])

  static func main() {
    // Answered without the parser: build scripts ask this often.
    if CommandLine.arguments.dropFirst().elementsEqual(["--version"]) { return print(Version.current) }
    // A server or a reader that hangs up is an error of one call, not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch let failure as CommandFailure {
      Console.report(failure)
      Glibc.exit(failure.status.rawValue)
    } catch {
      exit(withError: error)
    }
  }
}

/// The version that `--version` prints and that manifests name as their compiler's.
enum Version {
  static let current = "0.1.0"
  static let compiler = "pintle " + current
}
