import ArgumentParser
import Diagnostics
import Glibc
import PinFormat
import PinPolicy
import PinRules
import PinValidator

/// `pintle authorities`: what is known of public CAs.
struct AuthoritiesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "authorities",
    abstract: "Show what pintle knows of public CAs, suggest key sets, and check and sign authorities files.",
    subcommands: [List.self, Show.self, Suggest.self, CheckFiles.self, Sign.self])
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
      abstract: "Show what is known of an authority or service, with the source of each statement.",
      discussion: """
        EXAMPLES:
          pintle authorities show lets-encrypt
          pintle authorities show globalsign --at 2024-01-01
        """)

    @Argument(help: "An authority or service by its name in 'pintle authorities list'.")
    var name: String

    @OptionGroup var authorities: AuthorityOptions
    @OptionGroup var time: TimeOption

    @OptionGroup var facts: FactsOptions

    func run() throws {
      let known = try authorities.library(at: time.instant).all(at: time.instant)
      guard let details = AuthorityText(known).details(of: name), let json = known.json(of: name) else {
        throw KeySetSuggestion.unknown(name, known)
      }
      try facts.write(text: details, json: json)
    }
  }

  /// `pintle authorities check`: authorities files.
  struct CheckFiles: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Check authorities files.",
      discussion: """
        Checks that the files match schemas/authorities.schema.json, that each statement names a source, and that each \
        key and authority that they refer to is in one of the files or known to pintle.

        EXAMPLES:
          pintle authorities check
          pintle authorities check our-cas.yaml
        """)

    @Argument(help: ArgumentHelp("Authorities files, or directories of them.", valueName: "path"))
    var paths = ["authorities"]

    @OptionGroup var report: ReportOptions
    @OptionGroup var time: TimeOption

    func run() throws {
      for path in paths where AuthorityOptions.isSigned(path) {
        throw CommandFailure(
          .failed, "'\(VisibleText.of(path))' is signed, and only YAML files are checked",
          help: "Check the file that was signed; 'pintle authorities sign' did so too.")
      }
      let latest = try AuthorityOptions.latestReview(at: time.instant)
      let found = try AuthorityFiles(paths, until: latest).report(at: time.instant)
      try Output.write(Array(report.rendered(found).utf8), to: report.output ?? "-")
      try report.status(of: found).exit()
    }
  }
}
