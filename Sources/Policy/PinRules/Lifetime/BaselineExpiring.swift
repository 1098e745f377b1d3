import Diagnostics
package import PinFormat
import PinPolicy
import PinValidator

extension Rule {
  /// A released manifest that is about to expire.
  package static let baselineExpiring = Rule(
    code: "P414",
    name: "baseline-expiring",
    severity: .warning,
    title: "The manifest that clients have expires soon.",
    rationale: """
      A manifest expires even if the policy doesn't change. From then on `on-stale` decides what every client does, and with
      `block` that is an outage. So release again in time, best by a schedule. The finding begins when clients already look
      for a newer manifest and a tenth of its life is left, or one day of a life of two days or more. It is a note
      if clients enforce a stale manifest as before. Needs the baseline, the manifest that clients now have.
      """,
    failing: Example(lines, baseline: baseline(until: "2026-11-21T07:00:00Z")),
    passing: Example(lines, baseline: baseline(until: "2026-12-21T00:00:00Z")),
    citation: "docs/policy.md#two-clocks",
    check: .policy(baselineThatExpires))
}

private func baselineThatExpires(_ input: CheckInput) -> [Finding] {
  guard let baseline = input.baseline, let end = ManifestEnd(of: baseline, at: input.instant) else { return [] }
  // If it has expired already, the rules about rotation report that (P607).
  if end.isPast, input.rotation != nil { return [] }
  return [
    Finding(
      at: input.policy.settings?.place ?? Place.beginning(of: FileID(0)), end.message,
      help: ManifestEnd.help(input.releaseOptions), severity: baseline.onStale == .enforce ? .note : nil)
  ]
}

/// A released manifest near its end or past it, as all commands say it.
package struct ManifestEnd: Sendable {
  /// What is wrong: one clause.
  package let message: String
  /// True once it has expired.
  package let isPast: Bool

  /// - Returns: nil while there is time to release again.
  package init?(of manifest: Manifest, at now: Instant) {
    self.init(
      serial: manifest.serial, issued: manifest.issued, refreshAfter: manifest.refreshAfter, expires: manifest.expires,
      onStale: manifest.onStale, unpinnedHosts: manifest.unpinnedHosts, at: now)
  }

  package init?(
    serial: Int64, issued: Instant, refreshAfter: Instant, expires: Instant, onStale: ExpiryAction,
    unpinnedHosts: UnpinnedHosts, at now: Instant
  ) {
    let (life, left) = (expires.seconds(since: issued), expires.seconds(since: now))
    // A day is enough for a release by hand; if the lifetime is short, half of it.
    guard now >= refreshAfter, left <= max(life / 10, min(86_400, life / 2)) else { return nil }
    isPast = left <= 0
    message =
      isPast
      ? "serial \(serial) expired at \(expires): clients that have it \(Self.consequence(onStale, unpinnedHosts))"
      : "serial \(serial) expires at \(expires), in \(Wording.duration(left)); then clients that have it "
        + Self.consequence(onStale, unpinnedHosts)
  }

  /// What clients do with a stale manifest.
  package static func consequence(_ action: ExpiryAction, _ unpinnedHosts: UnpinnedHosts) -> String {
    switch action {
    case .unpinned where unpinnedHosts == .deny: "block all pinned hosts"
    case .enforce: "still enforce it, and report that it is stale"
    case .reportOnly: "only report mismatches"
    case .unpinned: "don't check pins"
    case .block: "block all pinned hosts"
    }
  }

  /// How to release the same policy again.
  ///
  /// - Parameter options: Those that name it and the keys that signed it.
  /// - Returns: A sentence with the command.
  package static func help(_ options: [String]) -> String {
    "Release it again now: \(command(options))."
  }

  /// What to do about a release that has expired, and that somebody may only want to look back at.
  package static func helpLater(_ options: [String], issued: Instant) -> String {
    "To verify it as of its release, add --at \(issued). If clients still need it and nothing newer is released, build "
      + "the next serial: \(command(options))."
  }

  private static func command(_ options: [String]) -> String {
    // A keyset may need more signatures than one.
    let signing = options.contains("--keyset") ? ["--unsigned"] : ["--sign-key", "KEY"]
    let words = ["-o", "NEXT.json"] + options + signing + ["--issued-at", "now"]
    return "pintle build " + words.map(ShellWord.of).joined(separator: " ")
  }
}

private let lines = """
  version: 1
  manifest: { audience: production, on-stale: block }
  """

/// The signed part of a manifest without any host.
private func baseline(until expires: String) -> String {
  """
  {"audience":"production","expires":"\(expires)","hosts":[],"issued":"2026-11-07T00:00:00Z",\
  "key-sets":{},"keys":{},"on-stale":"block","provenance":{"compiler":"pintle 0.1.0",\
  "sources":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},\
  "refresh-after":"2026-11-07T12:00:00Z","serial":1,"type":"application/vnd.pintle.manifest.v1+json",\
  "unpinned-hosts":"allow","version":1}
  """
}
