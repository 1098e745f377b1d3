#if !CryptoKit
import CLibCrypto

/// A `STACK_OF(X509)` that borrows its certificates: anybody who fills it keeps them alive.
struct CertificateStack: ~Copyable {
  let pointer: OpaquePointer

  init(borrowing certificates: [Certificate]) throws(CryptoError) {
    guard let stack = pintle_x509_stack_new() else { throw CryptoError(.outOfMemory, "no memory for certificates") }
    for certificate in certificates where pintle_x509_stack_push(stack, certificate.pointer) == 0 {
      pintle_x509_stack_free(stack)
      throw CryptoError(.outOfMemory, "no memory for certificates")
    }
    pointer = stack
  }

  deinit {
    pintle_x509_stack_free(pointer)
  }
}
#endif
