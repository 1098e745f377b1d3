import ArgumentParser
import Diagnostics
import PinRules

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
