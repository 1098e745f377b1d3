import ArgumentParser

/// `--defaults`, for commands that have no other use for `--verbose`.
///
/// Both are read before the command line is parsed, because what the file says is parsed with the rest.
struct DefaultsOptions: ParsableArguments {
  @Option(help: .defaults, completion: .file())
  var defaults: String?

  @Flag(name: .shortAndLong, help: "Show which options came from the defaults file.")
  var verbose = false
}

extension ArgumentHelp {
  static var defaults: ArgumentHelp {
    ArgumentHelp(
      "A file of default options, outside of the policy's repository; PINTLE_DEFAULTS names it unless given.",
      valueName: "file")
  }
}

/// A command that works on a policy, whose defaults must not come from that policy's repository.
protocol PolicyCommand {
  var policyPaths: [String] { get }
}
