import ArgumentParser
import Diagnostics
import PinFormat
import PinGate
import PinPolicy
import PinRelease
import PinRules
import PinStudies

/// `pintle deny`: from the decision that a key is stolen to a draft that people can sign.
struct Deny: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deny",
    abstract: "Deny a stolen key: edit the policy, and build the draft to sign.",
    discussion: """
      For emergencies. Denies the key in the policy files, and removes it from all key sets; in a set that has no other \
      active key, the backups become active. Then it builds the draft as 'pintle build --unsigned' does, and shows how \
      to sign it. If anything fails, nothing is written. An existing file is never replaced by the draft.

      Clients get no other change: the command fails if the draft would differ from the newest release in more than \
      denied keys. Changes that clients don't get, such as 'steps:', don't stop it, but it says that there are some.

      A release that only denies keys needs no reason, even if it locks clients out: its signers decide. It needs all \
      signatures of a release.

      A key set that is left without a backup (P313), and entries that have expired (P403), don't stop it: a comment on \
      their line accepts that for 14 days.

      EXAMPLES:
        pintle deny api-2027 --reason 'in a public bucket' -o event/8.json \\
          --against released --keyset keysets
      """)

  @Argument(help: "The key's name in the policy.")
  var key: String

  @Argument(help: ArgumentHelp("The policy directory.", valueName: "directory"), completion: .directory)
  var directory = "policies"

  @Option(help: ArgumentHelp("Why clients must not accept the key any more.", valueName: "text"))
  var reason: String

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Where to write the draft; a folder if the policy has several audiences.", valueName: "path"),
    completion: .file())
  var output: String

  @Option(help: ArgumentHelp("When the release is issued: an instant, a date, or 'now'.", valueName: "time"))
  var issuedAt = "now"

  @OptionGroup var baseline: BaselineOptions
  @OptionGroup var evidence: EvidenceOptions
  @OptionGroup var time: IssueTimeOption

  func validate() throws {
    if baseline.baseline == nil { throw ValidationError("Pass what clients have: --against BASELINE.") }
    if DraftReason.text(Array(reason.utf8)) == nil {
      throw ValidationError("--reason takes one line of visible text, at most \(DraftReason.maximumBytes) bytes.")
    }
    if !PolicyEdit.isDenial(reason) {
      throw ValidationError("'\(reason)' doesn't say why the key is denied: give --reason a few words.")
    }
    if output == "-" { throw ValidationError("-o takes a file or folder: standard output shows the edit.") }
  }

  func run() throws {
    let issued = try TimeArgument.read(issuedAt).instant
    try IssueTime.check(issued, rehearsedAt: time.at)
    let instant = time.instant(for: issued)
    let policies = try LoadedPolicy.loadEach(
      wholeOf: directory, audience: nil, for: "A manifest is built from all of a policy: name its directory.")
    let denial = try KeyDenial(of: key, because: reason, in: policies, at: directory, at: instant)
    for (policy, denied) in zip(policies, denial.policies) {
      guard let last = try baseline.load(for: policy.oneOfSeveral)?.manifest else { continue }
      try KeyDenial.require(onlyIn: denied, after: last, at: directory, instant)
      guard last.provenance.sources != policy.policy.sourcesDigest else { continue }
      let commit = last.provenance.commit.map { ": git diff \($0) -- \(ShellWord.of(directory))" } ?? ""
      Console.say(
        "the policy files already differed from those of serial \(last.serial)"
          + "\(policy.oneOfSeveral.map { " for '\($0)'" } ?? ""), but not in what clients get, except denied keys"
          + commit)
    }
    var arguments = [
      directory, "--unsigned", "--issued-at", issuedAt, "-o", output, "--against", baseline.baseline ?? "",
    ]
    arguments +=
      baseline.newAudience.flatMap { ["--new-audience", $0] } + baseline.keys.flatMap { ["--key", $0] }
      + (baseline.keyset.map { ["--keyset", $0] } ?? [])
    var build = try Build.parse(arguments)
    (build.evidence, build.time) = (evidence, time)
    try build.build(denial.policies) { () throws(CommandFailure) in
      try Console.write(denial.rewrite.diff)
      try denial.rewrite.write()
      Console.say("wrote \(Wording.list(denial.rewrite.paths))")
      for warning in denial.warnings { Console.say(warning) }
      if !denial.accepted.isEmpty {
        Console.say("accepted until \(denial.until): \(denial.accepted.joined(separator: ", ")); fix it before then")
      }
    }
  }
}
