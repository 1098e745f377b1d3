package import Diagnostics
import Glibc
import OpenSSLKit
package import PinFormat
package import PinPolicy
package import PinValidator

/// Whose signatures on manifests count: those of keys that are named one by one, or of a keyset.
package struct Trust {
  private enum Source {
    case keys([[UInt8]], threshold: Int)
    /// What was walked to reach the version that counts, which is the newest.
    case keyset(KeysetWalk)
  }

  private let source: Source

  /// The options that said so, for commands that messages propose: `--keyset PATH`, or `--key PATH` for each; none where
  /// keys are at hand anyway.
  package private(set) var options: [String] = []

  /// Reads what the options name.
  ///
  /// - Parameters:
  ///   - keys: Paths of public keys.
  ///   - threshold: How many of them must have signed; 1 unless given.
  ///   - keyset: A keyset file that is trusted as shipped, or a folder of all versions.
  ///   - audience: The environment that a keyset must be for; any where nil.
  /// - Returns: nil where no option names anybody.
  /// - Throws: ``WorkFailure``, with exit status 6 where the keyset is refused.
  package static func load(
    keys: [String], threshold: Int?, keyset: String?, audience: String? = nil
  ) throws(WorkFailure) -> Trust? {
    if let keyset {
      guard keys.isEmpty, threshold == nil else {
        throw WorkFailure(
          .usage, "--keyset can't be combined with --key or --threshold",
          help: "Give either the keyset or the keys.")
      }
      var trust = Trust(source: .keyset(try KeysetFiles.walk([keyset], audience: audience)))
      trust.options = ["--keyset", keyset]
      return trust
    }
    guard !keys.isEmpty else { return nil }
    var trust = Trust(source: .keys(try SigningKeyFile.publicKeys(keys), threshold: threshold ?? 1))
    trust.options = keys.flatMap { ["--key", $0] }
    return trust
  }

  /// Keys that are at hand as SubjectPublicKeyInfo, one of which must have signed.
  package init(publicKeys: [[UInt8]]) {
    source = .keys(publicKeys, threshold: 1)
  }

  /// The signers of the newest version of a keyset; those of earlier ones too, on what was released.
  package init(_ walk: KeysetWalk) {
    source = .keyset(walk)
  }

  private init(source: Source) {
    self.source = source
  }

  /// What to say where no option names anybody; if the file isn't there either, that comes first.
  package static func missing(for path: String) -> WorkFailure {
    if path != "-", access(path, F_OK) != 0 {
      do throws(WorkFailure) { _ = try InputFile.read(path, limit: 0) } catch { return error }
    }
    return WorkFailure(
      .usage, "pass --key to verify '\(path)'",
      help: "Give the public key of each signer: --key release.key.pub; or the keyset: --keyset 1.keyset.json.")
  }

  /// The keyset that counts, where one does.
  package var keyset: TrustedKeyset? {
    if case .keyset(let walk) = source { walk.newest } else { nil }
  }

  /// The file of the keyset that counts.
  package var keysetPath: String? {
    if case .keyset(let walk) = source { walk.steps.last?.path } else { nil }
  }

  /// All versions of the keyset that were given, in order; none where keys are named one by one.
  package var keysets: [TrustedKeyset] {
    if case .keyset(let walk) = source { walk.steps.map(\.trusted) } else { [] }
  }

  /// The names of the newest keyset's signers; nil where keys are named one by one.
  package var signerNames: [String]? { keyset?.keyset.signers.keys }

  /// SubjectPublicKeyInfo of everybody whose signature on a manifest counts.
  package var publicKeys: [[UInt8]] {
    switch source {
    case .keys(let keys, _): keys
    case .keyset(let walk):
      walk.newest.keyset.signers.keys.compactMap { walk.newest.keyset.key($0)?.subjectPublicKeyInfo }
    }
  }

  /// Everybody whose signature clients may have to verify, on manifests or on keysets.
  package var kinds: [(label: String, kind: Policy.SignerKind)] {
    switch source {
    case .keys(let keys, _): keys.compactMap { key in Policy.SignerKind(of: key).map { ("a signer", $0) } }
    case .keyset(let walk):
      walk.newest.keyset.keys.compactMap { key in
        Policy.SignerKind(of: key.subjectPublicKeyInfo).map { ("'\(key.name)'", $0) }
      }
    }
  }

  /// Signers with the names that the keyset gives them, where there is one.
  package func signers(_ keyIDs: [SHA256Digest]) -> [(keyID: SHA256Digest, name: String?)] {
    guard case .keyset(let walk) = source else { return keyIDs.map { ($0, nil) } }
    let keyrings = walk.steps.reversed().compactMap { try? Keyring($0.trusted.keyset) }
    return keyIDs.map { id in (id, keyrings.lazy.compactMap { $0[id]?.name }.first) }
  }

  /// A signer as messages name it: by its name and its id, or by its id alone.
  package static func label(_ keyID: SHA256Digest, _ name: String?) -> String {
    name.map { "\($0) (\(keyID.hex))" } ?? keyID.hex
  }

  /// Verifies a manifest as a client would that has the newest keyset, and reads it only then.
  package func load(_ path: String, audience: String?) throws(WorkFailure) -> VerifiedFile {
    try load(InputFile.read(path, limit: InputFile.manifestLimit), of: path, audience: audience)
  }

  /// Verifies the bytes of a manifest that were read already.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - path: The file as messages name it.
  ///   - audience: The environment that it must be for; any where nil.
  ///   - against: What clients have, for a message that proposes to sign the file; nil if it is released.
  /// - Returns: The manifest.
  /// - Throws: ``WorkFailure``, with exit status 6 where it is refused.
  package func load(
    _ bytes: [UInt8], of path: String, audience: String?, against: String? = "BASELINE"
  ) throws(WorkFailure) -> VerifiedFile {
    let signing = against.map { ["--against", $0] + options }
    switch source {
    case .keys(let keys, let threshold):
      return try VerifiedFile.load(
        bytes, of: path, trusted: keys, threshold: threshold, audience: audience, signedWith: signing)
    case .keyset(let walk):
      return try VerifiedFile.load(bytes, of: path, by: walk.newest, signedWith: signing)
    }
  }

  /// Verifies a manifest that was released, perhaps long ago: any version of the keyset that was given may endorse it.
  package func loadReleased(_ path: String) throws(WorkFailure) -> VerifiedFile {
    try loadReleased(InputFile.read(path, limit: InputFile.manifestLimit), of: path)
  }

  /// Verifies the bytes of a released manifest that were read already.
  package func loadReleased(_ bytes: [UInt8], of path: String) throws(WorkFailure) -> VerifiedFile {
    guard case .keyset(let walk) = source else { return try load(bytes, of: path, audience: nil) }
    do throws(WorkFailure) {
      return try VerifiedFile.load(bytes, of: path, by: walk.newest, signedWith: nil)
    } catch {
      for step in walk.steps.dropLast().reversed() {
        if let file = try? VerifiedFile.load(bytes, of: path, by: step.trusted, signedWith: nil) { return file }
      }
      throw error
    }
  }

  /// SubjectPublicKeyInfo of everybody whose signature on a keyset counts: the roots of the one that is trusted.
  package var rootKeys: [[UInt8]] {
    switch source {
    case .keys(let keys, _): keys
    case .keyset(let walk):
      walk.newest.keyset.roots.keys.compactMap { walk.newest.keyset.key($0)?.subjectPublicKeyInfo }
    }
  }

  /// Verifies a keyset: as a client takes the next version, or again the one that it has; by keys that are named one by
  /// one, their signatures alone, because a ceremony may be on its way to the threshold of its roots.
  package func verify(keyset bytes: [UInt8], of path: String, audience: String?) throws(WorkFailure) {
    switch source {
    case .keyset(let walk):
      do {
        let next = try walk.newest.successor(bytes)
        // successor() doesn't verify bytes that are known already, so verify their signatures here.
        if next === walk.newest { _ = try TrustedKeyset.load(shipped: bytes, audience: next.audience) }
      } catch {
        throw WorkFailure(.refused, "'\(path)' is rejected: \(error.message) [\(error.code)]")
      }
    case .keys(let keys, let threshold):
      let signers: TrustedSigners
      do {
        signers = try TrustedSigners(publicKeys: keys, threshold: threshold)
      } catch {
        throw WorkFailure(
          .usage, error.message, help: "--threshold is from 1 to the number of different --key files.")
      }
      let envelope: SignatureEnvelope
      do {
        envelope = try SignatureEnvelope(scanning: bytes, as: .keyset)
      } catch {
        throw WorkFailure(.refused, "'\(path)' is rejected: \(error.description)")
      }
      do {
        _ = try signers.verify(envelope, of: bytes, as: .keyset)
      } catch {
        throw WorkFailure(.refused, "'\(path)' is rejected: \(error.message) [\(error.code)]")
      }
      try requireAudience(audience, ofKeyset: bytes, envelope, path)
    }
  }

  private func requireAudience(
    _ audience: String?, ofKeyset bytes: [UInt8], _ envelope: SignatureEnvelope, _ path: String
  ) throws(WorkFailure) {
    let keyset: Keyset
    do {
      keyset = try KeysetReader.read(bytes, signed: envelope.signed)
    } catch {
      throw WorkFailure(.refused, "'\(path)' is rejected: \(error.description)")
    }
    guard let audience, !keyset.audience.utf8.elementsEqual(audience.utf8) else { return }
    throw WorkFailure(
      .refused,
      "'\(path)' is rejected: the keyset is for the audience \"\(keyset.audience)\", not for \"\(audience)\" "
        + "[\(KeysetError.Code.wrongAudience)]")
  }
}

extension Policy.SignerKind {
  /// That of a SubjectPublicKeyInfo; nil for a key that doesn't sign here.
  package init?(of key: [UInt8]) {
    guard let key = try? PublicKey(subjectPublicKeyInfo: key) else { return nil }
    switch try? SigningAlgorithm(key.algorithm) {
    case .ed25519: self = .ed25519
    case .ecdsaP256: self = .ecdsaP256
    case nil: return nil
    }
  }
}
