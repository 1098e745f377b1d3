#if !CryptoKit
import CLibCrypto

extension TrustStore {
  /// The certificates of the store whose subject is the issuer that a certificate names.
  ///
  /// Those of the system's directory are among them, also where nothing has loaded them so far.
  package func issuers(namedBy certificate: Certificate) throws(CryptoError) -> [Certificate] {
    try certificates(named: X509_get_issuer_name(certificate.pointer))
  }

  /// The certificates of the store that have the same subject as a certificate, itself included where it is there.
  package func namesakes(of certificate: Certificate) throws(CryptoError) -> [Certificate] {
    try certificates(named: X509_get_subject_name(certificate.pointer))
  }

  /// True where the store holds this very certificate.
  package func contains(_ certificate: Certificate) throws(CryptoError) -> Bool {
    try namesakes(of: certificate).contains { $0.der == certificate.der }
  }

  /// True where a path may end in a certificate of this store: a root, or one that was given by name.
  ///
  /// Any other is an intermediate that the system's store happens to have. It is only a step of a path, whatever was given.
  package func canEndPath(in certificate: Certificate) -> Bool {
    certificate.isSelfSigned || anchors.contains { $0.der == certificate.der }
  }

  /// True where the trust settings that the store has for a certificate don't take it for TLS servers.
  package func rejects(_ certificate: Certificate) -> Bool {
    X509_check_trust(certificate.pointer, X509_TRUST_SSL_SERVER, 0) == X509_TRUST_REJECTED
  }

  private func certificates(named name: OpaquePointer?) throws(CryptoError) -> [Certificate] {
    LibcryptoUse.begin()
    defer { LibcryptoUse.end() }
    guard let context = X509_STORE_CTX_new() else { throw CryptoError(.outOfMemory, "no memory for a search") }
    defer { X509_STORE_CTX_free(context) }
    guard X509_STORE_CTX_init(context, pointer, nil, nil) == 1 else {
      throw CryptoError(.failed, "libcrypto could not search a trust store")
    }
    // Depending on the version, libcrypto returns nil or an empty list if nothing is found.
    guard let stack = X509_STORE_CTX_get1_certs(context, name) else { return [] }
    defer { pintle_x509_stack_pop_free(stack) }
    var found: [Certificate] = []
    for index in 0..<pintle_x509_stack_count(stack) {
      guard let pointer = pintle_x509_stack_at(stack, index) else { continue }
      if let known = anchors.first(where: { $0.pointer == pointer }) {
        found.append(known)
      } else if let certificate = try? Certificate(sharing: pointer) {
        // A certificate that can't be read as DER can't end a path either.
        found.append(certificate)
      }
    }
    return found
  }
}
#endif
