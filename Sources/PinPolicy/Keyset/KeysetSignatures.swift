package import OpenSSLKit
package import PinFormat

/// Whose signatures a keyset file bears, and whose it still needs until a client takes it.
package struct KeysetSignatures: Sendable {
  /// One threshold: of the roots of the version before, or of its own.
  package struct Tally: Hashable, Sendable {
    /// The version whose roots these are.
    package var version: Int64
    package var threshold: Int
    /// Names of the roots whose signatures are there and right.
    package var signed: [String]
    /// Names of the roots who haven't signed.
    package var open: [String]

    package init(version: Int64, threshold: Int, signed: [String], open: [String]) {
      self.version = version
      self.threshold = threshold
      self.signed = signed
      self.open = open
    }

    /// How many signatures it still lacks.
    package var missing: Int { max(0, threshold - signed.count) }
  }

  /// The version before's, where there is one, then its own.
  package private(set) var tallies: [Tally] = []
  /// Names of roots whose signatures don't fit the signed bytes: these or they were changed.
  package private(set) var invalid: [String] = []
  /// The keys of signatures that no threshold counts.
  package private(set) var strangers: [SHA256Digest] = []

  /// Verifies the signatures of all roots.
  ///
  /// - Parameters:
  ///   - file: The keyset, which may be a draft.
  ///   - previous: The keys of the version before; nil for a first version.
  /// - Throws: ``CryptoError`` where libcrypto fails.
  package init(of file: KeysetFile, after previous: KeysetFile?) throws(CryptoError) {
    let message = SignatureEnvelope.preAuthenticationEncoding(of: file.signed, as: .keyset)
    var right: Set<SHA256Digest> = []
    for signature in file.signatures {
      let members = [file.keyring[signature.keyID], previous?.keyring[signature.keyID]].compactMap(\.self)
      guard let root = members.first(where: \.isRoot) else {
        strangers.append(signature.keyID)
        continue
      }
      if try root.signed(message, signature.bytes) { right.insert(root.keyID) } else { invalid.append(root.name) }
    }
    for version in [previous, file].compactMap(\.self) {
      let roots = version.keyring.roots
      tallies.append(
        Tally(
          version: version.keyset.version, threshold: version.keyset.roots.threshold,
          signed: roots.filter { right.contains($0.keyID) }.map(\.name),
          open: roots.filter { !right.contains($0.keyID) }.map(\.name)))
    }
  }

  /// True where every threshold is reached and no root's signature is wrong: a client takes it.
  package var isComplete: Bool { invalid.isEmpty && tallies.allSatisfy { $0.missing == 0 } }
}
