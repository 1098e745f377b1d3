#if !CryptoKit
import CLibCrypto

/// Runs what libcrypto may fail at, and leaves the thread's queue of errors as it was.
///
/// Anybody who uses OpenSSL on the same thread, such as a transport, would take what stays there for its own failure.
func keepingErrorQueue<Result>(_ body: () -> Result) -> Result {
  LibcryptoUse.begin()
  defer { LibcryptoUse.end() }
  return body()
}
#endif
