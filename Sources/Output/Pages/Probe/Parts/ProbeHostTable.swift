import Diagnostics
import PinProbe

extension Markup {
  /// All hosts at a glance, the worst first.
  mutating func hostTable(_ model: ProbeModel) {
    guard !model.hosts.isEmpty else { return }
    element(.section, .id(.hosts)) { markup in
      markup.element(.h2, text: "Hosts")
      markup.element(.table, .kind("hosts")) { markup in
        markup.element(
          .caption, text: counted(model.hosts.count, "host") + ", the worst first. Each name leads to what was found.")
        markup.columns(["Host", "State", "Findings", "Addresses", "First expiry"])
        markup.element(.tbody) { markup in
          for host in model.hosts { markup.row(host, model) }
        }
      }
    }
  }

  private mutating func row(_ host: HostSummary, _ model: ProbeModel) {
    element(.tr) { markup in
      markup.element(.th, .rowHead) { markup in
        markup.element(.a, .link(.host(host.target.label))) { $0.host(host.target.label) }
      }
      markup.element(.td) { $0.badge(host.standing, host.standing.words) }
      markup.element(.td, text: host.causeText)
      markup.element(.td, text: host.addressesText)
      markup.element(.td) { markup in
        guard let expiry = host.earliestExpiry else { return markup.text("–") }
        markup.day(expiry)
        markup.element(.small, text: " " + expiry.distance(from: model.assessment.instant))
      }
    }
  }
}

extension HostSummary {
  /// What is wrong, the gravest first: `certificate expired and 2 more`; a dash where nothing is.
  var causeText: String {
    guard let cause else { return "–" }
    return findings.count > 1 ? "\(cause) and \(findings.count - 1) more" : cause
  }

  /// `2 errors, 1 warning`; a dash where there are none.
  var findingsText: String {
    let notes = findings.count - errors - warnings
    let counts = [(errors, "error"), (warnings, "warning"), (notes, "note")].filter { $0.0 > 0 }
    return counts.isEmpty ? "–" : counts.map { counted($0.0, $0.1) }.joined(separator: ", ")
  }

  /// The addresses, or how many there are.
  var addressesText: String {
    switch addresses.count {
    case 0: "none"
    case 1...2: addresses.map(ShownText.name).joined(separator: ", ")
    default: ShownText.name(addresses[0]) + " and \(addresses.count - 1) more"
    }
  }
}
