#if !CryptoKit
package import OpenSSLKit

/// One way from a leaf to an anchor, and what trust evaluation makes of it: for tools that explain.
package struct ExaminedPath: Sendable {
  /// Leaf to anchor, or as far as it could be built; only ``ValidatedChain`` may be matched.
  package let certificates: [Certificate]
  package let evaluation: TrustEvaluation
  /// What an exception of the policy excused, also where something else failed.
  package let excused: [ExcusedFailure]
  /// How many signatures were verified, at most, until this path was chosen.
  package let signatures: Int

  /// What trust evaluation found wrong, the gravest first; empty where the path is valid.
  package var failures: [TrustFailure] {
    if case .refused(let failures) = evaluation { failures } else { [] }
  }

  /// The validated chain; nil where something is wrong.
  package var validated: ValidatedChain? {
    if case .trusted(let chain, _) = evaluation { chain } else { nil }
  }
}
#endif
