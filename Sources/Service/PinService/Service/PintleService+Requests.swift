#if Service
import Logging
import PinFormat
import PinValidator
import UnixSignals

/// A signal that makes a service look for a newer manifest now.
public enum FetchSignal: String, Hashable, Sendable, CaseIterable {
  /// The usual one for "read your configuration again", which `systemctl reload` sends.
  case hangUp = "SIGHUP"
  /// For programs that use SIGHUP for something else.
  case user1 = "SIGUSR1"
  /// The same.
  case user2 = "SIGUSR2"

  var unix: UnixSignal {
    switch self {
    case .hangUp: .sighup
    case .user1: .sigusr1
    case .user2: .sigusr2
    }
  }
}

extension PintleService {
  /// The least time between the end of a requested fetch and the begin of the next: many requests don't
  /// flood the mirrors.
  static let pauseAfterRequest = Duration.seconds(1)

  /// Looks for newer keysets and a newer manifest now, at the URLs, in the folder and in the file, and returns at once.
  ///
  /// Requests that come while one is served are served together, by one more. A server that asked for patience with
  /// `Retry-After` still isn't asked before. The schedule stays as it was: a requested fetch that fails doesn't make the
  /// wait before the next planned one longer. Without ``run()``, the request waits until it is called.
  public func fetchNow() {
    fetchWait.end()
    watchWait.end()
  }

  /// Serves a signal, until cancelled.
  func heed(_ signal: FetchSignal) async {
    let signals = await UnixSignalsSequence(trapping: signal.unix)
    log.heeds(signal)
    for await _ in signals {
      log.requested(by: signal, at: store.now)
      fetchNow()
    }
  }
}
#endif
