import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// A denial of which leaf-only clients enforce the smaller part.
  static let denialAboveLeaf = Rule(
    code: "P215",
    name: "denial-above-leaf",
    severity: .note,
    title: "Leaf-only clients can't see a denied key that is above the leaf.",
    rationale: """
      `clients:` lists clients whose transport shows them only the leaf. They compare the leaf with every denied key, and
      can't see whether one of them is above it. They keep working: each such connection is the event
      `denials-leaf-only`, and the keys are listed in the client's status. A denied key with `position: leaf` isn't
      reported, because a leaf's key is where these clients look.
      """,
    failing: Example(text(clients: "full-chain, leaf-only")),
    passing: Example(text(clients: "full-chain")),
    citation: "docs/transports.md#denied-keys-above-the-leaf",
    check: .policy(denialsAboveLeaf))

  private static func text(clients: String) -> String {
    """
    version: 1
    manifest: { audience: production, clients: [\(clients)] }
    keys:
      example-intermediate: { file: keys/example-intermediate.pem, denied: its CA was broken into }
    """
  }
}

private func denialsAboveLeaf(_ input: CheckInput) -> [Finding] {
  guard let leafOnly = input.policy.leafOnlyClients else { return [] }
  return input.keyFacts.keys(with: .isDenied).map { input.policy.keys[$0] }.compactMap { key in
    guard let denied = key.denied, key.position?.value != .leaf else { return nil }
    return Finding(
      at: denied.place, "leaf-only clients can't enforce the denial of '\(key.name.value)' above the leaf",
      related: [Diagnostic.Related("they are listed here", at: leafOnly.place)], help: Wording.denialAboveLeaf)
  }
}

extension Policy {
  /// Where the policy says that some clients see the leaf alone; nil where it doesn't.
  var leafOnlyClients: Located<ClientKind>? { settings?.clients.first { $0.value == .leafOnly } }
}

extension Wording {
  /// What to do about a denied key that leaf-only clients can't see.
  static let denialAboveLeaf =
    "If it is a leaf's key, add 'position: leaf'. Otherwise give these clients the intermediates, or a transport that "
    + "sees the whole chain; until then their pins at the leaf are what protects them."
}
