import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinRotation
import PinValidator

/// A simulation for programs, as `schemas/simulation.schema.json` describes it.
///
/// Members may be added; none is removed, renamed or given another meaning without another `version`.
package struct SimulationJSON {
  private let report: SimulationReport

  private var timeline: SimulationTimeline { report.timeline }
  private var scenario: Scenario { report.timeline.scenario }

  package init(report: SimulationReport) { self.report = report }

  package func text() -> String {
    JSONWriter.document("pintle-simulation", by: .pintle) { writer in
      writer.member("at", scenario.now)
      writer.member("until", scenario.end)
      writer.member("verdict", timeline.first == nil ? "safe" : "locked-out")
      writer.member("answer", SimulationAnswer(timeline).sentence)
      writer.object("summary") { writer in
        writer.member("hosts", scenario.servers.count)
        writer.member("lockedOut", timeline.affected.count)
        writer.member("lockedOutAnyway", timeline.standing.count)
        writer.member("partlyBlocked", timeline.partly.count)
      }
      addFirst(to: &writer)
      addAssumptions(to: &writer)
      addReleases(to: &writer)
      addEvents(to: &writer)
      addLockouts(to: &writer)
      addFutures(to: &writer)
      addLosses(to: &writer)
    }
  }

  private func addFirst(to writer: inout JSONWriter) {
    guard let first = timeline.first, let witness = report.witness else { return }
    let alike = timeline.alike(first)
    let cause = CauseText(scenario, timeline.names)
    writer.object("first") { writer in
      writer.member("at", timeline.lockouts[first].lockout.begin)
      writer.array("releases", names(ofReleases: alike.releases))
      writer.array("hosts", labels(alike.servers))
      writer.member("cause", timeline.lockouts[first].cause.name)
      writer.member("reason", cause.reason(timeline.lockouts[first].cause))
      writer.member("advice", cause.advice(timeline.lockouts[first]))
      writer.member(witness)
    }
  }

  private func addAssumptions(to writer: inout JSONWriter) {
    let question = report.study.question
    writer.object("assumptions") { writer in
      writer.member("window", scenario.window)
      writer.member("releasesGoOn", !question.isFrozen)
      if let assessment = report.study.world.assessment {
        writer.object("evidence") { writer in
          writer.member("begun", assessment.begun)
          writer.member("ended", assessment.ended)
          writer.member("hosts", assessment.targets.count)
        }
      }
      writer.adoption(of: report.study)
      writer.array("lost", question.lost)
      writer.array("denied", question.denied)
      writer.objects("serverChanges", question.serverChanges) { change, writer in
        writer.member("host", change.host.text)
        writer.member("port", change.port)
        writer.array("keys", change.keys)
        writer.member("at", change.instant)
      }
      writer.array("blindSpots", report.blindSpots)
    }
  }

  private func addReleases(to writer: inout JSONWriter) {
    writer.objects("releases", scenario.releases.enumerated()) { item, writer in
      writer.member("name", item.element.name)
      writer.member("serial", item.element.serial)
      writer.member("origin", item.element.origin.name)
      writer.member("issued", item.element.issued)
      writer.member("runUntil", scenario.run(ofRelease: item.offset).end)
    }
  }

  private func addEvents(to writer: inout JSONWriter) {
    let words = EventText(timeline)
    writer.objects("events", timeline.events) { event, writer in
      writer.member("at", event.instant)
      writer.member("kind", event.kind.name)
      add(event.kind, to: &writer)
      writer.member("text", words.text(event))
      writer.array("hosts", labels(event.servers))
    }
  }

  /// What an event says besides what it is.
  private func add(_ kind: TimelineEvent.Kind, to writer: inout JSONWriter) {
    switch kind {
    case .release(let number), .lastClientGone(let number): writer.array("releases", names(ofReleases: [number]))
    case .manifestExpires(let number, let action):
      writer.array("releases", names(ofReleases: [number]))
      writer.member("then", action)
    case .entriesExpire(let numbers, let action):
      writer.array("releases", names(ofReleases: numbers))
      writer.member("then", action)
    case .exceptionsEnd: break
    case .serversChange(let before, let after, let source):
      writer.array("before", before)
      writer.array("after", after)
      writer.member("source", source.name)
    case .certificateEnds(let role, let name):
      writer.member("role", EventText.text(role))
      writer.member("name", name.isEmpty ? nil : name)
    case .keyStep(let key, let status):
      writer.member("key", key)
      writer.member("status", status)
    case .lockoutBegins(let blocked), .lockoutEnds(let blocked):
      writer.array("releases", names(ofReleases: blocked.releases))
      writer.member("standing", blocked.isStanding)
      writer.member("cause", blocked.cause.name)
    }
  }

  private func addLockouts(to writer: inout JSONWriter) {
    writer.objects("lockouts", timeline.lockouts) { judged, writer in
      let lockout = judged.lockout
      writer.member("host", lockout.server.label)
      writer.member("release", lockout.release.name)
      writer.member("from", lockout.begin)
      writer.member("until", lockout.end)
      writer.member("extent", lockout.extent == .every ? "every" : "some")
      writer.member("standing", judged.isStanding)
      writer.member("cause", judged.cause.name)
    }
  }

  private func addFutures(to writer: inout JSONWriter) {
    writer.objects("futures", report.futures) { future, writer in
      writer.member("kind", future.kind.rawValue)
      writer.member("at", future.instant)
      writer.member("renewedBy", future.renewedBy)
      writer.member("effect", future.onlyReports ? "reported" : "blocked")
      writer.member("key", future.name)
      writer.member("pin", future.key)
      writer.array("next", future.next)
      writer.array("hosts", labels(future.servers))
      writer.member("text", future.clause)
      writer.member("advice", future.advice(in: scenario))
      writer.member("source", future.source)
    }
  }

  private func addLosses(to writer: inout JSONWriter) {
    writer.objects("losses", report.losses) { loss, writer in
      writer.member("key", timeline.names[loss.pin])
      writer.member("pin", loss.pin)
      writer.member("presentedBy", loss.presenting.count)
      writer.objects("stranded", loss.stranded) { stranded, writer in
        writer.member("host", stranded.server.label)
        writer.member("at", stranded.instant)
        writer.member("release", stranded.release.name)
      }
    }
  }

  private func labels(_ servers: [Int]) -> [String] { servers.map { scenario.servers[$0].label } }

  private func names(ofReleases releases: [Int]) -> [String] { releases.map { scenario.releases[$0].name } }
}

extension LockoutCause {
  /// Its name for programs.
  var name: String {
    switch self {
    case .notYetPublished: "not-yet-published"
    case .pinRemoved: "pin-removed"
    case .removedTooEarly: "removed-too-early"
    case .disjoint: "disjoint"
    case .denied: "denied"
    case .newlyEnforced: "newly-enforced"
    case .expired(.entry): "entry-expired"
    case .expired(.manifest): "manifest-expired"
    case .untrusted: "untrusted"
    case .exceptionEnded: "exception-ended"
    case .unpinnedDenied: "unpinned-denied"
    case .other: "other"
    }
  }
}

extension ClientRelease.Origin {
  /// Its name for programs.
  var name: String {
    switch self {
    case .released: "released"
    case .candidate: "candidate"
    case .planned: "planned"
    }
  }
}

extension ServerPhase.Source {
  /// Its name for programs.
  var name: String {
    switch self {
    case .observed: "observed"
    case .assumed: "assumed"
    case .planned: "planned"
    case .afterLoss: "after-loss"
    }
  }
}
