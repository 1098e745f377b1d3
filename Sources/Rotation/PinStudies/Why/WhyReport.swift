package import Diagnostics
import PinFormat

/// The answer, for people and for programs.
package struct WhyReport {
  private let why: Why

  package init(_ why: Why) { self.why = why }

  package func text() -> String {
    let parts = [facts(), changes(), signs(), affected(), notes(), steps()]
    return ([answer] + parts).filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private var answer: String {
    let since = why.since.map { " since \($0)" } ?? ""
    let what = why.target.isEmpty ? "" : why.target + " "
    switch why.cause {
    case .none, .olderReleases, .release: return "\(what)\(why.answer)\n"
    case .unknown where !why.isBlocked: return "\(what)\(why.answer)\n"
    case .rejectedUpdate: return why.answer + since + "\n"
    default: return "\(what)blocked\(since): \(why.answer)\n"
    }
  }

  private func facts() -> String {
    var table = Table()
    var last = ""
    for (name, value) in why.facts {
      table.add(name == last ? "" : name, value)
      last = name
    }
    for (number, link) in why.chain.enumerated() {
      let dates = [link.notBefore, link.notAfter].map { $0.map { String($0.description.prefix(10)) } ?? "?" }
      let parts: [String?] = [
        link.key.map { "'\($0)'" }, link.pin?.description ?? "no readable key", VisibleText.of(link.subject),
        link.issuer.isEmpty ? nil : "\(dates[0]) to \(dates[1])",
      ]
      table.add(number == 0 ? "presents" : "", parts.compactMap(\.self).joined(separator: ", "))
    }
    return table.text()
  }

  private func changes() -> String {
    why.changes.isEmpty ? "" : "WHAT CHANGED\n" + why.changes.map { "  \($0)\n" }.joined()
  }

  private func signs() -> String {
    guard let assessment = why.assessment else { return "" }
    let verdict =
      switch assessment {
      case .attack:
        "treat it as an attack, and change nothing in the policy, until the server's operator says otherwise"
      case .renewal where why.hasSameKey: "it looks like the same operator, with the same private key; ask"
      case .renewal: "it looks like a renewal; only the server's operator knows"
      case .unclear: "nothing here decides it; ask the server's operator"
      }
    var table = Table()
    for sign in why.signs {
      let word =
        switch sign.speaksFor {
        case .attack: "attack?"
        case .renewal: "renewal"
        case .unclear: "unclear"
        }
      table.add(word, sign.text)
    }
    return "ATTACK OR RENEWAL: \(verdict)\n" + table.text(indent: 2)
  }

  private func affected() -> String {
    guard !why.affected.isEmpty, why.isBlocked || why.cause == .olderReleases else { return "" }
    if let all = sameOfAll { return "CLIENTS WITH\n  " + all + "\n" }
    var table = Table()
    // Of many releases the newest are what clients run.
    for item in why.affected.reversed().prefix(12) {
      let clients = item.decisions.map { decisions in
        decisions == 0
          ? "no client counted"
          : counted(Int(decisions), "decision") + " reported, by "
            + VisibleText.of(Set(item.reporters).sorted().joined(separator: ", "))
      }
      table.add(item.release, item.isBlocked ? "blocks it" : "allows it", clients ?? "released \(item.issued)")
    }
    let more = why.affected.count - 12
    return "CLIENTS WITH\n" + table.text(indent: 2) + (more > 0 ? "  and \(counted(more, "earlier release"))\n" : "")
  }

  /// `each of 13 releases, serial 1 to serial 13: all block it`; nil where there is more to say of one of them.
  private var sameOfAll: String? {
    guard why.affected.count > 3, let first = why.affected.first, let last = why.affected.last,
      why.affected.allSatisfy({ $0.decisions == nil && $0.isBlocked == first.isBlocked })
    else { return nil }
    return "each of \(why.affected.count) releases, \(first.release) to \(last.release): all "
      + (first.isBlocked ? "block it" : "allow it")
  }

  private func notes() -> String {
    why.notes.isEmpty ? "" : "NOTES\n" + why.notes.map { "  \($0)\n" }.joined()
  }

  private func steps() -> String {
    guard !why.steps.isEmpty else { return "" }
    var text = "NEXT\n"
    for (number, step) in why.steps.enumerated() {
      text += "  \(number + 1). \(step.text)\n"
      for command in step.commands { text += "       \(command)\n" }
    }
    let runbook = why.runbook.map { Citation.text("docs/runbooks.md#\($0)", in: Report.Tool.pintle.reference) } ?? ""
    return text + (runbook.isEmpty ? "" : "  See \(runbook)\n")
  }

  package func json(by tool: Report.Tool) -> String {
    JSONWriter.document("pintle-why", by: tool) { writer in
      if !why.target.isEmpty { writer.member("target", why.target) }
      writer.member("at", why.instant)
      writer.member("cause", why.cause)
      writer.member("answer", why.answer)
      writer.member("isBlocked", why.isBlocked)
      writer.member("since", why.since)
      writer.objects("facts", why.facts) { fact, writer in
        writer.member("name", fact.0)
        writer.member("text", fact.1)
      }
      writer.objects("certificates", why.chain) { link, writer in
        writer.member("key", link.key)
        writer.member("pin", link.pin)
        writer.member("subject", link.subject)
        writer.member("issuer", link.issuer)
        writer.member("notBefore", link.notBefore)
        writer.member("notAfter", link.notAfter)
      }
      writer.array("changes", why.changes)
      writer.member("assessment", why.assessment)
      writer.objects("signs", why.signs) { sign, writer in
        writer.member("speaksFor", sign.speaksFor)
        writer.member("text", sign.text)
      }
      writer.objects("affected", why.affected) { item, writer in
        writer.member("release", item.release)
        writer.member("serial", item.serial)
        writer.member("issued", item.issued)
        writer.member("isBlocked", item.isBlocked)
        writer.member("decisions", item.decisions)
        writer.array("reporters", item.reporters)
      }
      writer.array("notes", why.notes)
      writer.objects("steps", why.steps) { step, writer in
        writer.member("text", step.text)
        writer.array("commands", step.commands)
      }
      writer.member("runbook", why.runbook)
    }
  }
}
