import Glibc

/// How long this thread worked on something, which doesn't depend on what else runs; the body must not wait or suspend.
public func processorTime<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) -> Duration {
  func now() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
  let start = now()
  try body()
  return now() - start
}
