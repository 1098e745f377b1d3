import CLibSSL
import Glibc
import PinFormat

/// A certificate and its key, for servers that ask who is calling.
package struct ClientCredentials: Hashable, Sendable {
  /// A PEM file with the certificate, followed by the CA certificates to send with it.
  package var certificatePath: String
  /// A PEM file with the private key, without a passphrase.
  package var keyPath: String

  package init(certificatePath: String, keyPath: String) {
    self.certificatePath = certificatePath
    self.keyPath = keyPath
  }

  /// Gives them to a context.
  func install(in context: OpaquePointer) throws(TLSClientError) {
    try Self.requireReadable(certificatePath)
    try Self.requireReadable(keyPath)
    defer { ERR_clear_error() }
    ERR_clear_error()
    // Without a callback libssl would prompt on the terminal.
    SSL_CTX_set_default_passwd_cb(context, refusePassphrase)
    guard SSL_CTX_use_certificate_chain_file(context, certificatePath) == 1 else {
      throw TLSClientError(.local, "'\(certificatePath)' holds no client certificate in PEM")
    }
    guard SSL_CTX_use_PrivateKey_file(context, keyPath, SSL_FILETYPE_PEM) == 1 else {
      throw TLSClientError(.local, Self.reasonAgainstKey(keyPath, certificatePath))
    }
    guard SSL_CTX_check_private_key(context) == 1 else {
      throw TLSClientError(.local, Self.misfit(keyPath, certificatePath))
    }
  }

  private static func requireReadable(_ path: String) throws(TLSClientError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw TLSClientError(.local, "can't read '\(path)': \(SocketError.text(errno))") }
    close(descriptor)
  }

  private static func reasonAgainstKey(_ key: String, _ certificate: String) -> String {
    var reasons: Set<Int> = []
    while case let number = ERR_get_error(), number != 0 { reasons.insert(Int(ERR_GET_REASON(number))) }
    if reasons.contains(Int(PEM_R_BAD_PASSWORD_READ)) || reasons.contains(ERR_R_INTERRUPTED_OR_CANCELLED) {
      return "the key in '\(key)' is encrypted with a passphrase; give a file without one"
    }
    if reasons.contains(Int(X509_R_KEY_VALUES_MISMATCH)) || reasons.contains(Int(X509_R_KEY_TYPE_MISMATCH)) {
      return misfit(key, certificate)
    }
    return "'\(key)' holds no private key in PEM"
  }

  private static func misfit(_ key: String, _ certificate: String) -> String {
    "the key in '\(key)' doesn't belong to the first certificate in '\(certificate)'"
  }
}

private func refusePassphrase(
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ writes: Int32, _ context: UnsafeMutableRawPointer?
) -> Int32 { -1 }
