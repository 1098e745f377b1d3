import Diagnostics
import PinPolicy

extension Rule {
  /// A signer whose signatures some clients can't verify.
  static let unverifiableSigner = Rule(
    code: "P216",
    name: "unverifiable-signer",
    severity: .error,
    title: "A signer has a kind of key that some clients can't verify.",
    rationale: """
      `signer-keys:` in the manifest file lists the kinds of signing keys that all clients can verify. Android before 13,
      and Java before 15, can't verify Ed25519. Clients there reject a keyset with an Ed25519 key, and so every later
      release. Replace the key (`pintle keyset next --rotate`). Add `ed25519` to `signer-keys:` only if there are no such
      clients.

      The rule looks at all keys of `--keyset`, at the keys of `--key`, and in `pintle build` at those that sign. In these
      examples, the keyset has an Ed25519 key called 'ci'.
      """,
    failing: .signed(byEd25519: text("ecdsa-p256")),
    passing: .signed(byEd25519: text("ed25519, ecdsa-p256")),
    citation: "docs/policy.md#manifest",
    isSuppressible: false,
    check: .policy(unverifiableSigners))

  private static func text(_ kinds: String) -> String {
    """
    version: 1
    manifest: { audience: production, signer-keys: [\(kinds)] }
    """
  }
}

private func unverifiableSigners(_ input: CheckInput) -> [Finding] {
  guard let kinds = input.policy.settings?.signerKinds, let first = kinds.first else { return [] }
  return Policy.SignerKind.allCases.compactMap { kind in
    let labels = input.signers.filter { $0.kind == kind }.map(\.label)
    guard !labels.isEmpty, !kinds.contains(where: { $0.value == kind }) else { return nil }
    let (have, signers) =
      labels.count == 1 ? ("has an", "this signer an") : ("each have an", "each of these signers an")
    return Finding(
      at: first.place, "\(labels.listed()) \(have) \(kind.title) key, which some clients can't verify",
      help:
        "Give \(signers) \(first.value.title) key ('pintle key --algorithm \(first.value.rawValue)'), and make a "
        + "keyset with it. If all clients can verify \(kind.title), add '\(kind.rawValue)' to 'signer-keys:'.")
  }
}

extension Policy.SignerKind {
  fileprivate var title: String {
    switch self {
    case .ed25519: "Ed25519"
    case .ecdsaP256: "ECDSA P-256"
    }
  }
}
