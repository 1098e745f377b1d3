import Glibc

/// A thread that runs a closure, and takes no signals: those are for the threads that the process had before.
struct LoopThread {
  private let thread: pthread_t

  /// Starts it; nil where the system gives no thread.
  init?(_ body: @escaping @Sendable () -> Void) {
    let work = Unmanaged.passRetained(Work(body))
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    var thread = pthread_t()
    let status = pthread_create(&thread, nil, runWork, work.toOpaque())
    pthread_sigmask(SIG_SETMASK, &before, nil)
    guard status == 0 else {
      work.release()
      return nil
    }
    self.thread = thread
  }

  /// Waits for its end; to be called once.
  func join() { pthread_join(thread, nil) }
}

/// The machine's processors, and the waiting for them.
enum Processors {
  /// How many there are for this process, at least one.
  static var count: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

  static func sleep(until instant: ContinuousClock.Instant) {
    let (seconds, attoseconds) = max(.milliseconds(1), ContinuousClock.now.duration(to: instant)).components
    var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    nanosleep(&time, nil)
  }
}

private final class Work: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }
}

private func runWork(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
  return nil
}
