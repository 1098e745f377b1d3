import Diagnostics
import PinFormat
import PinPolicy
import PinRotation

extension Rule {
  /// A new denial that some clients can't enforce.
  static let denialNotEnforced = Rule(
    code: "P618",
    name: "denial-not-enforced",
    severity: .warning,
    title: "Clients that see only the leaf can't enforce a new denial.",
    rationale: """
      A denied key blocks wherever it is in the validated chain. A client whose transport shows it only the leaf, such as
      AsyncHTTPClient, compares the leaf with every denied key and can't see the rest. It keeps working, and counts each
      such connection as the event `denials-leaf-only`. In an emergency it matters which clients are protected, so the
      diff says it before the release. If the policy doesn't say which kinds of clients there are, the finding is a note.
      """,
    failing: denyingRoot(clients: "leaf-only"),
    passing: denyingRoot(clients: "full-chain"),
    citation: "docs/transports.md#denied-keys-above-the-leaf",
    check: .rotation { _, facts in facts.denialsNotEnforced })

  private static func denyingRoot(clients: String) -> Example {
    let lines = RotationLines.api("api-2025", backup: "spare")
    var example = Example.rotation(
      lines, keys: ["root": "denied: its CA was broken into"], after: .rotation(6, on: "2026-05-01", lines))
    let window = "client-max-age: 90d"
    example.files = example.files.map { file in
      Example.File(path: file.path, text: file.text.replacing(window, with: window + ", clients: [\(clients)]"))
    }
    return example
  }
}

extension RotationFacts {
  fileprivate var denialsNotEnforced: [Finding] {
    let clients = policy.settings?.views ?? []
    let leafOnly = clients.first { $0.value == .leafOnly }
    guard clients.isEmpty || leafOnly != nil else { return [] }
    return rotation.changes.denials.filter { $0.isDenied && $0.key.position != .leaf }.map { change in
      let key = key(change.key.pin)
      let who = leafOnly == nil ? "clients that see only the leaf" : "leaf-only clients"
      return Finding(
        at: key?.denied?.place ?? releasePlace,
        "\(who) can't enforce the denial of '\(name(change.key.pin))' above the leaf",
        related: leafOnly.map { [Diagnostic.Related("they are listed here", at: $0.place)] } ?? [],
        help: leafOnly == nil
          ? "If it is a leaf's key, add 'position: leaf'. Otherwise say with 'clients:' in 'manifest:' which kinds there are."
          : Wording.denialAboveLeaf,
        severity: leafOnly == nil ? .note : nil)
    }
  }
}
