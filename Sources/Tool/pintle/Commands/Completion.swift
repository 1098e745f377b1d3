import ArgumentParser

/// `pintle completion`: scripts for completion in shells.
struct Completion: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completion",
    abstract: "Print a shell completion script for commands, options and files.",
    discussion: """
      The script goes where the shell looks for such scripts; a new shell then completes what is typed after 'pintle'.

      EXAMPLES:
        pintle completion bash > ~/.local/share/bash-completion/completions/pintle
        pintle completion zsh > ~/.zfunc/_pintle
        pintle completion fish > ~/.config/fish/completions/pintle.fish
      """)

  /// The shells whose scripts the argument parser writes.
  enum Shell: String, ExpressibleByArgument, CaseIterable {
    case bash
    case zsh
    case fish

    var completionShell: CompletionShell {
      switch self {
      case .bash: .bash
      case .zsh: .zsh
      case .fish: .fish
      }
    }
  }

  @Argument(help: "bash, zsh or fish.")
  var shell: Shell

  func run() throws {
    let script = Pintle.completionScript(for: shell.completionShell)
    try Console.write(script.hasSuffix("\n") ? script : script + "\n")
  }
}
