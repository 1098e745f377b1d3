import Diagnostics
import PinFormat
import PinProbe
import PinValidator

extension Markup {
  /// The matrix of a host: address, key type and TLS version down, trust stores across, paths inside a cell.
  mutating func matrix(_ host: HostSummary, at place: Int, _ model: ProbeModel) {
    let stores = model.assessment.stores
    let label = host.target.label
    element(.div, .kind("scroll"), .region, .focusable, .label("Matrix of \(label)")) { markup in
      markup.element(.table, .kind("matrix")) { markup in
        markup.element(.caption, text: "\(label): what a client decides, by what it meets and what it trusts")
        let results = stores.isEmpty ? ["Result"] : stores.map(ShownText.name)
        markup.columns(["Address", "Key", "TLS", "Chain"] + results)
        markup.element(.tbody) { markup in
          let visits = Array(host.target.visits.enumerated())
          var first = 0
          while first < visits.count {
            let rest = visits[first...]
            let key = (rest[first].element.address, rest[first].element.port)
            let group = rest.prefix { ($0.element.address, $0.element.port) == key }
            for (number, visit) in group {
              markup.element(.tr) { markup in
                if number == first { markup.address(visit, rows: group.count, of: host.target) }
                markup.row(visit, chain: model.chainOfVisit[place][number], model)
              }
            }
            first = group.endIndex
          }
        }
      }
    }
  }

  private mutating func address(_ visit: AssessedVisit, rows: Int, of target: AssessedTarget) {
    let span = rows > 1 ? Attribute.plain("rowspan", String(rows)) : nil
    element(.th, .plain("scope", rows > 1 ? "rowgroup" : "row"), span) { markup in
      markup.text(visit.address)
      if visit.port != target.port { markup.element(.small, text: " port \(visit.port)") }
    }
  }

  private mutating func row(_ visit: AssessedVisit, chain: Int?, _ model: ProbeModel) {
    element(.th, .rowHead, text: visit.offer.keyFamily.title)
    element(.th, .rowHead) { markup in
      markup.element(.span, .kind("store"), text: "TLS ")
      markup.text(visit.offer.tlsVersion.rawValue)
    }
    let stores = model.assessment.stores
    let columns = max(1, stores.count)
    switch visit.outcome {
    case .served(let served):
      element(.td) { markup in
        if let chain { markup.element(.a, .link(.chain(chain + 1)), text: "chain \(chain + 1)") }
        let facts = served.facts + (visit.attempts > 1 ? ["\(visit.attempts) attempts"] : [])
        if !facts.isEmpty { markup.element(.small, text: " " + facts.joined(separator: " · ")) }
      }
      for number in 0..<columns {
        let paths = number < served.judgements.count ? served.judgements[number].paths : []
        markup(cell: paths, of: number < stores.count ? stores[number] : nil, model)
      }
    case .notOffered(let failure):
      answer(.nothing, "not offered", failure, attempts: visit.attempts, columns: columns)
    case .failed(let failure):
      answer(.unreached, "not reached", failure, attempts: visit.attempts, columns: columns)
    }
  }

  private mutating func answer(
    _ standing: Standing, _ words: String, _ failure: Evidence.Failure, attempts: Int, columns: Int
  ) {
    element(.td, .plain("colspan", String(columns + 1))) { markup in
      markup.badge(standing, words)
      let often = attempts > 1 ? ", \(attempts) attempts" : ""
      markup.element(.small, text: " \(failure.kind.rawValue): \(ShownText.of(failure.message))\(often)")
    }
  }

  /// What one trust store makes of a chain: a line for each path, what the runtime decides first.
  private mutating func markup(cell paths: [PathJudgement], of store: String?, _ model: ProbeModel) {
    element(.td) { markup in
      // Replaces the column heading on narrow screens.
      if let store { markup.element(.span, .kind("store"), text: ShownText.name(store) + " ") }
      if paths.isEmpty { return markup.text("–") }
      guard paths.count > 1 else { return markup.path(paths[0], model) }
      markup.element(.ul, .kind("paths")) { markup in
        for path in paths { markup.element(.li) { $0.path(path, model) } }
      }
    }
  }

  private mutating func path(_ path: PathJudgement, _ model: ProbeModel) {
    let state = PathState(path)
    badge(state.standing, state.words)
    guard path.chain.count > 1, let last = path.chain.last else { return }
    let isOpen = path.failures.contains { $0.code == .unknownIssuer || $0.code == .missingIntermediate }
    element(.small, text: (isOpen ? " up to " : " via ") + model.name(last))
  }
}

extension ServedReport {
  /// What else the handshake showed, in a few words each.
  fileprivate var facts: [String] {
    var facts: [String] = []
    switch staple {
    case nil: break
    case .good: facts.append("staple good")
    case .revoked: facts.append("staple: revoked")
    case .unknown: facts.append("staple: unknown")
    case .stale: facts.append("staple stale")
    case .unusable: facts.append("staple unusable")
    }
    if timestamps > 0 { facts.append("\(timestamps) SCT") }
    switch clientCertificate {
    case .notAsked: break
    case .asked: facts.append("asks for a client certificate")
    case .sent: facts.append("client certificate sent")
    }
    if let clockOffset, abs(clockOffset) > 60 {
      facts.append("clock \(abs(clockOffset)) s \(clockOffset < 0 ? "behind" : "ahead")")
    }
    if let failure { facts.append("then " + failure.kind.rawValue) }
    return facts
  }
}
