import Glibc

/// Keeps SIGPIPE from ending the process while libssl writes to a socket whose other side has gone.
///
/// libssl's socket BIO writes with `write`, which can't be told not to raise the signal, and how a process handles
/// signals isn't a library's to change. So the signal is blocked for this thread only, and one that was raised meanwhile
/// is taken back; the write's `EPIPE` says the same.
func withoutBrokenPipeSignal<Result, Failure: Error>(
  _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  var pipe = sigset_t()
  var before = sigset_t()
  var pending = sigset_t()
  sigemptyset(&pipe)
  sigaddset(&pipe, SIGPIPE)
  sigpending(&pending)
  pthread_sigmask(SIG_BLOCK, &pipe, &before)
  defer {
    // One that was pending before isn't ours to take.
    if sigismember(&pending, SIGPIPE) == 0 {
      var now = timespec()
      while sigtimedwait(&pipe, nil, &now) == -1, errno == EINTR {}
    }
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }
  return try body()
}
