import ArgumentParser

/// Which policy a command works on.
struct PolicyArguments: ParsableArguments {
  @Argument(help: ArgumentHelp("The policy directory, or files of it.", valueName: "path"), completion: .file())
  var paths: [String] = ["policies"]

  func load() throws(CommandFailure) -> LoadedPolicy { try LoadedPolicy.load(paths) }
}
