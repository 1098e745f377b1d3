import Diagnostics
import OpenSSLKit
package import PinFormat
package import PinValidator

/// Why a checked policy can't be tried as a manifest.
package enum RehearsalError: Error, Sendable {
  /// It makes no manifest.
  case lowering(LoweringError)
  /// The manifest could not be signed.
  case signing(SigningError)
  /// The runtime validator doesn't take it.
  case loading(ManifestError)

  /// What is wrong and what to do.
  package var message: String {
    switch self {
    case .lowering(let error): error.message
    case .signing(let error): error.message
    case .loading(let error): error.message
    }
  }
}

/// Gives manifests to the runtime validator that aren't releases, for trying them out.
///
/// They go the way of a release: signed, verified and loaded. The signing key is made for this and forgotten, so nobody
/// can take the result for a release.
package struct Rehearsal: Sendable {
  private let signer: Signer
  private let signers: TrustedSigners

  package init() throws(RehearsalError) {
    do { signer = try Signer(privateKey: PrivateKey(generating: .ed25519)) } catch {
      throw .signing(.failed(SignerFailure(error.message)))
    }
    let keys = signer.keys.map(\.publicKey)
    do { signers = try TrustedSigners(publicKeys: keys, threshold: 1) } catch { throw .loading(error) }
  }

  /// The manifest of a file that isn't a release yet, as clients would have it.
  ///
  /// - Parameter file: A draft, or a file that some have signed: whose signatures it bears doesn't matter.
  /// - Returns: What it says, in the very bytes of the file.
  /// - Throws: ``SigningError`` where the file isn't a manifest, or no client would read it.
  package static func load(unverified file: [UInt8]) throws(SigningError) -> LoadedManifest {
    let (envelope, tables) = try SignedManifest.read(file)
    let draft = SignatureEnvelope.encode(signed: Array(file[envelope.signed]), signatures: [])
    let rehearsal: Rehearsal
    do { rehearsal = try Rehearsal() } catch { throw .failed(SignerFailure(error.message)) }
    let signed = try SignedManifest.add([rehearsal.signer], to: draft)
    do {
      return try LoadedManifest.load(signed.bytes, signers: rehearsal.signers, audience: tables.header.audience)
    } catch {
      throw .unreadable(error)
    }
  }

  /// The manifest as clients would have it.
  ///
  /// - Throws: ``RehearsalError`` where it is over a limit of the format, or the validator doesn't take it.
  package func load(_ manifest: Manifest) throws(RehearsalError) -> LoadedManifest {
    let signed: SignedManifest
    do { signed = try SignedManifest.sign(manifest, with: [signer]) } catch { throw .signing(error) }
    do {
      return try LoadedManifest.load(signed.bytes, signers: signers, audience: manifest.audience)
    } catch {
      throw .loading(error)
    }
  }
}

/// Why a policy without errors still makes no manifest.
package enum LoweringError: Error, Hashable, Sendable {
  /// No file states the manifest-wide settings.
  case missingSettings
  /// The settings don't name an audience.
  case missingAudience
  /// There is no host entry: such a manifest would take every pin from its clients.
  case noHosts
  /// The serial is below 1, or above what JSON numbers carry everywhere.
  case invalidSerial(Int64)
  /// The commit isn't 40 or 64 lower-case hexadecimal digits.
  case invalidCommit(String)

  /// What is wrong and what to do.
  package var message: String {
    switch self {
    case .missingSettings:
      "no policy file states the manifest-wide settings; add 'manifest:' with an 'audience:' to one of them"
    case .missingAudience:
      "'manifest:' names no audience; add 'audience: production', say, so that no other environment takes the manifest"
    case .noHosts:
      "the policy has no host entry, and a manifest without one would unpin every host of every client; add "
        + "a host under 'hosts:' in a policy file"
    case .invalidSerial(let serial):
      "the serial is \(serial); serials are from 1 to \(Release.maximumSerial)"
    case .invalidCommit(let commit):
      "'\(commit)' is not a commit id; give 40 or 64 lower-case hexadecimal digits, as 'git rev-parse HEAD' prints them"
    }
  }
}
