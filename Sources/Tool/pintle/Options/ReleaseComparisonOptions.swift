import ArgumentParser
import PinPolicy
import PinRelease

/// What a manifest is compared with before somebody signs it.
struct ReleaseComparisonOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What clients have: the last released manifest, or a directory of all of them; the version before a keyset.",
      valueName: "baseline"),
    completion: .file())
  var against: String?

  @Flag(
    help:
      "Sign although the predecessor of the manifest isn't the last release, for example because it was never published."
  )
  var skippedRelease = false

  @Flag(help: "Accept that the directory of --against has no release yet; all of the manifest is shown.")
  var firstRelease = false

  @Flag(help: "Sign without a comparison though there is a release before; all of the manifest is shown.")
  var withoutComparison = false

  func validate() throws {
    if against != nil, withoutComparison {
      throw ValidationError("Give --against to compare, or --without-comparison not to.")
    }
    if skippedRelease, against == nil {
      throw ValidationError("--skipped-release is about --against, which is not given.")
    }
    if firstRelease, against == nil || skippedRelease {
      throw ValidationError("--first-release requires --against, and can't be combined with --skipped-release.")
    }
    if let against, !ReleasedSource(against).isSigned {
      throw ValidationError("A commit bears no signature: give the released manifest with --against.")
    }
  }
}
