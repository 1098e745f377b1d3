import CLibCrypto

extension Certificate {
  /// True where names, key identifiers, Key Usage and the kinds of key and signature allow it to have issued another.
  ///
  /// The signature isn't verified; see ``hasSigned(_:)``.
  package func mayHaveIssued(_ other: Certificate) -> Bool {
    keepingErrorQueue { X509_check_issued(pointer, other.pointer) } == X509_V_OK
  }

  /// True where its key made the signature on another certificate.
  package func hasSigned(_ other: Certificate) -> Bool {
    keepingErrorQueue {
      guard let key = X509_get0_pubkey(pointer) else { return false }
      return X509_verify(other.pointer, key) == 1
    }
  }

  /// True where both have the same subject and the same public key: one authority, whoever certified it.
  package func isSameAuthority(as other: Certificate) -> Bool {
    X509_NAME_cmp(X509_get_subject_name(pointer), X509_get_subject_name(other.pointer)) == 0
      && der[layout.subjectPublicKeyInfo] == other.der[other.layout.subjectPublicKeyInfo]
  }
}
