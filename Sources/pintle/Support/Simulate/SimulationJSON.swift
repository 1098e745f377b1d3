import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinRotation
import PinRules

/// A simulation for programs, as `schemas/simulation.schema.json` describes it.
///
/// Members may be added; none is removed, renamed or given another meaning without another `version`.
struct SimulationJSON {
  let report: SimulationReport

  private var timeline: SimulationTimeline { report.timeline }
  private var scenario: Scenario { report.timeline.scenario }

  func text() -> String {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("format", "pintle-simulation")
      writer.member("version", 1)
      writer.object("tool") { writer in
        writer.member("name", "pintle")
        writer.member("version", Version.current)
      }
      writer.member("at", scenario.now.description)
      writer.member("until", scenario.end.description)
      writer.member("verdict", timeline.first == nil ? "safe" : "locked-out")
      writer.member("answer", SimulationAnswer(timeline).sentence)
      addSummary(to: &writer)
      addFirst(to: &writer)
      addAssumptions(to: &writer)
      addReleases(to: &writer)
      addEvents(to: &writer)
      addLockouts(to: &writer)
      addLosses(to: &writer)
    }
    return writer.text + "\n"
  }

  private func addSummary(to writer: inout JSONWriter) {
    writer.object("summary") { writer in
      writer.member("hosts", scenario.servers.count)
      writer.member("lockedOut", timeline.affected.count)
      writer.member("lockedOutAnyway", timeline.standing.count)
      writer.member("partlyBlocked", timeline.partly.count)
    }
  }

  private func addFirst(to writer: inout JSONWriter) {
    guard let first = timeline.first, let witness = report.witness else { return }
    let alike = timeline.alike(first)
    let cause = CauseText(scenario, timeline.names)
    writer.object("first") { writer in
      writer.member("at", timeline.lockouts[first].lockout.begin.description)
      writer.releases("releases", alike.releases, scenario)
      writer.hosts(alike.servers, scenario)
      writer.member("cause", timeline.lockouts[first].cause.name)
      writer.member("reason", cause.reason(timeline.lockouts[first].cause))
      writer.member("advice", cause.advice(timeline.lockouts[first]))
      writer.member(witness)
    }
  }

  private func addAssumptions(to writer: inout JSONWriter) {
    let question = report.study.question
    writer.object("assumptions") { writer in
      writer.member("window", Int(scenario.window))
      writer.member("releasesGoOn", !question.isFrozen)
      if let assessment = report.study.world.assessment {
        writer.object("evidence") { writer in
          writer.member("begun", assessment.begun.description)
          writer.member("ended", assessment.ended.description)
          writer.member("hosts", assessment.targets.count)
        }
      }
      writer.array("lost") { writer in question.lost.forEach { writer.member(nil, $0) } }
      writer.array("denied") { writer in question.denied.forEach { writer.member(nil, $0) } }
      writer.array("serverChanges") { writer in
        for change in question.serverChanges {
          writer.object { writer in
            writer.member("host", change.host.text)
            if let port = change.port { writer.member("port", Int(port)) }
            writer.array("keys") { writer in change.keys.forEach { writer.member(nil, $0) } }
            writer.member("at", change.instant.description)
          }
        }
      }
      writer.array("blindSpots") { writer in report.blindSpots.forEach { writer.member(nil, $0) } }
    }
  }

  private func addReleases(to writer: inout JSONWriter) {
    writer.array("releases") { writer in
      for (number, release) in scenario.releases.enumerated() {
        let run = scenario.run(ofRelease: number)
        writer.object { writer in
          writer.member("name", release.name)
          if let serial = release.serial { writer.member("serial", Int(serial)) }
          writer.member("origin", release.origin.name)
          writer.member("issued", release.issued.description)
          if let end = run.end { writer.member("runUntil", end.description) }
        }
      }
    }
  }

  private func addEvents(to writer: inout JSONWriter) {
    let words = EventText(timeline)
    writer.array("events") { writer in
      for event in timeline.events {
        writer.object { writer in
          writer.member("at", event.instant.description)
          writer.member("kind", event.kind.name)
          writer.detail(event.kind, scenario)
          writer.member("text", words.text(event))
          writer.hosts(event.servers, scenario)
        }
      }
    }
  }

  private func addLockouts(to writer: inout JSONWriter) {
    writer.array("lockouts") { writer in
      for judged in timeline.lockouts {
        let lockout = judged.lockout
        writer.object { writer in
          writer.member("host", scenario.servers[lockout.server].label)
          writer.member("release", scenario.releases[lockout.release].name)
          writer.member("from", lockout.begin.description)
          if let end = lockout.end { writer.member("until", end.description) }
          writer.member("extent", lockout.extent == .every ? "every" : "some")
          writer.member("standing", judged.isStanding)
          writer.member("cause", judged.cause.name)
        }
      }
    }
  }

  private func addLosses(to writer: inout JSONWriter) {
    writer.array("losses") { writer in
      for loss in report.losses {
        writer.object { writer in
          if let name = timeline.names[loss.pin] { writer.member("key", name) }
          writer.member("pin", loss.pin.description)
          writer.member("presentedBy", loss.presenting.count)
          writer.array("stranded") { writer in
            for stranded in loss.stranded {
              writer.object { writer in
                writer.member("host", scenario.servers[stranded.server].label)
                writer.member("at", stranded.instant.description)
                writer.member("release", scenario.releases[stranded.release].name)
              }
            }
          }
        }
      }
    }
  }
}
