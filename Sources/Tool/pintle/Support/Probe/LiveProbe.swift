import Diagnostics
import Glibc
import PinFormat
import PinPolicy
import PinProbe
import PinRelease
import Synchronization

/// Probing with a person watching: shows how far it has come, and listens for Control-C from then on.
struct LiveProbe {
  private let prober: Prober

  init(_ settings: Prober.Settings) throws(CommandFailure) {
    OpenFiles.allow(settings.jobs + 64)
    do { prober = try Prober(settings) } catch { throw CommandFailure(.failed, error.message) }
  }

  func run(_ plan: ProbePlan) throws(CommandFailure) -> Evidence {
    let line = ProgressLine()
    var surroundings = VisitQueue.Surroundings { TimeArgument.now }
    surroundings.isCancelled = { Interruption.isAsked }
    surroundings.progress = { line.show($0) }
    Interruption.listen()
    defer { line.erase() }
    line.show(ProbeProgress(done: 0, total: plan.targets.count, failures: 0, elapsed: .zero))
    do { return try prober.probe(plan.targets, surroundings) } catch { throw CommandFailure(.failed, error.message) }
  }
}

/// A line on a terminal that is written over as work goes on, and is gone when it is done.
///
/// It goes to standard error, and only where that is a terminal that can write over a line. Nobody is shown one who has
/// set `NO_PROGRESS`.
final class ProgressLine: Sendable {
  private struct State {
    var isShown = false
    var last: ContinuousClock.Instant?
  }

  private let state = Mutex(State())
  private let isWanted: Bool

  init() {
    isWanted = isatty(STDERR_FILENO) == 1 && !Console.isTerminalDumb && !Console.isSet("NO_PROGRESS")
  }

  /// Shows how far it has come, at most ten times a second.
  func show(_ progress: ProbeProgress) {
    guard isWanted else { return }
    state.withLock { state in
      let now = ContinuousClock.now
      if let last = state.last, last.duration(to: now) < .milliseconds(100) { return }
      state.last = now
      state.isShown = true
      // The last column stays empty, because some terminals wrap after writing it.
      Self.write("\r" + progress.text(width: Self.width - 1) + "\u{1B}[K")
    }
  }

  /// Clears the line, so that the next message replaces it.
  func erase() {
    state.withLock { state in
      if state.isShown { Self.write("\r\u{1B}[K") }
      state.isShown = false
    }
  }

  private static var width: Int { Console.columns(of: STDERR_FILENO) ?? 80 }

  private static func write(_ text: String) {
    var text = text
    text.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
