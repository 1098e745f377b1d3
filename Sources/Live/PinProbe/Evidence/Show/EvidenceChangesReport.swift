package import Diagnostics
import PinFormat

/// What changed between two records, for people and for programs.
package struct EvidenceChangesReport {
  private let before: Evidence
  private let after: Evidence
  private let changes: EvidenceChanges
  private let summaries: [SHA256Digest: CertificateSummary]

  package init(from before: Evidence, to after: Evidence) {
    self.before = before
    self.after = after
    changes = EvidenceChanges(from: before, to: after)
    var summaries: [SHA256Digest: CertificateSummary] = [:]
    for item in before.certificates + after.certificates where summaries[item.fingerprint] == nil {
      summaries[item.fingerprint] = CertificateSummary(item.der)
    }
    self.summaries = summaries
  }

  package func text() -> String {
    var head = Table()
    head.add("before", Self.period(before))
    head.add("after", Self.period(after))
    let count = changes.hosts.count { $0.onlyIn == nil }
    let total = count + changes.unchanged
    let summary =
      total == 0
      ? "no host is in both records\n"
      : count == 0
        ? "nothing changed on \(counted(total, "host"))\n" : "\(count) of \(counted(total, "host")) changed\n"
    return summary + head.text() + changes.hosts.map { host in "\n" + text(host) }.joined()
  }

  private static func period(_ record: Evidence) -> String {
    "\(record.begun) to \(record.ended)" + (record.isPartial ? ", probing was stopped early" : "")
      + (record.shards.isEmpty ? "" : ", a part of the fleet")
  }

  private func text(_ host: EvidenceChanges.Host) -> String {
    switch host.onlyIn {
    case .before: host.label + ": only in the first record\n"
    case .after: host.label + ": only in the second record\n" + host.changes.map { text($0) }.joined()
    case nil: host.label + "\n" + host.changes.map { text($0) }.joined()
    }
  }

  private func text(_ change: EvidenceChanges.Change) -> String {
    let offers = change.offers.map { "\($0.keyFamily.title) \($0.tlsVersion.rawValue)" }.joined(separator: ", ")
    let place = change.addresses.isEmpty ? "name" : change.addresses.joined(separator: ", ") + " (\(offers))"
    var table = Table()
    let (old, new) = (lines(change.before), lines(change.after))
    // A certificate that is in both is left out, unless only the order differs.
    let isOrder = Set(old) == Set(new)
    for (mark, lines, others) in [("-", old, new), ("+", new, old)] {
      for line in lines where isOrder || !others.contains(line) {
        table.add(mark, line.place, line.pin, line.text)
      }
    }
    return "  \(place): \(change.kind.meaning)\n" + table.text(indent: 4)
  }

  /// What is shown of one certificate or of a failure.
  private struct Line: Hashable {
    var place: String
    var pin = ""
    var text = ""
  }

  private func lines(_ outcome: EvidenceChanges.Outcome?) -> [Line] {
    switch outcome {
    case nil: return []
    case .failure(let kind, let message):
      return [Line(place: VisibleText.of(message.isEmpty ? kind.rawValue : message))]
    case .chain(let chain):
      return chain.enumerated().map { number, fingerprint in
        let facts = summaries[fingerprint]
        let dates = [facts?.notBefore, facts?.notAfter].map { $0.map { String($0.description.prefix(10)) } ?? "?" }
        let text = facts.map {
          "\(VisibleText.of($0.subject)), \(dates[0]) to \(dates[1]), issued by \(VisibleText.of($0.issuer))"
        }
        return Line(
          place: number == 0 ? "leaf" : "above", pin: facts?.pin?.description ?? "unreadable key",
          text: text ?? "not a certificate")
      }
    }
  }

  package func json(by tool: Report.Tool) -> String {
    JSONWriter.document("pintle-evidence-diff", by: tool) { writer in
      for (name, record) in [("before", before), ("after", after)] {
        writer.object(name) { writer in
          writer.member("begun", record.begun)
          writer.member("ended", record.ended)
          writer.member("partial", record.isPartial)
        }
      }
      writer.member("unchanged", changes.unchanged)
      writer.objects("hosts", changes.hosts) { host, writer in
        writer.member("host", host.host.text)
        writer.member("port", host.port)
        writer.member("onlyIn", host.onlyIn)
        writer.objects("changes", host.changes) { add($0, to: &$1) }
      }
    }
  }

  private func add(_ change: EvidenceChanges.Change, to writer: inout JSONWriter) {
    writer.member("kind", change.kind)
    writer.array("addresses", change.addresses)
    writer.objects("offers", change.offers) { offer, writer in
      writer.member("keyType", offer.keyFamily)
      writer.member("tlsVersion", offer.tlsVersion)
    }
    for (name, outcome) in [("before", change.before), ("after", change.after)] {
      guard let outcome else { continue }
      writer.object(name) { writer in
        switch outcome {
        case .failure(let kind, let message):
          writer.object("failure") { writer in
            writer.member("kind", kind)
            writer.member("message", message)
          }
        case .chain(let chain):
          writer.objects("chain", chain) { fingerprint, writer in
            let facts = summaries[fingerprint]
            writer.member("digest", "sha256:" + fingerprint.hex)
            writer.member("pin", facts?.pin)
            writer.member("subject", facts?.subject)
            writer.member("issuer", facts?.issuer)
            writer.member("notBefore", facts?.notBefore)
            writer.member("notAfter", facts?.notAfter)
          }
        }
      }
    }
  }
}

extension EvidenceChanges.Kind {
  fileprivate var meaning: String {
    switch self {
    case .leafKey: "another key at the leaf"
    case .certificate: "another certificate of the same key"
    case .authorityKeys: "other keys above the leaf"
    case .chain: "other certificates above the leaf, of the same keys"
    case .silent: "no longer sends a certificate"
    case .answers: "sends a certificate now"
    case .failure: "fails in another way"
    case .name: "what DNS says changed"
    case .onlyBefore: "only in the first record"
    case .onlyAfter: "only in the second record"
    }
  }
}
