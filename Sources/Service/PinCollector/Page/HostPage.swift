#if Collector
import Diagnostics
import PinFormat

/// The page of a host: each report about it, with the chain that failed and the pins that were asked for.
struct HostPage {
  var host: String
  var port: Int64
  var failures: Answers.Failures
  var days: Int64
  var now: Instant

  func html() -> String {
    let name = CollectorPage.target(host, port)
    return CollectorPage.html(title: "Reports about " + name, now: now) { markup in
      markup.element(.nav, .label("Way back")) { markup in
        markup.element(.a, .link(toPath: [], query: ["days": "\(days)"]), text: "All hosts")
      }
      markup.element(.div, .kind("banner bad")) { markup in
        markup.element(.p, .kind("kicker"), text: "Reported mismatches, the last \(days) days")
        markup.headline(.bad, name)
        markup.element(.ul, .kind("tally")) { markup in
          markup.element(.li) { markup in
            let (all, different) = (failures.failures.reduce(0) { $0 + $1.reports }, failures.failures.count)
            markup.element(.strong, text: CollectorPage.number(all))
            let words = all == 1 ? " report" : different == 1 ? " reports, which say the same" : nil
            markup.text(words ?? " reports, of which \(different) say something different")
          }
        }
        if failures.next != nil {
          markup.element(.p, .kind("notice"), text: "There are more; /v1/failures has all of them.")
        }
      }
    } main: { markup in
      for failure in failures.failures { report(&markup, failure) }
    }
  }

  private func report(_ markup: inout Markup, _ failure: Answers.Failure) {
    markup.element(.section, .kind("report")) { markup in
      markup.element(.h2) { markup in
        switch failure.enforced {
        case true?: markup.badge(.bad, "blocked")
        case false?: markup.badge(.care, "only reported")
        case nil: markup.badge(.far, "outcome not reported")
        }
        markup.text(" \(CollectorPage.number(failure.reports))× since ")
        markup.instant(failure.firstSeen.instant)
      }
      markup.element(.dl, .kind("facts")) { facts(&$0, failure) }
      markup.element(.h4, text: "The chain, leaf first")
      pins(&markup, failure.chain, known: Set(failure.knownPins), none: "No certificate could be read.")
      if let unreadable = failure.unreadable {
        markup.element(
          .p, .kind("notice"),
          text: "Certificates left out, because they or others before them can't be read: "
            + CollectorPage.number(unreadable) + ".")
      }
      markup.element(.h4, text: "The pins that the client knew")
      pins(&markup, failure.knownPins, known: [], none: "It names none.")
      if !failure.days.isEmpty {
        markup.element(.h4, text: "Reports by day")
        markup.element(.ul, .kind("days")) { markup in
          for day in failure.days {
            markup.element(.li, text: "\(day.day): \(CollectorPage.number(day.reports))")
          }
        }
      }
    }
  }

  private func facts(_ markup: inout Markup, _ failure: Answers.Failure) {
    markup.fact("Last") { $0.instant(failure.lastSeen.instant) }
    markup.fact("Client's time") { $0.instant(failure.claimed.instant) }
    markup.fact("Entry") { $0.text((failure.includesSubdomains ? "*." : "") + failure.entry) }
    markup.fact("Leaf") { $0.text(failure.subject.isEmpty ? "–" : failure.subject) }
    markup.fact("Issued by") { $0.text(failure.issuer.isEmpty ? "–" : failure.issuer) }
    markup.fact("Client") { $0.text(failure.reporter ?? "not said") }
    markup.fact("Format") { $0.text(failure.format) }
    markup.fact("Certificates") { markup in
      markup.element(.a, .link(toPath: ["v1", "failures", "\(failure.id)"]), text: "as JSON, with PEM")
    }
  }

  private func pins(_ markup: inout Markup, _ pins: [String], known: Set<String>, none: String) {
    guard !pins.isEmpty else {
      markup.element(.p, text: none)
      return
    }
    markup.element(.ul, .kind("chain")) { markup in
      for pin in pins {
        markup.element(.li) { markup in
          markup.element(.code, text: pin)
          if known.contains(pin) {
            markup.text(" ")
            markup.badge(.care, "known, at another position or denied")
          }
        }
      }
    }
  }
}
#endif
