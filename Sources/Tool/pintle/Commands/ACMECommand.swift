import ArgumentParser
import Diagnostics
import PinExchange
import PinPolicy
import PinRules

/// `pintle acme`: what the tools that renew certificates do with the keys that a policy pins.
struct ACMECommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "acme", abstract: "Check that renewals by certbot, lego, acme.sh and cert-manager keep pinned keys.",
    subcommands: [CheckRenewals.self])
}

extension ACMECommand {
  /// `pintle acme check`: whether the next renewal keeps the key of each pinned host.
  struct CheckRenewals: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Check whether the next renewal keeps the key of each pinned host.",
      discussion: """
        Reads certbot's renewal files, hooks and cli.ini, lego's configuration, acme.sh's settings, commands of these three \
        in systemd units, crontabs, scripts and containers, and Certificates, Ingresses, Gateways, issuers and patches of \
        kustomize for cert-manager. For each host whose pins depend on the server's own key, it says whether the next \
        renewal keeps that key, with the file and line, and how to keep it. If nothing says so, or what says so can't be \
        read, the answer is unknown: --fail-on warning makes it a failure. Hosts that are also pinned by a CA's key are \
        only counted, with the ACME profile or preferred chain that chooses their hierarchy.

        Folders are searched recursively, except .git and node_modules, for files with names of settings. Links aren't \
        followed: one whose target isn't read too makes the answer unknown, and so does a socket or pipe with such a \
        name. A script without an ending is read if it is passed itself, is below a folder like cron.daily or \
        renewal-hooks, or has 'cron', 'renew' or a tool in its name. Nothing is run: a variable gets its value only if \
        that is the path or program of a tool. What was read and what wasn't is counted in all formats and in the record.

        --record writes the answers to a file for --renewals of diff and simulate. See docs/renewals.md.

        EXAMPLES:
          pintle acme check /etc/letsencrypt
          pintle acme check /root/.acme.sh deploy/k8s --policy pins/policies
          pintle acme check /etc/letsencrypt --record renewals.json
        """)

    @Argument(help: ArgumentHelp("Settings files, or folders to search.", valueName: "path"), completion: .file())
    var paths: [String]

    @Option(
      help: ArgumentHelp("The policy directory; 'policies' unless given.", valueName: "path"), completion: .directory)
    var policy: String?

    @Option(help: .oneAudience)
    var audience: String?

    @Option(
      help: ArgumentHelp("Where to write the record of the answers, for --renewals.", valueName: "file"),
      completion: .file())
    var record: String?

    @OptionGroup var report: ReportOptions
    @OptionGroup var time: TimeOption

    func validate() throws {
      if paths.isEmpty { throw ValidationError("Pass the files or folders to check, such as /etc/letsencrypt.") }
      if let record, record == (report.output ?? "-") {
        throw ValidationError("--record and the report can't be written to the same place.")
      }
    }

    func run() throws {
      let policy = try LoadedPolicy.load(
        wholeOf: policy ?? "policies", audience: audience, for: "This check needs the whole policy: name its directory."
      ).policy
      guard policy.problems.isEmpty else {
        throw CommandFailure(
          .findings, "the policy can't be read as a whole, so it isn't known which hosts it pins",
          help: "Fix what 'pintle check' reports, and run the command again.")
      }
      let found = try RenewalFiles(
        below: paths, except: policy.sources.files.map(\.path), firstFile: policy.sources.files.count)
      if found.files.isEmpty {
        Console.warn(
          "no settings of \(RenewalFiles.tools) were found in \(paths.map { "'\(VisibleText.of($0))'" }.listed())",
          help: "Pass the folder of the tool, such as /etc/letsencrypt.")
      }
      let check = RenewalCheck(policy, found.settings, in: found.files, search: found.search, at: time.instant)
      let findings = check.report()
      let isText = report.format == .text || report.format == .concise
      var text = isText ? check.text : ""
      if !isText || !findings.diagnostics.isEmpty { text += (isText ? "\n" : "") + report.rendered(findings) }
      try Output.write(Array(text.utf8), to: report.output ?? "-")
      if let record { try Output.write(Array(check.record.json.utf8), to: record) }
      try report.status(of: findings).exit()
    }
  }
}
