package import Diagnostics
package import PinFormat
package import PinValidator

/// The way that a client goes from the keyset that it was shipped with to the newest one, a version at a time.
package struct KeysetWalk: Sendable {
  /// A version that is trusted, and the file that it is in.
  package struct Step: Sendable {
    package var path: String
    package var trusted: TrustedKeyset
  }

  /// Where a walk ends before its last file.
  package struct Refusal: Error {
    /// The file that isn't taken.
    package var path: String
    /// The version that stays trusted; nil where the first file is refused.
    package var trusted: TrustedKeyset?
    package var error: KeysetError

    package init(path: String, trusted: TrustedKeyset?, error: KeysetError) {
      self.path = path
      self.trusted = trusted
      self.error = error
    }
  }

  /// The versions, the one that was trusted as shipped first.
  package private(set) var steps: [Step]

  /// Trusts the first file as a client trusts what it was shipped with.
  ///
  /// - Parameters:
  ///   - file: Its bytes.
  ///   - path: Where they were read from.
  ///   - audience: The environment that it must be for; any where nil.
  /// - Throws: ``Refusal``.
  package init(shipped file: [UInt8], path: String, audience: String?) throws(Refusal) {
    do {
      steps = [Step(path: path, trusted: try TrustedKeyset.load(shipped: file, requiredAudience: audience))]
    } catch {
      throw Refusal(path: path, trusted: nil, error: error)
    }
  }

  /// Takes the next file; one that says what the trusted version says changes nothing, as at a client.
  package mutating func take(_ file: [UInt8], path: String) throws(Refusal) {
    let next: TrustedKeyset
    do {
      next = try newest.successor(file)
    } catch {
      throw Refusal(path: path, trusted: newest, error: error)
    }
    if next.version != newest.version { steps.append(Step(path: path, trusted: next)) }
  }

  /// The version that counts.
  package var newest: TrustedKeyset { steps[steps.count - 1].trusted }
}

extension KeysetWalk {
  /// What messages call a key, by the newest version that has it.
  package func member(_ keyID: SHA256Digest) -> Keyring.Member? {
    steps.reversed().lazy.compactMap { (try? Keyring($0.trusted.keyset))?[keyID] }.first
  }
}

/// Files that the signers of manifests sign as well.
extension KeysetWalk {
  /// SubjectPublicKeyInfo of the newest version's signers.
  package var signerKeys: [[UInt8]] { (try? Keyring(newest.keyset))?.signers.map(\.publicKey) ?? [] }

  /// A message with the names of the newest version's keys in the place of their ids.
  package func naming(in message: String) -> String { (try? Keyring(newest.keyset))?.naming(in: message) ?? message }

  /// Checks that the newest version endorses a file: it hasn't expired, and as many of its signers have signed as a
  /// manifest needs.
  ///
  /// - Parameters:
  ///   - signatures: Those on the file, of different keys.
  ///   - message: The pre-authentication encoding of what is signed.
  ///   - path: The file as messages name it.
  ///   - instant: The time.
  /// - Throws: ``WorkFailure``, with exit status 6.
  package func requireEndorsed(
    _ signatures: [SignatureEnvelope.Signature], over message: [UInt8], of path: String, at instant: Instant
  ) throws(WorkFailure) {
    let path = VisibleText.of(path)
    guard instant < newest.expires else {
      throw WorkFailure(
        .refused, "'\(path)' is rejected: version \(newest.version) of the keyset expired \(newest.expires)",
        help: "Get the next version of the keyset.")
    }
    do {
      try newest.signers.verify(signatures, over: message)
    } catch {
      throw WorkFailure(
        .refused, code: error.code.description,
        "'\(path)' is rejected: \(naming(in: error.message)) [\(error.code)]",
        help: error.code == .tooFewSignatures
          ? "Signers of version \(newest.version) of the keyset: "
            + VisibleText.of(newest.keyset.signers.keys.joined(separator: ", ")) + "." : VerifiedFile.changed)
    }
  }
}
