import Diagnostics
import PinFormat
import PinProbe

extension Markup {
  /// When each certificate of a chain is valid: a table, with a bar on a line of time beside each row.
  mutating func timeLine(of chain: ChainModel, _ model: ProbeModel) {
    let instant = model.assessment.instant
    let records = chain.certificates.compactMap(model.record)
    let names = records.map { model.name($0.fingerprint) }
    // Certificates with the same name are distinguished by their issuer.
    let rows = zip(names, records).map { name, record in
      let isAlone = names.count { $0 == name } == 1
      return (isAlone ? name : name + ", issued by " + (record.isSelfSigned ? "itself" : model.issuer(record)), record)
    }
    guard let window = TimeWindow(rows.map(\.1), chain.deadlines, instant) else { return }
    element(.table, .kind("dates")) { markup in
      markup.element(.caption, text: "Dates; the upright line is \(instant.day), as of which the chain was checked")
      markup.element(.thead) { markup in
        markup.element(.tr) { markup in
          markup.element(.th, .columnHead, text: "Certificate")
          markup.element(.th, .columnHead, text: "Valid")
          markup.element(.th, .columnHead, .kind("line")) { markup in
            markup.element(.span, text: window.start.day)
            markup.element(.span, text: window.end.day)
          }
        }
      }
      markup.element(.tbody) { markup in
        for (name, record) in rows { markup.row(name, record, window) }
        for deadline in chain.deadlines {
          markup.element(.tr) { markup in
            markup.element(.th, .rowHead, text: ShownText.name(deadline.title))
            markup.element(.td) { markup in
              markup.day(deadline.instant)
              markup.element(.small, text: " " + deadline.instant.distance(from: instant))
            }
            markup.element(.td) { $0.bar(window, from: nil, to: deadline.instant, kind: "end") }
          }
        }
      }
    }
  }

  private mutating func row(_ name: String, _ record: CertificateRecord, _ window: TimeWindow) {
    element(.tr) { markup in
      markup.element(.th, .rowHead, text: name)
      guard let begin = record.notBefore, let end = record.notAfter else {
        markup.element(.td, .plain("colspan", "2"), text: "its dates can't be read")
        return
      }
      let isValid = begin <= window.instant && window.instant < end
      markup.element(.td) { markup in
        markup.day(begin)
        markup.text(" to ")
        markup.day(end)
        if begin > window.instant {
          markup.element(.small, text: " begins " + begin.distance(from: window.instant))
        } else {
          markup.element(.small, text: (isValid ? " ends " : " ended ") + end.distance(from: window.instant))
        }
      }
      markup.element(.td) { $0.bar(window, from: begin, to: end, kind: isValid ? "good" : "bad") }
    }
  }

  /// A bar between two instants, or a mark at the second; decoration, since the row says the dates.
  private mutating func bar(_ window: TimeWindow, from begin: Instant?, to end: Instant, kind: String) {
    element(.svg, .kind("bar " + kind), .hidden) { markup in
      let right = window.place(end)
      if let begin {
        let left = window.place(begin)
        markup.empty(
          .rect, .plain("x", percent(left)), .plain("width", percent(max(40, right - left))), .plain("y", "5"),
          .plain("height", "8"), .plain("rx", "2"))
      } else if end >= window.start {
        markup.empty(
          .rect, .plain("x", percent(max(0, right - 40))), .plain("width", "0.8%"), .plain("y", "2"),
          .plain("height", "14"))
      }
      let now = percent(window.place(window.instant))
      markup.empty(.line, .plain("x1", now), .plain("x2", now), .plain("y1", "0"), .plain("y2", "18"))
    }
  }
}

/// The part of time that a line shows: the leaf's life and the instant, so that what is near can be told apart.
///
/// Bars of roots run out of it on both sides.
private struct TimeWindow {
  let start: Instant
  let end: Instant
  let instant: Instant

  init?(_ records: [CertificateRecord], _ deadlines: [ProbePage.Deadline], _ instant: Instant) {
    guard let leaf = records.first(where: { $0.notBefore != nil && $0.notAfter != nil }),
      let begin = leaf.notBefore, let end = leaf.notAfter
    else { return nil }
    let year: Int64 = 366 * 86_400
    let first = min(begin, instant)
    // A date far in the future would leave no room for the near ones.
    let near = deadlines.map(\.instant).filter { abs($0.seconds(since: instant)) < 3 * year }
    let last = max(end, instant, near.max() ?? end)
    let margin = max(86_400, last.seconds(since: first) / 16)
    self.start = first.adding(seconds: -margin)
    self.end = last.adding(seconds: margin)
    self.instant = instant
  }

  /// Hundredths of a percent of the line's length, inside of it.
  func place(_ time: Instant) -> Int64 {
    let whole = max(1, end.seconds(since: start))
    return min(max(0, time.seconds(since: start)), whole) * 10_000 / whole
  }
}
