import PinFormat
import PinPolicy
import PinValidator

/// The steps from a file to a signature on it, each of which may refuse.
struct SigningCeremony {
  /// The file as messages name it.
  let path: String
  let trust: Trust?
  /// Those whose signatures count; nil where nobody said.
  let known: KnownSigners?
  let instant: Instant

  /// Looks who the options say may sign.
  init(path: String, verification: VerificationOptions, at instant: Instant) throws(CommandFailure) {
    self.path = path
    self.instant = instant
    trust = try verification.trust()
    if let trust {
      known = try KnownSigners(trust, paths: verification.keys, threshold: verification.threshold ?? 1)
    } else {
      known = nil
    }
  }

  /// Reads the file, and refuses what no client would take, no matter who signs it.
  ///
  /// - Parameters:
  ///   - audience: The environment that it must be for; any where nil.
  ///   - required: Paths of public keys that must have signed already.
  /// - Returns: The file, ready to be shown.
  /// - Throws: ``CommandFailure``, with exit status 6 where it is refused.
  func read(audience: String?, signedBy required: [String]) throws(CommandFailure) -> SignableManifest {
    let bytes = try Input.read(path, limit: .manifest)
    let file: SignableManifest
    do throws(SigningError) {
      file = try SignableManifest(bytes)
      _ = try file.signers(among: known?.keys ?? [])
    } catch {
      if let other = WrongFile.failure(path, bytes, needed: .manifest), !error.isOfKeyset { throw other }
      throw failure(error)
    }
    if !required.isEmpty {
      let keys = try SigningKeyFile.publicKeys(required)
      _ = try VerifiedFile.load(bytes, of: path, trusted: keys, threshold: Set(keys).count, audience: nil)
    }
    if let audience, !audience.utf8.elementsEqual(file.manifest.audience.utf8) {
      throw refusal("it is for the audience '\(file.manifest.audience)', not for '\(audience)'")
    }
    guard instant < file.manifest.expires else {
      throw refusal(
        "it expired \(file.manifest.expires), and clients treat it as stale",
        help: "Build it again. If this machine's clock is wrong, pass the time with --at.")
    }
    if let keyset = trust?.keyset { try check(file.manifest, by: keyset) }
    return file
  }

  /// What a client asks besides signatures that has the keyset.
  private func check(_ manifest: Manifest, by trusted: TrustedKeyset) throws(CommandFailure) {
    let keyset = trusted.keyset
    guard keyset.audience.utf8.elementsEqual(manifest.audience.utf8) else {
      throw refusal("it is for the audience '\(manifest.audience)', and the keyset is for '\(keyset.audience)'")
    }
    guard manifest.serial >= keyset.minimumSerial else {
      throw refusal(
        "its serial \(manifest.serial) is below \(keyset.minimumSerial), the least that version \(keyset.version) of the "
          + "keyset accepts",
        help: "Build it with a higher serial.")
    }
    guard instant < keyset.expires else {
      throw refusal(
        "version \(keyset.version) of the keyset expired \(keyset.expires), and clients accept no further manifest with it",
        help: "Renew the keyset first. Where this machine's clock is wrong, give the time with --at.")
    }
  }

  /// Finds the release that it is compared with, and refuses what doesn't follow from it.
  ///
  /// - Throws: ``CommandFailure``: with exit status 6 where the release is refused or is for another audience, 3 where
  ///   the manifest doesn't follow from it, 64 where none was named.
  func compare(
    _ file: SignableManifest, _ options: ReleaseComparisonOptions
  ) throws(CommandFailure) -> SigningReview.Comparison {
    guard let against = options.against else {
      guard file.manifest.previous != nil else { return .first }
      guard options.withoutComparison else {
        throw CommandFailure(
          .usage, "'\(path)' follows a release, and nothing says what it changes of it",
          help: "Give the last release with --against, or sign all of it as it is with --without-comparison.")
      }
      return .unasked
    }
    guard let trust else { throw Trust.missing(for: against) }
    let files = ReleasedFiles(trust: trust)
    let released = ReleasedSource.isDirectory(against) ? try files.directory(against) : [try files.file(against)]
    do {
      return .release(
        try Succession.find(
          of: file.loaded, digest: file.digest, after: released, allowsGap: options.skippedRelease))
    } catch {
      throw CommandFailure(
        error.isOfAudience ? .refused : .unsafeRotation, "'\(path)' isn't signed: \(error.message)", help: error.help)
    }
  }

  /// Has it signed, by those only whose signatures count.
  func sign(_ file: SignableManifest, by signers: [Signer]) throws(CommandFailure) -> SignedManifest {
    for signer in signers where !signer.keys.contains(where: { counts($0.id) }) { throw stranger(signer.keys[0].id) }
    let signed: SignedManifest
    do { signed = try file.signed(by: signers) } catch { throw failure(error) }
    // A command that may sign with several keys has said only now with which.
    for id in signed.added where !counts(id) { throw stranger(id) }
    return signed
  }

  /// Refuses to write over a file that somebody else has signed meanwhile.
  func requireUnchanged(_ file: SignableManifest, writingTo output: String?) throws(CommandFailure) {
    guard path != "-", output.map({ Output.isSame($0, path) }) ?? true else { return }
    guard try Input.read(path, limit: .manifest) == file.file else {
      throw CommandFailure(
        .failed, "'\(path)' isn't what it was when it was shown: somebody changed it meanwhile",
        help: "Nothing was written. Look at it again.")
    }
  }

  /// With keys that are named one by one, the signer's own need not be among them.
  private func counts(_ keyID: SHA256Digest) -> Bool {
    guard trust?.keyset != nil, let known else { return true }
    return known.contains(keyID)
  }

  private func stranger(_ keyID: SHA256Digest) -> CommandFailure {
    let names = known?.members.map(\.name).joined(separator: ", ") ?? ""
    return refusal(
      "the key \(keyID.hex) is not a signer of the keyset, so clients would ignore its signature",
      help: "Its signers are \(names).")
  }

  private func refusal(_ message: String, help: String? = nil) -> CommandFailure {
    CommandFailure(.refused, "'\(path)' isn't signed: \(message)", help: help)
  }

  private func failure(_ error: SigningError) -> CommandFailure {
    if case .invalidSignature(let key) = error {
      return refusal(
        "the signature of \(known?.name(of: key) ?? key.hex) doesn't fit the signed bytes: one of them was changed",
        help: error.help)
    }
    return CommandFailure(
      .failed, "'\(path)' can't be signed: \(error.message)",
      help: error.isOfKeyset ? "'pintle keyset sign' signs keysets." : error.help)
  }
}
