import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

extension Rule {
  /// Pins that match depending on the client's trust store.
  static let storeDependentPins = Rule(
    code: "P522",
    name: "store-dependent-pins",
    severity: .error,
    title: "The pins match under one trust store or on one path, but not on another.",
    rationale: """
      If roots are cross-signed, several paths lead from one server to an anchor, and which one a client takes depends on
      its trust store. A pin on a root matches only if the path ends there, and a key with `position: root` doesn't match
      if its certificate is signed by another root. Then an update of a system's trust store locks clients out, although the
      policy didn't change.
      """,
    failing: .live("cross-signed", crossSigned, keys("position: root, ")),
    passing: .live("cross-signed", crossSigned, keys("")),
    citation: "docs/validation.md#which-path",
    check: .live { _, facts in
      facts.targets.compactMap { target in
        guard let group = PinMismatches(facts, target).dependent else { return nil }
        return target.finding(
          group.message, related: group.related, help: group.helpForPaths, severity: group.severity)
      }
    })

  private static let crossSigned = """
    The server sends a cross-certificate as well, by which the old root vouches for the new one. The trust store 'old' \
    has the old root, 'system' has the new one.
    """

  private static func keys(_ position: String) -> String {
    """
      new-root: { \(position)file: keys/example-root.pem }
    hosts:
      - host: api.example.com
        keys: { active: [new-root], backup: [other-root] }
    """
  }
}

extension PinMismatchGroup {
  /// What would match on each path, where there is such a key.
  fileprivate var helpForPaths: String {
    let chains = failing.map(\.judged.path.chain) + others.map(\.path.chain)
    let pins = chains.map { chain in Set(chain.compactMap { facts.record($0)?.pin }) }
    let common = pins.dropFirst().reduce(pins.first ?? []) { $0.intersection($1) }
    // The CAs of the first path, starting at the anchor, because those near the anchor last longer.
    let shared = (chains.first ?? []).dropFirst().reversed().compactMap { facts.record($0) }
      .filter { $0.pin.map(common.contains) ?? false }
    let misplaced = failing.flatMap(\.mismatch.misplaced).map(\.key)
    let position =
      misplaced.first.map { "Remove 'position:' from '\($0)', so that it counts on every path; or pin" } ?? "Pin"
    let keys =
      shared.isEmpty
      ? "a key of each path"
      : "a key that is on every path: \(Wording.list(shared.map { CertificateText.name($0) }, joinedBy: "or"))"
    return
      "\(position) \(keys). Or name the anchors in this entry, 'trust: { anchors: [FILE], reason: … }': then all clients "
      + "take the same path."
  }
}
