import ArgumentParser
import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinRules
import PinValidator

/// `pintle build`: from policy to signed manifest.
struct Build: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "build",
    abstract: "Build and sign the manifest of a policy.",
    discussion: """
      Checks the policy first and builds nothing while there are errors. The same policy, serial and issue time give \
      the same signed bytes on every machine. The file is written completely or not at all.

      The first release needs --serial and --issued-at. A later one takes the previous manifest as --baseline, \
      increments its serial and records its digest. As a directory of all released manifests, the baseline is the one \
      with the highest serial; the build fails if two of them have the same serial and different contents. If --issued-at is missing, the baseline is written again if the \
      policy is unchanged, otherwise the build fails.

      --unsigned makes a draft, which clients don't accept: 'pintle sign' adds the signatures, also on other machines. \
      With --keyset, the build fails if clients of the keyset would reject the manifest: for its audience, for a \
      serial below the minimum, or because the key isn't one of its signers.

      EXAMPLES:
        pintle build -o first.json --sign-key release.key --serial 1 --issued-at now
        pintle build policies -o next.json --sign-key release.key \\
          --baseline first.json --issued-at 2026-12-01
        pintle build -o draft.json --unsigned --issued-at now \\
          --baseline released --keyset 1.keyset.json
      """)

  @Argument(help: ArgumentHelp("The policy directory.", valueName: "directory"), completion: .directory)
  var directory = "policies"

  @Option(
    name: .shortAndLong, help: ArgumentHelp("Where to write the manifest; '-' for standard output.", valueName: "file"),
    completion: .file())
  var output: String

  @OptionGroup var keys: SigningKeyOptions

  @Flag(help: "Make an unsigned draft for others to sign.")
  var unsigned = false

  @Option(
    parsing: .unconditional, help: "The serial of the release; the default is the baseline's serial plus 1.",
    transform: SerialArgument.read)
  var serial: Int64?

  @Option(
    help: ArgumentHelp("When the release is issued: an instant, a date, or 'now'.", valueName: "time"),
    transform: TimeArgument.read)
  var issuedAt: TimeArgument?

  @OptionGroup var baseline: BaselineOptions

  @Option(
    help: ArgumentHelp(
      "The sources' commit, for the manifest's provenance: its id, or 'git' for the one that is checked out.",
      valueName: "id"))
  var commit: String?

  @Option(
    help: ArgumentHelp(
      "Why clients should activate the release although it pins far less, or blocks servers that they know.",
      valueName: "reason"))
  var drasticChange: String?

  @Option(
    help: ArgumentHelp(
      "Evaluate the rules as of this time; the issue time unless given, else the clock.", valueName: "time"),
    transform: TimeArgument.read)
  var at: TimeArgument?

  @OptionGroup var facts: FactsOptions

  func validate() throws {
    try facts.check(output: output)
    if keys.isEmpty, !unsigned {
      throw ValidationError("Give at least one --sign-key, or --unsigned for a draft that others sign.")
    }
    if !keys.isEmpty, unsigned {
      throw ValidationError("--unsigned makes a draft; it can't be combined with --sign-key.")
    }
    if drasticChange?.isEmpty == true { throw ValidationError("Give --drastic-change a reason.") }
  }

  func run() throws {
    if let issuedAt { try IssueTime.check(issuedAt.instant) }
    let trust = try baseline.trust()
    let signers = unsigned ? [] : try keys.signers(known: trust?.publicKeys ?? [])
    try trust?.keyset?.requireSigners(signers)
    let policy = try LoadedPolicy.load(
      wholeOf: directory, for: "A manifest is built from all of a policy: name its directory.")
    let before = try baseline.load(orVerifiedBy: signers.flatMap(\.keys).map(\.publicKey))
    let instant = at?.instant ?? issuedAt?.instant ?? TimeArgument.now
    var input = CheckInput(policy: policy.policy, baseline: before?.manifest, at: instant)
    input.raisesAnnouncements = false
    let signing = signers.flatMap(\.keys).compactMap { Policy.SignerKind(of: $0.publicKey) }
    input.signers = (trust?.kinds ?? []) + signing.map { ("a key that signs", $0) }
    let outcome = CheckedPolicy.check(input, isRehearsed: false)
    guard let checked = outcome.checked else { throw Self.refusal(outcome.result, of: policy, at: instant) }
    // P414 (the baseline expires soon) is fixed by building.
    let warnings = outcome.result.diagnostics.count { $0.severity == .warning && $0.code != "P414" }
    // Errors would have ended the build, so there are only warnings.
    if warnings > 0 { Console.say("the policy has \(counted(warnings, "warning")): see 'pintle check'") }
    let plan = ReleasePlan(
      serial: serial, issued: issuedAt?.instant, baseline: before,
      commit: try SourceCommit.resolve(commit, for: policy, in: directory), drasticChange: drasticChange)
    /// Where clients would not load what is made of the policy: the finding of 'check', with file and line.
    func located(_ failure: CommandFailure) -> CommandFailure {
      let result = CheckedPolicy.check(input).result
      let isCause = result.diagnostics.contains { $0.severity == .error }
      return isCause ? Self.refusal(result, of: policy, at: instant) : failure
    }
    let built: BuildOutcome
    do throws(CommandFailure) { built = try build(checked, plan) } catch { throw located(error) }
    switch built {
    case .release(let manifest):
      try keep(before?.paths ?? [])
      try trust?.keyset?.requireTaken(manifest, at: instant)
      try SignerMistake.refuse(signers, pinnedBy: manifest)
      let file: [UInt8]
      do throws(CommandFailure) { file = try sign(manifest, signers) } catch { throw located(error) }
      try write(file)
      Console.say(
        "built \(Output.name(output)): \(VisibleText.of(manifest.audience)) serial \(manifest.serial), "
          + "\(counted(manifest.hosts.count, "host entry", plural: "host entries")), issued \(manifest.issued), "
          + "expires \(manifest.expires), \(ManifestText.size(file.count))")
      if unsigned { Console.say("nobody has signed it yet: 'pintle sign' adds signatures") }
      if !baseline.keys.isEmpty {
        SignerMistake.warn(of: signers, named: keys.signKey, notAmong: trust?.publicKeys ?? [])
      }
      try show(file, of: manifest, isUnchanged: false, warnings)
    case .unchanged(let baseline):
      guard instant < baseline.manifest.expires else {
        throw CommandFailure(
          .refused, "the policy has not changed, but the baseline expired at \(baseline.manifest.expires)",
          help: "To release it again, add --issued-at now.")
      }
      let file = try addSignatures(to: baseline, signers)
      try write(file)
      Console.say(
        "copied serial \(baseline.manifest.serial) to \(Output.name(output)): the policy has not changed, and the manifest "
          + "still expires at \(baseline.manifest.expires). To release it again, add --issued-at now.")
      try show(file, of: baseline.manifest, isUnchanged: true, warnings)
    }
  }

  /// Prints what was found.
  private static func refusal(
    _ result: Checker.Result, of policy: LoadedPolicy, at instant: Instant
  ) -> CommandFailure {
    Console.say(ReportOptions.text(result, of: policy, at: instant))
    return CommandFailure(
      .findings, "the policy has errors; nothing was built", help: "Fix the errors above and build again.")
  }

  /// Refuses to write a new release over its baseline, or over an earlier release.
  private func keep(_ released: [String]) throws(CommandFailure) {
    guard released.contains(where: { InputFile.isSame(output, $0) }) else { return }
    throw CommandFailure(
      .usage, "'\(output)' is \(released.count == 1 ? "the baseline" : "released"), which clients may still have",
      help: "Write the release to another file, and keep the baseline: -o NEXT.json.")
  }

  private func write(_ manifest: [UInt8]) throws(CommandFailure) {
    try keys.protectKeys(from: output)
    try Output.write(manifest, to: output)
  }

  /// Says on standard output what was built; in text, standard error has said so.
  private func show(_ file: [UInt8], of manifest: Manifest, isUnchanged: Bool, _ warnings: Int) throws(CommandFailure) {
    try facts.write(
      text: nil,
      json: Facts.text("build") { writer in
        writer.member("file", output)
        writer.member("bytes", file.count)
        writer.member("isUnchanged", isUnchanged)
        writer.member("warnings", warnings)
        writer.release("manifest", manifest)
        writer.array("signedBy") { writer in
          for id in (try? SignedManifest.keyIDs(of: file)) ?? [] { writer.object { $0.signer(id, name: nil) } }
        }
      })
  }

  /// The baseline with the signatures of those signers who haven't signed it; without such, its very bytes.
  private func addSignatures(to baseline: Baseline, _ signers: [Signer]) throws(CommandFailure) -> [UInt8] {
    do throws(SigningError) {
      let signed = try SignedManifest.keyIDs(of: baseline.bytes)
      let others = signers.filter { !$0.keys.allSatisfy { signed.contains($0.id) } }
      return others.isEmpty ? baseline.bytes : try SignedManifest.add(others, to: baseline.bytes).bytes
    } catch {
      throw CommandFailure(.failed, "the manifest can't be signed: \(error.message)", help: error.help)
    }
  }

  private func sign(_ manifest: Manifest, _ signers: [Signer]) throws(CommandFailure) -> [UInt8] {
    do {
      return try SignedManifest.sign(manifest, with: signers).bytes
    } catch {
      throw CommandFailure(.failed, "the manifest can't be signed: \(error.message)", help: error.help)
    }
  }

  private func build(_ checked: CheckedPolicy, _ plan: ReleasePlan) throws(CommandFailure) -> BuildOutcome {
    do {
      return try checked.build(plan, compiler: Version.compiler)
    } catch {
      throw CommandFailure(.failed, error.message)
    }
  }
}
