import ArgumentParser
import Diagnostics
import PinFormat
import PinGate
import PinPolicy
import PinRelease
import PinRules
import PinValidator

/// `pintle publish`: puts signed files where clients fetch them.
struct Publish: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "publish",
    abstract: "Publish signed files where clients fetch them.",
    discussion: """
      Verifies everything first, and writes nothing that clients would reject: a wrong signature or audience, a serial \
      that isn't above the published one, or other bytes under a published name. Then it writes what never changes, \
      and at the end the file that clients fetch, so they never see half a release.

      The files are AUDIENCE/keysets/N.keyset.json for each version of --keyset, AUDIENCE/N.json for each release, by \
      its serial, and AUDIENCE/manifest.json for the newest release.

      A folder that has releases only in folders, one for each audience, stands for all of them. With --audience, the \
      folder of that name is used, of keysets too.

      The target is a folder, or 'exec:COMMAND', which reads and writes another store, such as S3 or an OCI \
      registry.\(Citation.see("docs/ci.md")) What is published already isn't written again, so after an \
      interruption, run the same command again. --dry-run shows what would be written.

      EXAMPLES:
        pintle publish site released --keyset keysets
        pintle publish site released --keyset keysets --dry-run
        pintle publish site released --keyset keysets --audience staging
        pintle publish site --keyset keysets
        pintle publish site production.json staging.json --key release.key.pub
        pintle publish exec:'examples/publish/s3 pins' released --keyset keysets
      """)

  @Argument(
    help: ArgumentHelp("A folder that exists, or 'exec:COMMAND'.", valueName: "target"), completion: .directory)
  var target: String

  @Argument(
    help: ArgumentHelp(
      "Signed manifests, or folders of all releases; none to publish only the keyset.", valueName: "release"),
    completion: .file())
  var releases: [String] = []

  @OptionGroup var verification: VerificationOptions

  @Flag(help: "Show what would be written, and write nothing.")
  var dryRun = false

  @Option(
    help: ArgumentHelp("How many seconds a command may take for each file; 60 unless given.", valueName: "seconds"))
  var timeout: Int?

  @OptionGroup var time: TimeOption
  @OptionGroup var facts: FactsOptions

  func validate() throws {
    guard timeout.map({ (1...86_400).contains($0) }) ?? true else {
      throw ValidationError("--timeout is from 1 to 86400 seconds.")
    }
    if target.hasPrefix(UserCommand.prefix) {
      guard !command.allSatisfy(\.isWhitespace) else {
        throw ValidationError("Give 'exec:' a command: 'exec:COMMAND'.")
      }
    } else if timeout != nil {
      throw ValidationError("--timeout is for a target 'exec:COMMAND'.")
    }
    if releases.isEmpty, verification.keyset == nil {
      throw ValidationError("Give a manifest or a folder of releases, or --keyset to publish only the keyset.")
    }
  }

  func run() throws {
    var found = PublicationFacts(target: targetName, instant: time.instant, isDryRun: dryRun)
    do throws(CommandFailure) {
      try publish(&found)
    } catch {
      if facts.format == .json, error.status == .refused || error.status == .unsafeRotation {
        found.rejection = error
        try Console.write(found.json())
      }
      throw error
    }
    try facts.write(text: found.text(), json: found.json())
    if found.plan?.isPointerEndorsed == false {
      Console.warn(
        "clients that take this keyset reject the manifest that is published now",
        help: "Clients that have a manifest keep it; a client that starts without one doesn't get it. Release one that "
          + "the keyset's signers signed.")
    }
  }

  private var command: Substring { target.dropFirst(UserCommand.prefix.count) }

  private var targetName: String {
    target.hasPrefix(UserCommand.prefix) ? UserCommand.name(of: command) : target
  }

  private func publish(_ found: inout PublicationFacts) throws(CommandFailure) {
    guard let trust = try verification.trust() else { throw Trust.missing(for: releases[0]) }
    var releases: [String] = []
    for path in self.releases {
      let isOne = verification.audience != nil
      releases += isOne ? [AudienceFolder.path(in: path, verification.audience)] : try ReleasedFiles.expand(path)
    }
    let publication = try Publication(releases, trust: trust, audience: verification.audience)
    for newest in publication.newest {
      try newest.loaded.requireAccepted(at: found.instant, by: trust, of: newest.path ?? newest.name)
    }
    if releases.isEmpty, let keyset = trust.keyset, keyset.expires <= found.instant {
      throw CommandFailure(
        .refused, code: "keyset-expired",
        "version \(keyset.version) of the keyset is rejected: it expired \(keyset.expires)",
        help: "Renew it ('\(KeysetDraft.next(after: trust.keysetPath))'), or give --at for another instant.")
    }
    if target.hasPrefix(UserCommand.prefix) {
      let command = UserCommand(
        command, limit: .seconds(timeout ?? 60), setBy: "--timeout",
        endingWith: Console.interruption("run the same command again to write the rest"))
      found.plan = try publish(publication, to: CommandTarget(command))
    } else {
      found.plan = try publish(publication, to: FolderTarget(target))
    }
  }

  private func publish(
    _ publication: Publication, to target: some PublicationTarget
  ) throws(CommandFailure) -> Publication.Plan {
    guard !dryRun else { return try publication.plan(for: target) }
    return try target.whileAlone { () throws(CommandFailure) in
      let plan = try publication.plan(for: target)
      try plan.write(to: target)
      return plan
    }
  }
}
