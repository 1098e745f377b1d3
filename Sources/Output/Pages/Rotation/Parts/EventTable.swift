import Diagnostics
import PinFormat
import PinRotation

extension Markup {
  /// The most events of the table; the least telling are left out first.
  private static let mostEvents = 200

  /// What happens when, for all hosts together.
  mutating func events(_ model: RotationModel) {
    let digest = model.timeline.digest(Self.mostEvents)
    element(.section, .id(.events)) { markup in
      markup.element(.h2, text: "What happens when")
      markup.element(.table, .kind("events")) { markup in
        markup.element(.caption, text: "Events in order of time, each once for all hosts that it concerns alike")
        markup.columns(["When", "What", "Hosts"])
        markup.element(.tbody) { markup in
          var isAhead = false
          for event in digest.events {
            if !isAhead, event.instant >= model.scenario.now {
              isAhead = true
              markup.nowRow(model)
            }
            markup.row(event, model)
          }
          if !isAhead { markup.nowRow(model) }
        }
      }
      if digest.leftOut > 0 {
        markup.element(
          .p, .kind("aside"),
          text: "\(digest.leftOut) more events, mostly ends of certificates, are in the output of --format json.")
      }
    }
  }

  private mutating func nowRow(_ model: RotationModel) {
    element(.tr, .kind("now")) { markup in
      markup.element(.th, .rowHead) { $0.instant(model.scenario.now) }
      markup.element(.td, .plain("colspan", "2"), text: "now")
    }
  }

  private mutating func row(_ event: TimelineEvent, _ model: RotationModel) {
    element(.tr) { markup in
      markup.element(.th, .rowHead) { $0.instant(event.instant) }
      markup.element(.td) { markup in
        if let (tone, words) = event.kind.badge {
          markup.badge(tone, words)
          markup.text(" ")
        }
        markup.text(model.words.plain(event))
      }
      markup.element(.td, text: event.servers.isEmpty ? "" : model.hosts(event.servers))
    }
  }
}

extension TimelineEvent.Kind {
  /// What says at a glance that somebody is blocked.
  fileprivate var badge: (Tone, String)? {
    guard case .lockoutBegins(let blocked) = self else { return nil }
    return switch (blocked.extent, blocked.isStanding) {
    case (.every, false): (.bad, "locked out")
    case (.every, true): (.care, "locked out for another reason")
    case (.some, _): (.care, "partly blocked")
    }
  }
}
