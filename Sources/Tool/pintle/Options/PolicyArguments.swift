import ArgumentParser
import Diagnostics
import PinPolicy

/// Which policy a command works on.
struct PolicyArguments: ParsableArguments {
  @Argument(help: .policyPaths, completion: .file())
  var paths: [String] = ["policies"]

  @Option(help: .oneAudience)
  var audience: String?

  func load() throws(CommandFailure) -> LoadedPolicy { try LoadedPolicy.load(paths, audience: audience) }
}

extension ArgumentHelp {
  static var policyPaths: ArgumentHelp { ArgumentHelp("The policy directory, or files of it.", valueName: "path") }

  static var audience: ArgumentHelp {
    ArgumentHelp("Which audience, if the policy has several; all unless given.", valueName: "name")
  }

  static var rulesFile: ArgumentHelp {
    ArgumentHelp("A file that names your own programs that check the policy.", valueName: "file")
  }

  static var newAudience: ArgumentHelp {
    ArgumentHelp("An audience for which nothing was ever released. Repeatable.", valueName: "name")
  }

  static var oneAudience: ArgumentHelp {
    ArgumentHelp("Which audience, if the policy has several.", valueName: "name")
  }
}
