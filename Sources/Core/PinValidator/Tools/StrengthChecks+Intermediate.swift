#if !CryptoKit
package import OpenSSLKit

extension StrengthChecks {
  /// What is wrong with an authority between leaf and anchor, apart from its path.
  package func failures(ofIntermediate certificate: Certificate, by peer: TrustRequest.Peer) -> [TrustFailure] {
    [
      failure(ofKeyOf: certificate, at: 1), failure(ofUsageOf: certificate, by: peer, at: 1),
      failure(ofSignatureOn: certificate, at: 1), failure(ofExtensionsOf: certificate, at: 1),
    ].compactMap { $0 }
  }

  /// What is wrong with a certificate's key, so that no other certificate for it is accepted either.
  package func failure(ofKeyIn certificate: Certificate) -> TrustFailure? { failure(ofKeyOf: certificate, at: 0) }
}
#endif
