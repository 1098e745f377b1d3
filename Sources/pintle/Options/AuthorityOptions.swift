import ArgumentParser
import PinFormat
import PinPolicy
import PinRules

/// What is known of public CAs, besides what the program was built with.
struct AuthorityOptions: ParsableArguments {
  @Option(
    name: .customLong("authorities"),
    help: ArgumentHelp(
      "A file of what is known of CAs, or a directory of them; adds to what pintle knows, or replaces it. Repeatable.",
      valueName: "path"), completion: .file())
  var paths: [String] = []

  func library(at instant: Instant) throws(CommandFailure) -> AuthorityLibrary {
    try AuthorityLibrary.embedded(adding: paths, at: instant)
  }
}
