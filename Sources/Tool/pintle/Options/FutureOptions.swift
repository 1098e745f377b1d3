import ArgumentParser
import Diagnostics
import PinFormat
import PinPolicy
import PinRotation
import PinRules
import PinStudies

extension FutureChoice: ExpressibleByArgument {}

/// Which changes that nobody plans are checked, and what is known of them.
struct FutureOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Which futures (unplanned changes) to check: 'known' for those that CAs or trust stores have announced, 'all' also "
        + "for those that any renewal may bring, or 'none'. They are at most warnings.", valueName: "none|known|all"))
  var futures = FutureChoice.all

  @OptionGroup var authorities: AuthorityOptions

  /// Adds what is known of public CAs to a policy.
  func inform(_ policy: inout LoadedPolicy, at instant: Instant) throws(CommandFailure) {
    policy.policy.library = try authorities.library(at: instant)
  }

  func add(to question: inout RotationQuestion) { question.futures = futures }
}
