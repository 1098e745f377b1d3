import ArgumentParser
import Diagnostics
import PinFormat
import PinPolicy
import PinRotation
import PinRules

extension FutureChoice: ExpressibleByArgument {}

/// What may come about that nobody plans, and what is known of it.
struct FutureOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Which futures to play: 'known' for what authorities and trust stores have announced, 'all' also for any other "
        + "renewal, or 'none'. They are warnings at most.", valueName: "none|known|all"))
  var futures = FutureChoice.all

  @OptionGroup var authorities: AuthorityOptions

  /// Adds what is known of public CAs to a policy.
  func inform(_ policy: inout LoadedPolicy, at instant: Instant) throws(CommandFailure) {
    policy.policy.library = try authorities.library(at: instant)
  }

  func add(to question: inout RotationQuestion) { question.futures = futures }
}
