import Glibc
import Synchronization

/// Control-C, and the signals that ask a process to end: the first ends work in good order, the second at once.
package enum Interruption {
  /// How often it was asked for.
  fileprivate static let count = Atomic<Int>(0)
  /// The signal that asked last.
  fileprivate static let last = Atomic<Int32>(0)
  /// A process group that ends together with this process; 0 for none.
  fileprivate static let group = Atomic<Int32>(0)

  private static let all = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]

  package static var isAsked: Bool { count.load(ordering: .relaxed) > 0 }

  /// The signal that asked for it; nil where none did.
  package static var signal: Int32? { isAsked ? last.load(ordering: .relaxed) : nil }

  /// Takes the signals from here on; one that the process was started to ignore stays ignored.
  ///
  /// - Parameters:
  ///   - numbers: The signals.
  ///   - group: A process group that is killed where the second one ends this process at once.
  package static func listen(to numbers: [Int32] = [SIGINT, SIGTERM], endingWith group: Int32 = 0) {
    // Initialised here, because a signal handler must not be the first to use them.
    count.store(0, ordering: .relaxed)
    last.store(0, ordering: .relaxed)
    self.group.store(group, ordering: .relaxed)
    var taken = sigset_t()
    sigemptyset(&taken)
    for number in numbers where !isIgnored(number) {
      Glibc.signal(number, note)
      sigaddset(&taken, number)
    }
    // A parent that blocks signals passes the mask on to its children.
    pthread_sigmask(SIG_UNBLOCK, &taken, nil)
  }

  /// Leaves the signals to do again what they do by themselves.
  package static func stopListening() {
    for number in all where !isIgnored(number) { Glibc.signal(number, SIG_DFL) }
    group.store(0, ordering: .relaxed)
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}

/// Only calls what a handler of signals may call (signal-safety(7)).
private func note(_ number: Int32) {
  Interruption.last.store(number, ordering: .relaxed)
  guard Interruption.count.add(1, ordering: .relaxed).newValue > 1 else { return }
  let group = Interruption.group.load(ordering: .relaxed)
  if group > 0 { kill(-group, SIGKILL) }
  _exit(128 + number)
}
