package import Diagnostics
import Glibc
package import PinFormat
import PinPolicy
import PinValidator

/// The steps from a file to a signature on it, each of which may refuse.
package struct SigningCeremony {
  /// The file as messages name it.
  package let path: String
  package let trust: Trust?
  /// Those whose signatures count; nil where nobody said.
  package let known: KnownSigners?
  package let instant: Instant

  /// What a manifest is compared with before it is signed.
  package enum Comparison {
    /// It says that it is the first release.
    case first
    /// Nothing, though there is a release before it: anybody who signs asked for that.
    case unasked
    case release(Succession)
  }

  /// - Parameters:
  ///   - path: The file as messages name it.
  ///   - trust: Whose signatures count; nil where nobody says.
  ///   - keys: Where the keys were read from, unless a keyset names them.
  ///   - threshold: How many of those must have signed.
  ///   - instant: The instant that counts as now.
  /// - Throws: ``WorkFailure`` where a key can't be used, or more signatures are asked for than there are keys.
  package init(
    path: String, trust: Trust?, keys: [String], threshold: Int, at instant: Instant
  ) throws(WorkFailure) {
    self.path = path
    self.instant = instant
    self.trust = trust
    if let trust {
      known = try KnownSigners(trust, paths: keys, threshold: threshold)
    } else {
      known = nil
    }
  }

  /// Reads the file's bytes, and refuses what no client would take, no matter who signs it.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - audience: The environment that it must be for; any where nil.
  ///   - required: Paths of public keys that must have signed already.
  /// - Returns: The file, ready to be shown.
  /// - Throws: ``WorkFailure``, with exit status 6 where it is refused.
  package func read(
    _ bytes: [UInt8], audience: String?, signedBy required: [String]
  ) throws(WorkFailure) -> SignableManifest {
    let file: SignableManifest
    do throws(SigningError) {
      file = try SignableManifest(bytes)
      _ = try file.signers(among: known?.keys ?? [])
    } catch {
      if let other = WrongFile.failure(path, bytes, needed: .manifest) { throw other }
      throw failure(error)
    }
    if !required.isEmpty {
      let keys = try SigningKeyFile.publicKeys(required)
      _ = try VerifiedFile.load(
        bytes, of: path, trusted: keys, threshold: Set(keys).count, audience: nil, signedWith: nil)
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
  private func check(_ manifest: Manifest, by trusted: TrustedKeyset) throws(WorkFailure) {
    if let rejection = trusted.keyset.rejection(of: manifest, at: instant) {
      throw refusal(rejection.message, help: rejection.help)
    }
  }

  /// Finds the release that it is compared with, and refuses what doesn't follow from it.
  ///
  /// - Parameters:
  ///   - file: The file to sign.
  ///   - against: The last release, or a folder of all of them.
  ///   - isUnasked: Whether it is signed without a comparison though it follows a release.
  ///   - isFirst: Whether a folder without a release for its audience is accepted.
  ///   - allowsGap: Whether a release may be missing between the last one and this.
  /// - Returns: What it is compared with.
  /// - Throws: ``WorkFailure`` where the release is refused or is for another audience, the manifest doesn't follow
  ///   from it, or none was named.
  package func compare(
    _ file: SignableManifest, with against: String?, isUnasked: Bool, isFirst: Bool, allowsGap: Bool
  ) throws(WorkFailure) -> Comparison {
    guard let against else {
      guard file.manifest.previous != nil else { return .first }
      guard isUnasked else {
        throw WorkFailure(
          .usage, "'\(path)' follows a release, and without --against its changes can't be shown",
          help: "Pass the last release with --against. To sign without a comparison, pass --without-comparison.")
      }
      return .unasked
    }
    guard let trust else { throw Trust.missing(for: against) }
    if isFirst, file.manifest.previous == nil, InputFile.isFolder(against),
      try ReleasedFiles(trust: trust).all(against, for: file.manifest.audience).isEmpty
    {
      return .first
    }
    if try ReleasedFiles.expand(against) != [against],
      try !ReleasedFiles.folders(in: against).contains(file.manifest.audience)
    {
      throw WorkFailure(
        .failed,
        "'\(VisibleText.of(against))' has no folder '\(VisibleText.of(file.manifest.audience))' with releases",
        help: file.manifest.previous == nil && !isFirst
          ? "Check the path. If nothing was ever released for this audience, add --first-release."
          : "Check the path and the audience: the manifest names a release before it.")
    }
    let released: [ReleasedManifest]
    do throws(WorkFailure) {
      released = try ReleasedFiles(trust: trust).all(against, of: file.manifest.audience)
    } catch {
      // The file lacks a signature, or it would be no obstacle.
      guard let folder = folder(of: file, in: against), (try? trust.loadReleased(path)) == nil else { throw error }
      throw WorkFailure(
        error.kind, code: error.code, "'\(folder)' contains '\(path)', the draft to sign",
        help: "Move it elsewhere: '\(folder)' holds only what clients have.")
    }
    do {
      return .release(
        try Succession.find(
          of: file.loaded, digest: file.digest, after: released, under: trust.keyset, allowsGap: allowsGap))
    } catch {
      throw WorkFailure(
        error.isOfAudience ? .refused : .unsafeRotation, "'\(path)' isn't signed: \(error.message)", help: error.help)
    }
  }

  /// The folder of released manifests in which the file itself is; nil where it is elsewhere.
  private func folder(of file: SignableManifest, in against: String) -> String? {
    guard path != "-", InputFile.isFolder(against), let name = path.split(separator: "/").last else { return nil }
    return [against, AudienceFolder.path(in: against, file.manifest.audience)].first { folder in
      InputFile.isSame(path, "\(folder)/\(name)")
    }
  }

  /// Has it signed, by those only whose signatures count.
  package func sign(_ file: SignableManifest, by signers: [Signer]) throws(WorkFailure) -> SignedManifest {
    for signer in signers where !signer.keys.contains(where: { counts($0.id) }) { throw stranger(signer.keys[0].id) }
    let signed: SignedManifest
    do { signed = try file.signed(by: signers) } catch { throw failure(error) }
    // Only now is it known with which keys a command signed that may use several.
    for id in signed.added where !counts(id) { throw stranger(id) }
    return signed
  }

  /// Refuses to write over a file that somebody else has signed meanwhile.
  package func requireUnchanged(_ file: SignableManifest, writingTo output: String?) throws(WorkFailure) {
    guard path != "-", output.map({ InputFile.isSame($0, path) }) ?? true else { return }
    guard try InputFile.read(path, limit: InputFile.manifestLimit) == file.file else {
      throw WorkFailure(
        .failed, "'\(path)' isn't what it was when it was shown: somebody changed it meanwhile",
        help: "Nothing was written. Look at it again.")
    }
  }

  /// With keys that are named one by one, the signer's own need not be among them.
  private func counts(_ keyID: SHA256Digest) -> Bool {
    guard trust?.keyset != nil, let known else { return true }
    return known.contains(keyID)
  }

  private func stranger(_ keyID: SHA256Digest) -> WorkFailure {
    let names = known?.members.map(\.name).joined(separator: ", ") ?? ""
    return refusal(
      "the key \(keyID.hex) is not a signer of the keyset, so clients would ignore its signature",
      help: "Its signers are \(names).")
  }

  private func refusal(_ message: String, help: String? = nil) -> WorkFailure {
    WorkFailure(.refused, "'\(path)' isn't signed: \(message)", help: help)
  }

  private func failure(_ error: SigningError) -> WorkFailure {
    if case .invalidSignature(let key) = error {
      return refusal(
        "the signature of \(known?.name(of: key) ?? key.hex) doesn't fit the signed bytes: one of them was changed",
        help: error.help)
    }
    return WorkFailure(.failed, "'\(path)' can't be signed: \(error.message)", help: error.help)
  }
}

extension Keyset {
  /// Why clients that have the keyset reject a manifest, no matter who signed it; nil where they don't.
  package func rejection(of manifest: Manifest, at instant: Instant) -> (message: String, help: String?)? {
    guard audience.utf8.elementsEqual(manifest.audience.utf8) else {
      return ("it is for the audience '\(manifest.audience)', and the keyset is for '\(audience)'", nil)
    }
    guard manifest.serial >= minimumSerial else {
      return (
        "its serial \(manifest.serial) is below \(minimumSerial), the least that version \(version) of the keyset accepts",
        "Build it with a higher serial."
      )
    }
    guard instant < expires else {
      return (
        "version \(version) of the keyset expired \(expires), and clients accept no further manifest with it",
        "Renew the keyset first. Where this machine's clock is wrong, give the time with --at."
      )
    }
    return nil
  }
}

/// Signatures that would go with a file when another is written in its place.
package enum SignatureLoss {
  /// Refuses to replace a file by one of the same signed bytes that lacks a signature of it.
  ///
  /// Two people who each sign the same draft into one file would otherwise leave the second signature only.
  package static func prevent(by bytes: [UInt8], _ content: SignedContent, at output: String) throws(WorkFailure) {
    guard output != "-", InputFile.isRegular(output),
      let file = try? InputFile.read(output, limit: InputFile.manifestLimit),
      let old = try? SignatureEnvelope(draft: file, as: content),
      let new = try? SignatureEnvelope(draft: bytes, as: content),
      file[old.signed].elementsEqual(bytes[new.signed])
    else { return }
    let kept = Set(new.signatures.map(\.keyID))
    guard let lost = old.signatures.first(where: { !kept.contains($0.keyID) }) else { return }
    throw WorkFailure(
      .failed, "'\(output)' has the same signed bytes and a signature of \(lost.keyID.hex), which would be lost",
      help: "Nothing was written. Add to that file instead, or give -o another path.")
  }
}
