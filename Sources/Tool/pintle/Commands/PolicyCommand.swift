import ArgumentParser
import Diagnostics
import PinFormat
import PinPolicy
import PinRelease
import PinStudies

/// `pintle policy`: the resolved policy as data.
struct PolicyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "policy",
    abstract: "Show the resolved policy: hosts, keys, owners and dates, as a list or as data.",
    discussion: """
      Reads the policy, fills in defaults, and applies audiences and overlays. Text lists each host entry with its keys, \
      and then the keys that no host has and those that are denied. CSV has a row for each host and key, and for \
      each of these keys a row with an empty host. --expires-within shows only what ends within that time: an entry at \
      its expiry, or the certificate of one of its keys.

      JSON has all that the policy says, in the words of policy files; each object has 'places', which give the file, \
      line and column of each value. CycloneDX 1.6 has keys and certificates as cryptographic assets, and hosts as \
      services that depend on them.

      With --against, each key also has the releases that clients may still run and that accept it for the host.

      EXAMPLES:
        pintle policy
        pintle policy policies --expires-within 90d
        pintle policy policies --owner web-security@example.com --format csv
        pintle policy policies --against released --key release.key.pub --format csv
        pintle policy policies --format json
      """)

  /// How the policy is written.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case json
    case csv
    case cyclonedx
  }

  @Argument(help: .policyPaths, completion: .file())
  var paths: [String] = ["policies"]

  @Option(help: .audience)
  var audience: String?

  @OptionGroup var against: AgainstOptions

  @Option(
    help: ArgumentHelp("Only what ends within this time: 90d, 12h, 30m.", valueName: "duration"),
    transform: Self.duration)
  var expiresWithin: Int64?

  @Option(help: ArgumentHelp("Only this key of the policy, and the hosts that use it.", valueName: "key"))
  var uses: String?

  @Option(help: ArgumentHelp("Only entries and keys of this owner.", valueName: "owner"))
  var owner: String?

  @OptionGroup var time: TimeOption

  @Option(help: "text, json, csv or cyclonedx.")
  var format = Format.text

  private static func duration(_ text: String) throws -> Int64 {
    guard let seconds = WrittenDuration.seconds(text) else {
      throw ValidationError("Write a duration in days, hours or minutes: 90d, 12h, 30m.")
    }
    return seconds
  }

  func run() throws {
    let instant = time.instant
    let policies = try LoadedPolicy.loadEach(paths, audience: audience)
    let filter = KeyInventory.Filter(end: expiresWithin.map { instant.adding(seconds: $0) }, key: uses, owner: owner)
    try refuseUnknownNames(in: policies.map(\.policy))
    var inventories: [KeyInventory] = []
    for policy in policies {
      try policy.requireWhollyRead()
      let released =
        against.against == nil
        ? nil : try against.load(policy: paths[0], for: policy.oneOfSeveral)
      inventories.append(KeyInventory(policy, released: released, at: instant, filter))
    }
    switch format {
    case .text: try Console.write(KeyInventory.text(inventories))
    case .json: try Console.write(ResolvedPolicyJSON(inventories).text())
    case .csv: try Console.write(KeyInventory.csv(inventories))
    case .cyclonedx: try Console.write(CryptographyBOM(inventories, at: instant).json())
    }
  }

  /// Refuses what no part of the policy has: an empty list would say that there is nothing to do.
  private func refuseUnknownNames(in policies: [Policy]) throws(CommandFailure) {
    let keys = Set(policies.flatMap(\.keys).map(\.name.value))
    let owners = Set(
      policies.flatMap { $0.files.compactMap(\.owner?.value) + $0.hosts.compactMap(\.owner?.value) })
    for (name, known, noun) in [(uses, keys, "key"), (owner, owners, "owner")] {
      guard let name, !known.contains(name) else { continue }
      throw CommandFailure(
        .usage, "the policy has no \(noun) '\(VisibleText.of(name))'",
        help: Suggestion.nearest(to: name, among: known.sorted()).map { "Did you mean '\(VisibleText.of($0))'?" }
          ?? "'pintle policy' lists all of them.")
    }
  }
}
