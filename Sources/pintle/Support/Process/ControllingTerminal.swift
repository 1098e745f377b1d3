import Glibc

/// The terminal that a person sits at, where there is one, whatever the standard streams lead to.
final class ControllingTerminal {
  /// The number of its file.
  let number: Int32
  private let settings: termios?

  init?() {
    let number = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard number >= 0 else { return nil }
    self.number = number
    settings = Self.present(number)
  }

  deinit {
    close(number)
  }

  /// True while this process may read from it: a job in the background may not.
  var isOurs: Bool { isOf(getpgrp()) }

  /// True while a process group may read from it.
  func isOf(_ group: pid_t) -> Bool { tcgetpgrp(number) == group }

  /// How it is set up; nil where that can't be told.
  var present: termios? { Self.present(number) }

  private static func present(_ number: Int32) -> termios? {
    var settings = termios()
    return tcgetattr(number, &settings) == 0 ? settings : nil
  }

  /// Stops it from showing what is typed, and forgets what was typed ahead.
  ///
  /// - Returns: The settings to restore; nil where there are none.
  func withoutEcho() -> termios? {
    guard let before = present else { return nil }
    var quiet = before
    quiet.c_lflag &= ~tcflag_t(ECHO | ECHONL)
    tcsetattr(number, TCSAFLUSH, &quiet)
    return before
  }

  /// Sets it up as it was.
  func restore(_ settings: termios) {
    var settings = settings
    tcsetattr(number, TCSADRAIN, &settings)
  }

  /// Lets a process group read from it.
  func hand(to group: pid_t) {
    // A process in the background that does this is stopped by SIGTTOU unless it blocks it.
    var stop = sigset_t()
    var before = sigset_t()
    sigemptyset(&stop)
    sigaddset(&stop, SIGTTOU)
    pthread_sigmask(SIG_BLOCK, &stop, &before)
    tcsetpgrp(number, group)
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  /// Takes it back from another process group, which may have left it without echo.
  func takeBack() {
    hand(to: getpgrp())
    if let settings { restore(settings) }
  }
}
