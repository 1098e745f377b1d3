import Diagnostics
import OpenSSLKit
import PinPolicy

extension Rule {
  /// A key that isn't what the policy states.
  static let algorithmContradictsFile = Rule(
    code: "P339",
    name: "algorithm-contradicts-file",
    severity: .error,
    title: "A key's algorithm isn't the one that the policy states.",
    rationale: """
      `algorithm:` says what a key is where the policy has only its pin. Here a file, a certificate of `trust`, or a server
      shows that the key is something else. One of the two is a mistake: the pin may be that of another key than the one
      that was meant. A file always shows the algorithm, so beside `file:` the field isn't needed.
      """,
    failing: Example(example("ec-p256")),
    passing: Example(example("rsa")),
    citation: "docs/policy.md#what-clients-verify",
    check: .policy { input in
      let policy = input.policy
      return policy.keys.compactMap { key in
        guard let stated = key.statedAlgorithm, let shown = input.knownKeys.contradiction(of: key) else { return nil }
        return Finding(
          at: stated.place,
          "'algorithm' of key '\(key.name.value)' is \(stated.value.rawValue), but the key is \(shown.title)",
          related: [Diagnostic.Related("the key", at: key.sourcePlace)],
          help: "Remove 'algorithm:' if this is the right key. Otherwise correct the file or the pin.")
      }
    })

  private static func example(_ algorithm: String) -> String {
    """
    version: 1
    keys:
      api: { file: keys/strong-rsa.pem, algorithm: \(algorithm) }
    """
  }
}
