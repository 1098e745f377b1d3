import ArgumentParser
import Diagnostics
import Glibc
import PinFormat
import PinPolicy
import PinRules
import PinStudies
import PinValidator

/// `pintle authorities`: what is known of public CAs.
struct AuthoritiesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "authorities",
    abstract: "Show what is known of public CAs; suggest key sets.",
    subcommands: [List.self, Show.self, Suggest.self])
}

extension AuthoritiesCommand {
  /// Ends the command where it runs in CI: a person has to look at keys that are added.
  static func refuseInCI(_ option: String) throws(CommandFailure) {
    let services = ["CI", "TF_BUILD", "JENKINS_URL", "TEAMCITY_VERSION", "CODEBUILD_BUILD_ID"]
    guard services.contains(where: { name in getenv(name).map { $0[0] != 0 } ?? false }) else { return }
    throw CommandFailure(
      .usage, "\(option) can't be used in CI",
      help: "Run it on your machine, and review what it adds before you commit it.")
  }

  /// `pintle authorities list`: all of them.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the authorities and services that pintle knows.",
      discussion: """
        With --at, only what was published by that time is listed.

        EXAMPLES:
          pintle authorities list
          pintle authorities list --authorities our-cas.yaml
        """)

    @OptionGroup var authorities: AuthorityOptions
    @OptionGroup var time: TimeOption

    @OptionGroup var facts: FactsOptions

    func run() throws {
      let known = try authorities.library(at: time.instant).all(at: time.instant)
      try facts.write(text: AuthorityText(known).list, json: known.json())
    }
  }

  /// `pintle authorities show`: one of them, with the source of each statement.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Show what is known of an authority or service.",
      discussion: """
        Shows which of its roots can be pinned, until when, and what each trust store does with them. --cite shows \
        each statement with its source. A root can be pinned as long as Mozilla, Debian and certifi trust what it issues.

        EXAMPLES:
          pintle authorities show lets-encrypt
          pintle authorities show globalsign --at 2024-01-01 --cite
        """)

    @Argument(help: "An authority or service by its name in 'pintle authorities list'.")
    var name: String

    @Flag(help: "Show each statement, with its source.")
    var cite = false

    @OptionGroup var authorities: AuthorityOptions
    @OptionGroup var time: TimeOption

    @OptionGroup var facts: FactsOptions

    func run() throws {
      let known = try authorities.library(at: time.instant).all(at: time.instant)
      guard let details = AuthorityText(known).details(of: name, citesAll: cite), let json = known.json(of: name) else {
        throw KeySetSuggestion.unknown(name, known)
      }
      try facts.write(text: details, json: json)
    }
  }
}
