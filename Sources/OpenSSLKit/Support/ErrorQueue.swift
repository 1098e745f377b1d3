import CLibCrypto

/// Runs what libcrypto may fail at, and leaves the thread's queue of errors as it was.
///
/// Whoever uses OpenSSL on the same thread, such as a transport, would take what stays there for its own failure.
func keepingErrorQueue<Result>(_ body: () -> Result) -> Result {
  ERR_set_mark()
  defer { ERR_pop_to_mark() }
  return body()
}
