import ArgumentParser
import Diagnostics
import PinFormat
import PinRules
import PinValidator

/// `pintle verify`: whether a client would take a manifest.
struct Verify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Verify a manifest's signatures, format, audience and freshness.",
    discussion: """
      Does the checks of a client: counts the signatures of trusted keys, and only then reads the bytes, which must be \
      in canonical form. A stale manifest is rejected too. With --keyset, the keyset says who may sign; its audience, \
      minimum serial and expiry are checked as well.

      --source compiles the policy again and compares the bytes. If they differ, the manifest is rejected and the \
      differences are shown. 'git:COMMIT' is the policy of a commit; 'git:' is the commit that the manifest names. An \
      unsigned draft can be compared without --key.

      EXAMPLES:
        pintle verify manifest.json --key release.key.pub --audience production
        pintle verify manifest.json --key a.pub --key b.pub --key c.pub --threshold 2
        pintle verify manifest.json --keyset 2.keyset.json
        pintle verify manifest.json --keyset 2.keyset.json --source git:
        pintle verify manifest.json --key release.key.pub --source ../clone/policies
      """)

  @Argument(help: ArgumentHelp("The manifest.", valueName: "manifest"), completion: .file())
  var manifest: String

  @OptionGroup var verification: VerificationOptions

  @Option(
    help: ArgumentHelp(
      "The policy that it must have been compiled from: a directory, or 'git:[COMMIT][:DIRECTORY]'.",
      valueName: "source"))
  var source: String?

  @OptionGroup var time: TimeOption

  func run() throws {
    guard let trust = try verification.trust() else {
      guard let source else { throw Trust.missing(for: manifest) }
      return try verifyDraft(from: PolicySource(source))
    }
    let file = try trust.load(manifest, audience: verification.audience)
    let loaded = file.manifest
    let instant = time.instant
    guard loaded.issued <= instant else {
      throw CommandFailure(
        .refused, "'\(manifest)' is rejected: it is issued \(loaded.issued), which is after \(instant)",
        help: "Check the clock, or give --at.")
    }
    if let keyset = trust.keyset, keyset.expires <= instant {
      throw CommandFailure(
        .refused,
        "'\(manifest)' is rejected: version \(keyset.version) of the keyset expired \(keyset.expires); clients that "
          + "don't have it yet won't take it [keyset-expired]",
        help: "Renew the keyset ('pintle keyset next'), or give --at for another instant.")
    }
    if case .stale(let action) = loaded.freshness(at: instant) {
      throw CommandFailure(
        .refused,
        "'\(manifest)' is rejected: it expired at \(loaded.expires); clients that have it now "
          + ManifestEnd.consequence(action), help: ManifestEnd.help(manifest))
    }
    let sources = try source.map { source throws(CommandFailure) in
      try SourceVerification(of: file, at: manifest).verify(from: PolicySource(source))
    }
    var table = Table()
    table.add("verified", VisibleText.of(manifest))
    table.add("audience", VisibleText.of(loaded.audience))
    table.add("serial", "\(loaded.serial)")
    table.add("issued", "\(loaded.issued)")
    table.add("refresh", "after \(loaded.refreshAfter)")
    table.add("expires", "\(loaded.expires)")
    table.add("hosts", "\(loaded.entryCount)")
    if let reason = loaded.drasticChange { table.add("drastic change", VisibleText.of(reason)) }
    if let keyset = trust.keyset { table.add("keyset", "version \(keyset.version), expires \(keyset.expires)") }
    for key in loaded.signedBy { table.add("signed by", trust.name(of: key)) }
    if let sources { table.add("sources", "\(VisibleText.of(sources)): compiled again, the same bytes") }
    try Console.write(table.text())
    if let end = ManifestEnd(of: loaded.manifest, at: instant) {
      Console.warn(end.message, help: ManifestEnd.help(manifest))
    }
  }

  /// Compares a draft with its sources, whose signatures nobody can ask for yet.
  private func verifyDraft(from source: PolicySource) throws {
    let draft = try SourceVerification(ofDraft: Input.read(manifest, limit: .manifest), at: manifest)
    let sources = try draft.verify(from: source)
    var table = Table()
    table.add("draft", "\(VisibleText.of(manifest)), which nobody has signed")
    table.add("audience", VisibleText.of(draft.manifest.audience))
    table.add("serial", "\(draft.manifest.serial)")
    table.add("issued", "\(draft.manifest.issued)")
    table.add("expires", "\(draft.manifest.expires)")
    table.add("hosts", "\(draft.manifest.hosts.count)")
    if let reason = draft.manifest.drasticChange { table.add("drastic change", VisibleText.of(reason)) }
    table.add("sources", "\(VisibleText.of(sources)): compiled again, the same bytes")
    try Console.write(table.text())
  }
}
