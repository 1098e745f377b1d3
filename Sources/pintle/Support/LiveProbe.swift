import PinFormat
import PinProbe
import TLSClient

/// Probing with a person watching: shows how far it has come, and listens for Control-C.
struct LiveProbe {
  private let prober: Prober

  init(_ settings: Prober.Settings) throws(CommandFailure) {
    do { prober = try Prober(settings) } catch { throw CommandFailure(.failed, error.message) }
  }

  func run(_ plan: ProbePlan) throws(CommandFailure) -> Evidence {
    let line = ProgressLine()
    var surroundings = VisitQueue.Surroundings { TimeArgument.now }
    surroundings.isCancelled = { Interruption.isAsked }
    surroundings.progress = { line.show($0) }
    Interruption.listen()
    defer {
      Interruption.ignore()
      line.erase()
    }
    line.show(ProbeProgress(done: 0, total: plan.targets.count, failures: 0, elapsed: .zero))
    do { return try prober.probe(plan.targets, surroundings) } catch { throw CommandFailure(.failed, error.message) }
  }
}
