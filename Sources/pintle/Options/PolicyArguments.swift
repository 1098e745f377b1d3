import ArgumentParser
import Diagnostics
import PinPolicy

/// Which policy a command works on.
struct PolicyArguments: ParsableArguments {
  @Argument(help: .policyPaths, completion: .file())
  var paths: [String] = ["policies"]

  func load() throws(CommandFailure) -> LoadedPolicy { try LoadedPolicy.load(paths) }
}

extension ArgumentHelp {
  static var policyPaths: ArgumentHelp { ArgumentHelp("The policy directory, or files of it.", valueName: "path") }
}
