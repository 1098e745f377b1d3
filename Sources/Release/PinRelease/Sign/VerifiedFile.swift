package import Diagnostics
import PinFormat
import PinPolicy
package import PinValidator

/// A manifest file, verified.
package struct VerifiedFile {
  package var bytes: [UInt8]
  package var manifest: LoadedManifest
  /// The keyset that endorses it; nil where keys were named one by one.
  package var keyset: TrustedKeyset?

  /// Verifies a file against public keys, and reads it only then; exit status 6 where it is refused.
  package static func load(
    _ path: String, trusted: [[UInt8]], threshold: Int, audience: String?
  ) throws(WorkFailure) -> VerifiedFile {
    try load(
      InputFile.read(path, limit: InputFile.manifestLimit), of: path, trusted: trusted, threshold: threshold,
      audience: audience, signedWith: nil)
  }

  /// Verifies bytes that were read already.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - path: The file as messages name it.
  ///   - trusted: SubjectPublicKeyInfo of those whose signatures count.
  ///   - threshold: How many of them must have signed.
  ///   - audience: The environment that it must be for; any where nil.
  ///   - options: Those with which one more signs it, that of the baseline first; nil where nobody should.
  /// - Returns: The manifest.
  /// - Throws: ``WorkFailure``, with exit status 6 where it is refused.
  package static func load(
    _ bytes: [UInt8], of path: String, trusted: [[UInt8]], threshold: Int, audience: String?,
    signedWith options: [String]?
  ) throws(WorkFailure) -> VerifiedFile {
    let signers: TrustedSigners
    do {
      signers = try TrustedSigners(publicKeys: trusted, threshold: threshold)
    } catch {
      throw WorkFailure(.usage, error.message, help: "--threshold is from 1 to the number of different --key files.")
    }
    do {
      return VerifiedFile(
        bytes: bytes,
        manifest: try LoadedManifest.load(bytes, signers: signers, requiredAudience: audience, keepsDigest: true))
    } catch {
      try refuseOther(bytes, of: path, error, options)
      throw WorkFailure(
        .refused, code: error.code.description, "'\(path)' is rejected: \(error.message) [\(error.code)]",
        help: help(error.code, path))
    }
  }

  /// Verifies bytes by a keyset: its signers, its audience, its minimum serial.
  package static func load(
    _ bytes: [UInt8], of path: String, by keyset: TrustedKeyset, signedWith options: [String]?
  ) throws(WorkFailure) -> VerifiedFile {
    let manifest: LoadedManifest
    do {
      manifest = try LoadedManifest.load(
        bytes, signers: keyset.signers, requiredAudience: keyset.audience, keepsDigest: true)
    } catch {
      try refuseOther(bytes, of: path, error, options)
      let names = KeysetNames(keyset.keyset)
      throw WorkFailure(
        .refused, code: error.code.description,
        "'\(path)' is rejected: \(names.named(error.message)) [\(error.code)]",
        help: error.code == .tooFewSignatures
          ? names.signers(of: bytes, version: keyset.version).map {
            $0
              + (isOfFormerSigners(bytes, keyset.signers)
                ? ". It was complete before signers changed: don't sign it again, release the next one"
                : signing(path, bytes, options))
          }
          : error.code == .wrongAudience
            ? "The keyset is for another environment than the manifest: check both." : help(error.code, path))
    }
    let minimum = keyset.keyset.minimumSerial
    guard manifest.serial >= minimum else {
      throw WorkFailure(
        .refused, code: "below-minimum-serial",
        "'\(path)' is rejected: its serial \(manifest.serial) is below \(minimum), the least that version "
          + "\(keyset.version) of the keyset accepts [below-minimum-serial]")
    }
    return VerifiedFile(bytes: bytes, manifest: manifest, keyset: keyset)
  }

  /// What to do about a manifest that keys are checked against.
  private static func help(_ code: ManifestError.Code, _ path: String) -> String? {
    switch code {
    case .wrongAudience: "Get the manifest for this environment, or correct --audience."
    case .tooFewSignatures:
      "Pass the public keys of those who signed it: 'pintle show \(ShellWord.of(path))' shows their ids."
    case .malformedFile, .malformedManifest, .invalidSignature: changed
    default: nil
    }
  }

  /// Whether a manifest has signatures enough, though some don't count any more: a signature more would change what is
  /// released.
  private static func isOfFormerSigners(_ bytes: [UInt8], _ signers: TrustedSigners) -> Bool {
    (try? SignableManifest(bytes)).map { $0.signatures.count >= signers.threshold } ?? false
  }

  /// The command by which one more signs a file, as the end of a message; a first release is compared with nothing.
  private static func signing(_ path: String, _ bytes: [UInt8], _ options: [String]?) -> String {
    guard var options, path != "-" else { return "" }
    if (try? SignableManifest(bytes))?.manifest.previous == nil { options.removeFirst(2) }
    return ": pintle sign " + ([path] + options + ["--sign-key", "KEY"]).map(ShellWord.of).joined(separator: " ")
  }

  /// What to do about a file that isn't what was built or signed.
  static let changed =
    "The file was changed after it was written: cut off, edited, or reformatted as 'jq' does. Get the original: every byte "
    + "counts."

  /// Refuses a draft, and what isn't a manifest at all.
  private static func refuseOther(
    _ bytes: [UInt8], of path: String, _ error: ManifestError, _ options: [String]?
  ) throws(WorkFailure) {
    // A keyset has signatures too, so it fails for a lack of matching ones.
    if [.malformedFile, .malformedManifest, .tooFewSignatures].contains(error.code),
      let other = WrongFile.failure(path, bytes, needed: .manifest, .refused, code: error.code.description)
    {
      throw other
    }
    guard (try? SignedManifest.keyIDs(of: bytes))?.isEmpty == true else { return }
    throw WorkFailure(
      .refused, code: error.code.description,
      "'\(path)' is rejected: nobody has signed it yet, it is a draft",
      help: "Each signer adds a signature" + signing(path, bytes, options))
  }
}

/// Puts the names of a keyset in the place of key ids.
private struct KeysetNames {
  private let keyring: Keyring?

  package init(_ keyset: Keyset) {
    keyring = try? Keyring(keyset)
  }

  package func named(_ message: String) -> String { keyring?.naming(in: message) ?? message }

  /// Who has signed a manifest and who could.
  package func signers(of file: [UInt8], version: Int64) -> String? {
    guard let envelope = try? SignatureEnvelope(scanning: file) else { return nil }
    let members = keyring?.signers ?? []
    let ids = Set(envelope.signatures.map(\.keyID))
    let signed = members.filter { ids.contains($0.keyID) }.map { "'\($0.name)'" }
    let open = members.filter { !ids.contains($0.keyID) }.map { "'\($0.name)'" }
    let who = signed.isEmpty ? "no signer" : signed.joined(separator: ", ")
    let others = open.joined(separator: ", ")
    return "Of version \(version) of the keyset, \(who) signed; \(others) can still sign"
  }
}
