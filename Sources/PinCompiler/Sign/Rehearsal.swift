import Diagnostics
import OpenSSLKit
package import PinFormat
import PinPolicy
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

extension CheckedPolicy {
  /// The manifest that clients would have if the policy were released at an instant, for trying it out.
  ///
  /// It goes the way of a release: lowered, signed, verified and loaded by the runtime validator. The signing key is
  /// made for this and forgotten, so nobody can take the result for a release. What only a release needs to know, such
  /// as the audience, is stood in for where the policy doesn't say it.
  ///
  /// - Parameter instant: When it is released; its freshness counts from there.
  /// - Returns: The manifest, loaded.
  /// - Throws: ``RehearsalError``, for want of host entries say.
  package func rehearsed(at instant: Instant) throws(RehearsalError) -> LoadedManifest {
    let release = Release(serial: 1, issued: instant, previous: nil, commit: nil, compiler: "pintle rehearsal")
    let manifest = try standIn(for: release)
    let signer: Signer
    let signed: SignedManifest
    do { signer = try Signer(pem: PrivateKey(generating: .ed25519).pem()) } catch { throw .signing(.failed(error)) }
    do { signed = try SignedManifest.sign(manifest, with: [signer]) } catch { throw .signing(error) }
    do throws(ManifestError) {
      let signers = try TrustedSigners(publicKeys: [signer.publicKey], threshold: 1)
      return try LoadedManifest.load(signed.bytes, signers: signers, audience: manifest.audience)
    } catch {
      throw .loading(error)
    }
  }

  private func standIn(for release: Release) throws(RehearsalError) -> Manifest {
    guard let entry = policy.hosts.first else { throw .lowering(.noHosts) }
    let settings = policy.settings ?? Policy.Settings(place: entry.written.place, audience: nil)
    do {
      return try lowered(as: release, settings, audience: settings.audience?.value ?? "rehearsal")
    } catch {
      throw .lowering(error)
    }
  }
}
