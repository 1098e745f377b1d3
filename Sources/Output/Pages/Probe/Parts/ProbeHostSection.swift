import Diagnostics
import PinFormat
import PinProbe

extension Markup {
  /// So many hosts that want attention are unfolded; the rest opens when asked.
  private static let mostOpen = 25

  /// Each host with its findings, its matrix, its chains and its dates.
  mutating func hostSections(_ model: ProbeModel) {
    guard !model.hosts.isEmpty else { return }
    element(.section) { markup in
      markup.element(.h2, text: "Host by host")
      for (place, host) in model.hosts.enumerated() {
        let isOpen = place < Self.mostOpen && host.standing <= .caution
        markup.element(.details, .id(.host(host.target.label)), .kind("host"), isOpen ? .open : nil) { markup in
          markup.element(.summary) { markup in
            markup.element(.h3, text: host.target.label)
            markup.badge(host.standing, host.standing.words)
            if !host.findings.isEmpty { markup.element(.small, text: host.findingsText) }
          }
          markup.body(of: host, at: place, model)
        }
      }
    }
  }

  private mutating func body(of host: HostSummary, at place: Int, _ model: ProbeModel) {
    let target = host.target
    if let startTLS = target.startTLS {
      element(.p, .kind("aside"), text: "TLS is started within \(startTLS.rawValue) (STARTTLS).")
    }
    if !host.findings.isEmpty {
      element(.h4, text: "Findings")
      findings(host.findings, model)
    }
    if let unresolved = target.unresolved {
      element(.p, .kind("aside")) { markup in
        markup.badge(.unreached, target.visits.isEmpty ? "no address" : "other addresses")
        markup.text(" " + unresolved.message)
      }
    }
    if !target.visits.isEmpty {
      element(.h4, text: "Who would accept it")
      matrix(host, at: place, model)
    }
    var done: Set<Int> = []
    for case let chain? in model.chainOfVisit[place] where done.insert(chain).inserted {
      element(.h4) { markup in
        let title = "Chain \(chain + 1)"
        markup.text(title)
        if let leaf = model.chains[chain].sent.first { markup.text(": " + model.name(leaf)) }
      }
      let drawnAt = model.drawnAt[chain]
      if drawnAt == place {
        drawing(of: chain, model)
      } else {
        element(.p, .kind("aside")) { markup in
          markup.text("The same chain, with the same result, is drawn at ")
          markup.element(.a, .link(.chain(chain + 1)), text: model.hosts[drawnAt].target.label)
          markup.text(".")
        }
      }
    }
  }
}
