#if !CryptoKit
import CLibCrypto

extension Certificate {
  /// Whether its Subject Alternative Name covers a name, as path validation compares them (RFC 6125 section 6.4).
  ///
  /// - Parameter name: The name that the connection is for.
  /// - Returns: False as well where the name or the certificate can't be read.
  package func covers(_ name: PathQuery.Name) -> Bool {
    keepingErrorQueue {
      switch name {
      case .dns(let text):
        // With a length of zero, libcrypto would measure the text itself.
        let flags = UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT)
        return !text.isEmpty && X509_check_host(pointer, text, text.utf8.count, flags, nil) == 1
      case .address(let text): return X509_check_ip_asc(pointer, text, 0) == 1
      }
    }
  }
}
#endif
