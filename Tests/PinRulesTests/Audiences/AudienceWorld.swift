import PinFormat
import PinPolicy
import PinRelease
import PinRotation
import PinRules
import PinValidator
import PolicySupport
import ReleaseSupport
import TestSupport
import Testing

/// Policies with audiences by chance, in few names, so that entries meet often.
struct AudienceWorld {
  static let names: [String] = {
    var names = ["example.com"]
    for first in ["a", "b"] {
      names.append("\(first).example.com")
      for second in ["a", "c"] {
        names.append("\(second).\(first).example.com")
        names.append("x.\(second).\(first).example.com")
      }
    }
    return names + ["other.example"]
  }()
  static let ports: [UInt16] = [443, 8443, 25]
  static let instant = SmallPolicy.release.issued

  struct Entry {
    var name: String
    var port: UInt16?
    var coversSubdomains: Bool
    var mode: String
    var set: String
    var audiences: String
  }

  private static let pins = (0..<6).map { number in
    var chance = SeededGenerator(seed: UInt64(number))
    return SHA256Digest(chance.bytes(32)).map { Pin($0).description } ?? ""
  }

  var entries: [Entry] = []
  /// Fields of `staging`.
  var overlays: [String] = []
  var unpinnedHosts = "allow"
  /// The names of the slice.
  var sliced: [String] = []

  static func random(_ chance: inout SeededGenerator) -> AudienceWorld {
    var world = AudienceWorld()
    var taken: Set<String> = []
    for _ in 0..<(2 + chance.below(7)) {
      let port = chance.once(in: 2) ? nil : chance.pick(ports)
      let name = chance.pick(names)
      guard taken.insert("\(name):\(port ?? 0)").inserted else { continue }
      world.entries.append(
        Entry(
          name: name, port: port, coversSubdomains: chance.once(in: 2),
          mode: chance.pick(["enforce", "report-only", "off"]),
          set: chance.pick(["one", "two"]),
          audiences: chance.pick(["", "", "", "production", "staging"])))
    }
    world.unpinnedHosts = chance.pick(["allow", "deny"])
    let own = world.entries.filter { $0.audiences != "staging" }
    for _ in 0...chance.below(2) {
      // Mostly names that an entry covers: without one, the slice is an error.
      let entry = own.isEmpty || chance.once(in: 8) ? nil : chance.pick(own)
      let below =
        entry.map { entry in names.filter { entry.coversSubdomains && $0.hasSuffix("." + entry.name) } } ?? names
      world.sliced.append(below.isEmpty ? entry?.name ?? names[0] : chance.pick(below))
    }
    for entry in world.entries where entry.audiences != "production" && chance.once(in: 2) {
      let port = entry.port.map { ", port: \($0)" } ?? ""
      world.overlays.append(
        "{ host: \(entry.name)\(port), \(chance.pick(["mode: off, reason: x", "mode: enforce, keys: three", "as: new.example"])) }"
      )
    }
    return world
  }

  /// The policy's text.
  func text(overlays: Bool = true, slice: String = "") -> String {
    var lines = [
      "version: 1", "manifest:", "  unpinned-hosts: \(unpinnedHosts)", "  audiences:",
      "    production: { refresh-after: 1d }", "    qa: { refresh-after: 1h }", "    staging:",
      "      refresh-after: 2h",
    ]
    if overlays, !self.overlays.isEmpty { lines += ["      overlays:"] + self.overlays.map { "        - \($0)" } }
    if !sliced.isEmpty {
      lines.append("    payments: { slice-of: production, hosts: [\(sliced.joined(separator: ", "))]\(slice) }")
    }
    lines += ["keys:"]
    for number in 0..<6 {
      let denied = number == 5 ? ", denied: lost" : ""
      lines.append("  k\(number): { pin: \(Self.pins[number])\(denied) }")
    }
    lines += [
      "key-sets:", "  one: { active: [k0], backup: [k1] }", "  two: { active: [k2], backup: [k3] }",
      "  three: { active: [k4], backup: [k0] }", "hosts:",
    ]
    for entry in entries {
      var fields = ["host: \(entry.name)", "include-subdomains: \(entry.coversSubdomains)", "mode: \(entry.mode)"]
      if let port = entry.port { fields.append("port: \(port)") }
      fields.append(
        entry.mode == "off" ? "reason: x" : "keys: \(entry.set), expires: 2027-06-01, on-expiry: report-only")
      if !entry.audiences.isEmpty { fields.append("audiences: [\(entry.audiences)]") }
      lines.append("  - { \(fields.joined(separator: ", ")) }")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  static func policy(_ text: String, for audience: String) throws -> Policy {
    try ExampleFiles.resolve(["policy.yaml": text], for: audience)
  }

  /// What the audience's manifest would say; nil where it would have errors or no hosts.
  static func manifest(_ text: String, for audience: String) throws -> Manifest? {
    let policy = try policy(text, for: audience)
    let outcome = CheckedPolicy.check(CheckInput(policy: policy, at: instant))
    guard !policy.hosts.isEmpty, let checked = outcome.checked else { return nil }
    var manifest = try checked.lowered(
      as: Release(serial: 1, issued: instant, previous: nil, commit: nil, compiler: "test"))
    // The digest of the sources is another one whenever a file changes.
    let none = try #require(SHA256Digest([UInt8](repeating: 0, count: 32)))
    manifest.provenance = Manifest.Provenance(sources: none, commit: nil, compiler: "test")
    return manifest
  }

  /// The answers of a manifest for a name: entry, verdict and events, for each port and chain.
  static func answers(_ loaded: LoadedManifest, _ name: String) -> [String] {
    let pins = loaded.manifest.keys.map(\.pin)
    let chains: [[Pin?]] = [[nil]] + pins.map { [nil, $0] } + pins.map { [$0] }
    return ports.flatMap { port -> [String] in
      func label(_ number: Int) -> String { loaded.manifest.hosts[number].label }
      switch loaded.govern(host: name, port: port, at: instant) {
      case .answered(let verdict): return ["\(port) \(Self.text(verdict, loaded))"]
      case .pinned(let entry):
        return chains.map { chain in
          "\(port) \(label(entry.number)) \(chain) \(Self.text(loaded.decide(PresentedChain(chain), for: entry), loaded))"
        }
      }
    }
  }

  /// A verdict without numbers of entries and keys, which are another manifest's own.
  private static func text(_ verdict: Verdict, _ loaded: LoadedManifest) -> String {
    switch verdict {
    case .allow(_, let context): "allow \(context.events)"
    case .notPinned(let reason, let context): "not pinned \(reason) \(context.events)"
    case .block(let reason, let context):
      if case .deniedKey(let match) = reason {
        "block \(loaded.manifest.keys[match.key].name) \(context.events)"
      } else {
        "block \("\(reason)".prefix { $0 != "(" }) \(context.events)"
      }
    }
  }
}
