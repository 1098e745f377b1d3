import Diagnostics
import PinPolicy

/// The commands of hooks in certbot's settings, and what they do to the key.
struct CertbotHooks {
  /// As a lineage names them; in `cli.ini`, they have dashes.
  static let names: Set<String> = [
    "pre_hook", "post_hook", "renew_hook", "deploy_hook", "manual_auth_hook", "manual_cleanup_hook",
  ]

  /// Programs that run certbot with options of their own.
  private static let wrappers = ["dnsrobocert"]

  private(set) var commands: [RenewalCommand] = []
  private(set) var change: RenewalStatement?

  mutating func add(_ name: String, _ value: String, of file: RenewalFile, at place: Place) {
    commands += RenewalCommand.all(in: value, of: file, at: place)
    change =
      change ?? KeyMaker.statement(Array(value.utf8), .certbotHook, CommandTargets(file.definitions)) { _ in place }
    guard change == nil, let program = Self.wrappers.first(where: value.contains) else { return }
    change = RenewalStatement(
      way: .certbotHook, answer: .unknown, reason: "'\(name)' is a hook of \(program), which runs certbot itself",
      help: "Check in the configuration of \(program) whether it passes '--reuse-key'.", place: place)
  }
}
