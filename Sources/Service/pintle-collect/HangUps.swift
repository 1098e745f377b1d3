#if Collector
import Dispatch
import Glibc

/// Calls a function at each SIGHUP.
struct HangUps {
  private let source: any DispatchSourceSignal

  init(_ reopen: @escaping @Sendable () -> Void) {
    // Otherwise the signal would end the process before the source handles it.
    signal(SIGHUP, SIG_IGN)
    source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global())
    source.setEventHandler(handler: DispatchWorkItem { reopen() })
    source.resume()
  }

  func stop() { source.cancel() }
}
#endif
