import Diagnostics
import Glibc
import PinFormat
import PinPolicy
import PinProbe

/// Probing with a person watching: shows how far it has come, and listens for Control-C from then on.
struct LiveProbe {
  private let prober: Prober

  init(_ settings: Prober.Settings) throws(CommandFailure) {
    Self.allowDescriptors(settings.jobs + 64)
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

  /// Raises the process's limit of open files as far as it may; where that isn't enough, connections say so.
  private static func allowDescriptors(_ count: Int) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < rlim_t(count) else {
      return
    }
    limit.rlim_cur = min(limit.rlim_max, rlim_t(count))
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
