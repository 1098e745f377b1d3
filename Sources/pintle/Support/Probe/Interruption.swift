import Glibc
import Synchronization

/// Control-C, and the signal that asks a process to end: the first ends work in good order, the second at once.
enum Interruption {
  /// How often it was asked for.
  fileprivate static let count = Atomic<Int>(0)

  static var isAsked: Bool { count.load(ordering: .relaxed) > 0 }

  /// Takes the signals from here on; one that the process was started to ignore stays ignored.
  static func listen() {
    // Made here, since a handler must not be the first to use it.
    count.store(0, ordering: .relaxed)
    var taken = sigset_t()
    sigemptyset(&taken)
    for number in [SIGINT, SIGTERM] where !isIgnored(number) {
      signal(number, note)
      sigaddset(&taken, number)
    }
    // A program that blocks signals in its threads hands that down to what it starts.
    pthread_sigmask(SIG_UNBLOCK, &taken, nil)
  }

  /// Leaves the signals to do again what they do by themselves.
  static func stopListening() {
    for number in [SIGINT, SIGTERM] where !isIgnored(number) { signal(number, SIG_DFL) }
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}

/// Only calls what a handler of signals may call (signal-safety(7)).
private func note(_ number: Int32) {
  if Interruption.count.add(1, ordering: .relaxed).newValue > 1 { _exit(128 + number) }
}
