import ArgumentParser
import Diagnostics
import PinFormat
import PinValidator

/// `pintle verify`: whether a client would take a manifest.
struct Verify: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Verify a manifest's signatures, form, audience and freshness.",
    discussion: """
      Does what a client does before it takes a manifest: counts the signatures of trusted keys, and only then reads \
      the bytes, which must be in canonical form. A stale manifest is refused here, too.

      EXAMPLES:
        pintle verify manifest.json --key release.key.pub --audience production
        pintle verify manifest.json --key a.pub --key b.pub --key c.pub --threshold 2
      """)

  @Argument(help: ArgumentHelp("The manifest.", valueName: "manifest"))
  var manifest: String

  @OptionGroup var verification: VerificationOptions
  @OptionGroup var time: TimeOption

  func run() throws {
    let loaded = try verification.load(manifest)
    let instant = time.instant
    guard loaded.issued <= instant else {
      throw CommandFailure(
        .refused, "'\(manifest)' is refused: it is issued \(loaded.issued), which is after \(instant)",
        help: "Check the clock, or give --at.")
    }
    if case .stale(let action) = loaded.freshness(at: instant) {
      throw CommandFailure(
        .refused, "'\(manifest)' is refused: it expired \(loaded.expires); clients that have it: \(action.rawValue)",
        help: "Release a newer one, or give --at for another instant.")
    }
    var table = Table()
    table.add("verified", manifest)
    table.add("audience", VisibleText.of(loaded.audience))
    table.add("serial", "\(loaded.serial)")
    table.add("issued", "\(loaded.issued)")
    table.add("refresh", "after \(loaded.refreshAfter)")
    table.add("expires", "\(loaded.expires)")
    table.add("hosts", "\(loaded.entryCount)")
    if let reason = loaded.drasticChange { table.add("drastic change", VisibleText.of(reason)) }
    for key in loaded.signedBy { table.add("signed by", key.hex) }
    try Console.write(table.text())
  }
}
