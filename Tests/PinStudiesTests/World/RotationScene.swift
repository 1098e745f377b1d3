import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinRelease
import PinRotation
import PinRules
import PinStudies
import PinValidator
import PolicySupport
import Testing

/// Policies, releases and questions as the tests of rotation write them.
///
/// Keys are named in the short: `a` to `e` are bare pins, and `Key` gives each its pin.
enum RotationScene {
  static let now = "2026-11-21"

  static func instant(_ text: String) throws -> Instant { try #require(Instant(written: text)) }

  /// The pin whose first byte is the letter.
  static func pin(_ letter: Character) -> Pin { Pin(letter: letter) }

  /// `a: { pin: …, position: root, steps: … }`, a line of `keys:`.
  static func key(_ letter: Character, _ fields: String = "") -> String {
    let rest = fields.isEmpty ? "" : ", " + fields
    return "  \(letter): { pin: \(pin(letter)), custody: HSM \(letter), created: 2026-01-01\(rest) }"
  }

  /// Keys, sets and hosts; every host has an expiry far ahead.
  static func text(
    keys: [String], sets: [String] = [], hosts: [String], manifest: String = "", defaults: String = ""
  ) -> String {
    """
    version: 1
    manifest: { audience: test\(manifest.isEmpty ? "" : ", " + manifest) }
    defaults: { expires: 2027-11-01, on-expiry: report-only, report-uris: [https://r.example.org/]\(defaults) }
    keys:
    \(keys.joined(separator: "\n"))
    \(sets.isEmpty ? "" : "key-sets:\n  " + sets.joined(separator: "\n  "))
    hosts:
    \(hosts.map { "  - { \($0) }" }.joined(separator: "\n"))
    """
  }

  static func checked(
    _ text: String, at instant: Instant, adding files: [String: [UInt8]] = [:]
  ) throws -> CheckedPolicy {
    let policy = try ExampleFiles.resolve(["policy.yaml": text], adding: files)
    let outcome = CheckedPolicy.check(CheckInput(policy: policy, at: instant))
    let errors = outcome.result.diagnostics.filter { $0.severity == .error }.map { $0.code + " " + $0.message }
    let checked = outcome.checked
    return try #require(checked, "\(errors)")
  }

  /// A policy as it was released.
  static func released(
    _ serial: Int64, _ date: String, _ text: String, adding files: [String: [UInt8]] = [:]
  ) throws -> ReleasedManifest {
    let issued = try instant(date)
    let manifest = try checked(text, at: issued, adding: files).lowered(
      as: Release(serial: serial, issued: issued, previous: nil, commit: nil, compiler: "test"))
    let loaded = try Rehearsal().load(manifest)
    return ReleasedManifest(
      name: "serial \(serial)", serial: serial, issued: issued, digest: try loaded.signedDigest(), loaded: loaded)
  }

  static func question(
    _ text: String, released: [ReleasedManifest] = [], adding files: [String: [UInt8]] = [:],
    _ change: (inout RotationQuestion) throws -> Void = { _ in }
  ) throws -> RotationQuestion {
    let now = try instant(now)
    var question = RotationQuestion(policy: try checked(text, at: now, adding: files), released: released, now: now)
    try change(&question)
    return question
  }

  static func world(
    _ text: String, released: [ReleasedManifest] = [], adding files: [String: [UInt8]] = [:],
    _ change: (inout RotationQuestion) throws -> Void = { _ in }
  ) throws -> RotationWorld {
    try RotationWorld.build(question(text, released: released, adding: files, change), compiler: "pintle test")
  }
}

/// A scenario's servers as lines: `host:port`, and for each phase when it begins and what is presented.
func describe(_ servers: [Server], names: [Pin: String] = [:]) -> [String] {
  servers.flatMap { server in
    server.phases.map { phase in
      let views = describe(phase.views, names)
      let others = phase.otherViews.sorted { $0.key < $1.key }.map { " | \($0.key): " + describe($0.value, names) }
      let date = phase.begin.description.prefix(10)
      return "\(server.label) \(date) \(phase.source) " + views + others.joined()
    }
  }
}

private func describe(_ views: [ClientView], _ names: [Pin: String]) -> String {
  views.map { view in
    let kind = view.kind.map { "<\($0)> " } ?? ""
    return kind + view.landings.map { describe($0, names) }.joined(separator: ", ")
  }.joined(separator: "; ")
}

private func describe(_ landing: Landing, _ names: [Pin: String]) -> String {
  let place = landing.place.map { " (\($0))" } ?? ""
  let pins = landing.trust.chain.pins.map { pin in pin.map { names[$0] ?? letter($0) } ?? "?" }
  let chain = "[" + pins.joined(separator: " ") + "]"
  switch landing.trust {
  case .refused(let reason, _, _): return chain + " refused: \(reason)" + place
  case .trusted(_, let until):
    return chain + (until.map { " until " + $0.instant.description.prefix(10) } ?? "") + place
  }
}

private func letter(_ pin: Pin) -> String { String(UnicodeScalar(pin.digest.bytes[0])) }
