import ArgumentParser
import Diagnostics
import OpenSSLKit
import PinCompiler
import PinFormat
import PinRules
import PinValidator

/// `pintle build`: from policy to signed manifest.
struct Build: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Build and sign the manifest of a policy.",
    discussion: """
      Checks the policy first and builds nothing while there are errors. The same policy, serial and issue time give \
      the same signed bytes on every machine. The manifest is written whole or not at all.

      A first release states its serial and time; a later one names the released manifest as its baseline, follows its \
      serial and states its time. With a baseline and no time, the released manifest is written again where the policy \
      says nothing new, and the build fails where it does.

      EXAMPLES:
        pintle build -o first.json --sign-key release.key --serial 1 --issued-at now
        pintle build policies -o next.json --sign-key release.key \\
          --baseline first.json --issued-at 2026-12-01
      """)

  @OptionGroup var source: PolicyArguments

  @Option(
    name: .shortAndLong, help: ArgumentHelp("Where to write the manifest; '-' for standard output.", valueName: "file"))
  var output: String

  @Option(
    help: ArgumentHelp("A private key to sign with (PEM); give it again for a further signature.", valueName: "file"))
  var signKey: [String]

  @Option(help: "The release's serial; with a baseline, one more than the baseline's unless given.")
  var serial: Int64?

  @Option(help: ArgumentHelp("When the release is issued: an instant, a date, or 'now'.", valueName: "time"))
  var issuedAt: TimeArgument?

  @OptionGroup var baseline: BaselineOptions

  @Option(help: ArgumentHelp("The sources' commit, for the manifest's provenance.", valueName: "id"))
  var commit: String?

  @Option(
    help: ArgumentHelp("The instant that the rules take for now; the issue time unless given.", valueName: "time"))
  var at: TimeArgument?

  func validate() throws {
    if signKey.isEmpty { throw ValidationError("Give at least one --sign-key.") }
  }

  func run() throws {
    let signers = try signKey.map(SigningKeyFile.signer)
    let policy = try source.load()
    let before = try baseline.load(orVerifiedBy: signers.map(\.publicKey))
    let instant = at?.instant ?? issuedAt?.instant ?? before?.manifest.issued ?? TimeArgument.now
    let outcome = CheckedPolicy.check(CheckInput(policy: policy.policy, baseline: before?.manifest, at: instant))
    guard let checked = outcome.checked else {
      Console.say(ReportOptions.text(outcome.result, of: policy, at: instant))
      throw CommandFailure(
        .findings, "the policy has errors; nothing was built", help: "Mend what is shown above and build again.")
    }
    let plan = ReleasePlan(serial: serial, issued: issuedAt?.instant, baseline: before, commit: commit)
    switch try build(checked, plan) {
    case .release(let manifest):
      try Output.write(try sign(manifest, signers), to: output)
      Console.say(
        "built \(Output.name(output)): \(manifest.audience) serial \(manifest.serial), "
          + "\(counted(manifest.hosts.count, "host entry", plural: "host entries")), issued \(manifest.issued), expires \(manifest.expires)"
      )
    case .unchanged(let baseline):
      try Output.write(baseline.bytes, to: output)
      Console.say(
        "built \(Output.name(output)): the policy says nothing new; serial \(baseline.manifest.serial) goes on, as it was signed"
      )
    }
  }

  private func sign(_ manifest: Manifest, _ signers: [Signer]) throws(CommandFailure) -> [UInt8] {
    do {
      return try SignedManifest.sign(manifest, with: signers).bytes
    } catch {
      throw CommandFailure(.failed, "the manifest can't be signed: \(error.message)")
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
