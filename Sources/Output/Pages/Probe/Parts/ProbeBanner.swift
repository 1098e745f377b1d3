import Diagnostics
import PinFormat
import PinProbe

extension Markup {
  /// The verdict, how many hosts stand how, and by what and when it was found.
  mutating func banner(_ model: ProbeModel) {
    let headline = Headline(model)
    element(.header, .kind("banner " + headline.standing.kind)) { markup in
      markup.element(.p, .kind("kicker"), text: "Pintle · live validation of TLS pins")
      markup.headline(headline.standing.tone, headline.text)
      markup.tally(model)
      markup.warnings(model)
      markup.remarks(model)
      markup.facts(model)
    }
  }

  private mutating func tally(_ model: ProbeModel) {
    let counts = Standing.allCases.map { ($0, model.count($0)) }.filter { $0.1 > 0 }
    guard !counts.isEmpty else { return }
    element(.ul, .kind("tally"), .label("Hosts by how they stand")) { markup in
      for (standing, count) in counts {
        markup.element(.li) { markup in
          markup.element(.strong, text: String(count))
          markup.text(" ")
          markup.badge(standing, standing.words)
        }
      }
    }
  }

  /// What keeps the page from speaking of the whole fleet.
  private mutating func warnings(_ model: ProbeModel) {
    let assessment = model.assessment
    if assessment.isPartial {
      element(.p, .kind("notice")) { markup in
        markup.element(.strong, text: "Partial: ")
        markup.text("probing was ended before everything had been asked. What is missing here has not been checked.")
      }
    }
    if !assessment.shards.isEmpty {
      let shards = assessment.shards.map { "\($0.number)/\($0.count)" }.joined(separator: ", ")
      element(.p, .kind("notice")) { markup in
        markup.element(.strong, text: "Part of the fleet: ")
        markup.text(
          "\(assessment.shards.count == 1 ? "shard" : "shards") \(shards). The other hosts are not on this page.")
      }
    }
  }

  /// What couldn't be asked, and what was left out.
  private mutating func remarks(_ model: ProbeModel) {
    for remark in model.report.remarks { element(.p, .kind("notice"), text: remark) }
  }

  private mutating func facts(_ model: ProbeModel) {
    let assessment = model.assessment
    element(.dl, .kind("facts")) { markup in
      markup.fact("Observed") { markup in
        markup.instant(assessment.begun)
        if assessment.ended != assessment.begun {
          markup.text(" to ")
          markup.instant(assessment.ended)
        }
      }
      markup.fact("Recorded by") { $0.text(ShownText.name(assessment.tool)) }
      markup.fact("Evaluated as of") { $0.instant(assessment.instant) }
      let stores = assessment.stores.map(ShownText.name).joined(separator: ", ")
      markup.fact("Trust stores") { $0.text(stores.isEmpty ? "none" : stores) }
      markup.fact("Evaluated by") { $0.text(model.report.tool.name + " " + model.report.tool.version) }
      markup.fact("Findings") { $0.text(model.report.findingsText) }
    }
  }
}

extension Report {
  /// `2 errors, 1 warning, 1 accepted`.
  fileprivate var findingsText: String {
    let counts = Severity.allCases.reversed().map { ($0, count(of: $0)) }.filter { $0.1 > 0 }
    let accepted = suppressed.isEmpty ? [] : ["\(suppressed.count) accepted"]
    let parts = counts.map { counted($0.1, $0.0.rawValue) } + accepted
    return parts.isEmpty ? "none" : parts.joined(separator: ", ")
  }
}
