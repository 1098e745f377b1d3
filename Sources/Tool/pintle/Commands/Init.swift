import ArgumentParser
import Diagnostics
import Glibc
import PinFormat
import PinPolicy
import PinRules
import PinStudies

extension StarterAnswers.Service: ExpressibleByArgument {}
extension StarterAnswers.Editor: ExpressibleByArgument {}

/// `pintle init`: what a repository for a policy begins with.
struct Init: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Create the first files of a policy repository.",
    discussion: """
      Writes a first policy with comments, which passes 'pintle check', and its JSON Schema. If you want, it also writes \
      a pipeline for continuous integration, a commit hook, and editor settings. On a terminal it asks for what the \
      options don't say; otherwise, and with --yes, it doesn't ask. Existing files are kept.

      EXAMPLES:
        pintle init
        pintle init pins --owner web@example.com --ci github --hook --editor vscode
        pintle init --yes --host api.example.com --active ca.pem \\
          --backup spare.csr --private-ca ca.pem
        pintle init --yes --host www.example.com --authority lets-encrypt
        pintle init --dry-run
      """)

  @Argument(help: "The directory of the repository; created if it doesn't exist.")
  var directory = "."

  @Option(help: ArgumentHelp("Who is responsible for the pins: an address or a team.", valueName: "text"))
  var owner: String?

  @Option(help: ArgumentHelp("The environment that the manifest is for; production unless given.", valueName: "name"))
  var audience: String?

  @Option(name: .customLong("host"), help: ArgumentHelp("A host to pin. Repeatable."))
  var hosts: [String] = []

  @Option(
    help: ArgumentHelp(
      "A key that the hosts present or that is in their chains: a certificate, a public key or a pin.",
      valueName: "file|pin"))
  var active: [String] = []

  @Option(
    help: ArgumentHelp(
      "A key that no server presents yet: a certificate request, a public key or a pin.", valueName: "file|pin"))
  var backup: [String] = []

  @Option(
    help: ArgumentHelp(
      "The public CA or service that issues the hosts' certificates, by its name in 'pintle authorities list': its roots "
        + "become the active keys, and one of another owner the backup.", valueName: "name"))
  var authority: String?

  @Option(
    name: .customLong("private-ca"),
    help: ArgumentHelp(
      "The root certificate of your own authority, if it issues the hosts' certificates.", valueName: "file"))
  var privateCA: String?

  @Option(help: ArgumentHelp("Where clients report mismatches.", valueName: "uri"))
  var reportURI: String?

  @Option(help: "What runs the pipeline: github, gitlab or none.")
  var ci: StarterAnswers.Service?

  @Option(
    name: .customLong("internal"),
    help: ArgumentHelp(
      "Domains and networks that can only be reached from inside, separated by commas; private addresses are known.",
      valueName: "list"))
  var internalDomains: String?

  @Option(
    help: ArgumentHelp("The label of a runner inside, which probes internal hosts.", valueName: "label"))
  var insideRunner: String?

  @Flag(inversion: .prefixedNo, help: "Whether to write a hook that checks the policy before each commit.")
  var hook: Bool?

  @Option(help: "Whose settings to write: vscode or none.")
  var editor: StarterAnswers.Editor?

  @Flag(help: "Ask nothing.")
  var yes = false

  @Flag(help: "Say what would be written, and write nothing.")
  var dryRun = false

  @OptionGroup var time: TimeOption

  func validate() throws {
    if active.isEmpty != backup.isEmpty {
      throw ValidationError(
        active.isEmpty
          ? "--backup is for hosts with an --active key."
          : "A host with active keys needs a backup: give --backup a key that no server presents yet.")
    }
    if authority != nil {
      if !active.isEmpty { throw ValidationError("--authority can't be combined with --active and --backup.") }
      if hosts.isEmpty { throw ValidationError("Say which --host has certificates of the --authority.") }
    }
    if hosts.isEmpty, !active.isEmpty { throw ValidationError("Say which --host presents the --active keys.") }
    let complaints =
      [
        owner.flatMap(StarterAnswers.complaint(owner:)), audience.flatMap(StarterAnswers.complaint(audience:)),
        reportURI.flatMap(StarterAnswers.complaint(reportURI:)),
        internalDomains.flatMap(StarterAnswers.complaint(internalDomains:)),
        insideRunner.flatMap(StarterAnswers.complaint(insideRunner:)),
      ] + hosts.map(StarterAnswers.complaint(host:))
    if let complaint = complaints.lazy.compactMap(\.self).first {
      throw ValidationError("\(complaint.message). \(complaint.help)")
    }
  }

  /// Takes the suggested keys of a public authority, with their certificates from the local trust store.
  private func add(_ authority: String, to answers: inout StarterAnswers) throws {
    try AuthoritiesCommand.refuseInCI("--authority")
    let suggestion = try KeySetSuggestion(
      for: authority, AuthorityLibrary.embedded.all(at: time.instant), policy: nil, anchors: LocalAnchors.read())
    func key(_ member: KeySetSuggestion.Member) -> StarterAnswers.Key {
      StarterAnswers.Key(
        name: member.name, file: .init(path: member.path, bytes: member.anchor.file), pin: "\(member.key.pin)",
        origin: suggestion.origin(of: member))
    }
    answers.active = suggestion.active.map(key)
    answers.backup = [suggestion.backup].compactMap(\.self).map(key)
    Console.say("Keys, as of \(time.instant):\n" + suggestion.reasons)
  }

  func run() throws {
    var answers = StarterAnswers()
    answers.owner = owner
    let present = PresentPolicy.find(in: StarterFiles.join(directory, "policies"))
    if present != nil { try refusePolicyOptions() }
    answers.audience = try Self.audience(audience, of: present) ?? answers.audience
    answers.hosts = hosts
    answers.reportURI = reportURI
    answers.service = ci ?? .none
    answers.hasHook = hook ?? false
    answers.editor = editor ?? .none
    answers.internalDomains = internalDomains
    answers.insideRunner = insideRunner
    let keys = try StarterKeys.read(active: active, backup: backup, privateCA: privateCA)
    (answers.active, answers.backup, answers.privateCA) = (keys.active, keys.backup, keys.privateCA)
    if let authority { try add(authority, to: &answers) }
    if present != nil { Console.say("there is a policy in 'policies': no policy file is added") }
    if !yes, Confirmation.isPossible {
      if ci == nil { answers.service = .github }
      let settled = StarterDialogue.Settled(
        owner: present != nil || owner != nil, audience: present?.audience != nil || audience != nil,
        hosts: present != nil || !hosts.isEmpty, keys: present != nil || !answers.active.isEmpty,
        privateCA: present != nil || privateCA != nil, reportURI: present != nil || reportURI != nil,
        service: ci != nil, internal: internalDomains != nil || insideRunner != nil, hook: hook != nil,
        editor: editor != nil)
      try StarterDialogue.complete(&answers, except: settled)
    }
    let pins = (answers.active + answers.backup).compactMap { try? Pin($0.pin) }
    answers.strangers = AuthorityLibrary.embedded.all(at: time.instant).strangers(to: Set(pins))
    let expires = time.instant.adding(seconds: 180 * 86_400)
    let files = StarterFiles(answers, isFresh: present == nil, expires: expires)
    let others = files.others(in: directory).map(\.path)
    try files.write(into: directory, isRehearsal: dryRun) { path, fate in
      Console.say("\(fate.rawValue) \(path)\(fate == .kept ? ", which was there" : "")")
    }
    guard !dryRun else { return }
    let advice = StarterAdvice.text(
      answers, in: directory, isFresh: present == nil, others: others,
      unignored: StarterFiles.unignored(in: directory))
    if let text = advice.file {
      try StarterFiles.write(.init(StarterAdvice.rest, text), into: directory) { path, fate in
        Console.say("\(fate.rawValue) \(path)\(fate == .kept ? ", which was there" : "")")
      }
    }
    Console.say(advice.shown)
  }

  /// Refuses options about a policy that is there already: nothing of it is changed.
  private func refusePolicyOptions() throws(CommandFailure) {
    let given = [
      ("--host", !hosts.isEmpty), ("--authority", authority != nil), ("--active", !active.isEmpty),
      ("--backup", !backup.isEmpty), ("--private-ca", privateCA != nil), ("--report-uri", reportURI != nil),
    ].filter(\.1).map(\.0)
    guard let first = given.first else { return }
    let policy = StarterFiles.join(directory, "policies")
    throw CommandFailure(
      .usage, "there is a policy in '\(policy)' already, and \(first) can't change it",
      help: "Edit the files in '\(policy)' to add hosts and keys, or leave out \(RotationPlanText.plain(given)).")
  }

  /// The environment that was asked for or that the policy is for, which have to be the same: the pipeline checks for it.
  private static func audience(
    _ wanted: String?, of present: PresentPolicy?
  ) throws(CommandFailure) -> String? {
    if let complaint = present?.audience.flatMap(StarterAnswers.complaint(audience:)) {
      throw CommandFailure(.failed, "in the policy that is there, \(complaint.message)", help: complaint.help)
    }
    guard let wanted, let its = present?.audience, its != wanted else { return wanted ?? present?.audience }
    throw CommandFailure(
      .failed, "the policy in 'policies' is for '\(its)', not for '\(wanted)'",
      help: "Leave --audience out, or change the policy first.")
  }
}
