import Diagnostics
import PinFormat
import PinRotation

/// The measures of a drawing, in pixels of the page.
private enum Measure {
  static let head: Int64 = 34
  static let row: Int64 = 34
  static let bar: Int64 = 10
  /// So many characters fit into the narrowest drawing.
  static let label = 43
}

extension Markup {
  /// A host's bars over one axis of time; the table below says the same in words.
  ///
  /// Places along the axis are percentages, so that a drawing is as wide as its screen and its letters stay as large.
  mutating func drawing(_ rows: [TimelineRow], of group: HostGroup, _ number: Int, _ model: RotationModel) {
    let height = Measure.head + Int64(rows.count) * Measure.row
    let (title, description) = (Anchor("drawing", number + 1), Anchor("drawing-text", number + 1))
    element(
      .svg, .kind("timeline"), .plain("role", "img"), .plain("aria-labelledby", title.text),
      .plain("aria-describedby", description.text), .plain("width", "100%"), .plain("height", String(height))
    ) { markup in
      markup.element(.title, .id(title), text: "Time line of " + model.title(of: group))
      markup.element(.desc, .id(description), text: model.description(of: group))
      for row in rows where row.kind == .lockedOut { markup.band(row, height, model.axis) }
      markup.axis(height, model.axis)
      for (place, row) in rows.enumerated() {
        markup.bar(row, top: Measure.head + Int64(place) * Measure.row, model.axis)
      }
      markup.now(height, model.axis)
      // Text is drawn last, above all lines.
      for (place, row) in rows.enumerated() {
        markup.label(row, top: Measure.head + Int64(place) * Measure.row, model.axis)
      }
    }
  }

  /// The span of a lockout behind all other bars, so that they show what it comes from.
  private mutating func band(_ row: TimelineRow, _ height: Int64, _ axis: TimeAxis) {
    let left = row.begin.map(axis.place) ?? 0
    let right = row.end.map(axis.place) ?? 10_000
    empty(
      .rect, .kind("band"), .plain("x", percent(left)), .plain("width", percent(right - left)), .plain("y", "18"),
      .plain("height", String(height - 18)))
  }

  private mutating func axis(_ height: Int64, _ axis: TimeAxis) {
    for tick in axis.ticks {
      let place = percent(axis.place(tick))
      upright(at: place, from: 18, to: height, kind: "tick")
      element(
        .text, .kind("date"), .plain("x", place), .plain("y", "12"), .plain("text-anchor", "middle"), text: tick.day)
    }
  }

  private mutating func now(_ height: Int64, _ axis: TimeAxis) {
    let place = percent(axis.place(axis.now))
    upright(at: place, from: 18, to: height, kind: "now")
    element(.text, .kind("date"), .plain("x", place), .plain("y", "28"), .plain("dx", "4"), text: "now")
  }

  private mutating func upright(at place: String, from top: Int64, to bottom: Int64, kind: String) {
    empty(
      .line, .kind(kind), .plain("x1", place), .plain("x2", place), .plain("y1", String(top)),
      .plain("y2", String(bottom)))
  }

  private mutating func bar(_ row: TimelineRow, top: Int64, _ axis: TimeAxis) {
    let left = row.begin.map(axis.place) ?? 0
    let right = row.end.map(axis.place) ?? 10_000
    element(.g, .kind(row.kind.rawValue)) { markup in
      // Wide enough to be visible, and inside the drawing.
      let width = max(60, right - left)
      let start = min(left, 10_000 - width)
      if row.kind == .assumed || row.kind == .future {
        // A thick line of short dashes looks hatched; what may happen is a thin line of long ones.
        let y = String(top + 18 + Measure.bar / 2)
        markup.empty(
          .line, .plain("x1", percent(start)), .plain("x2", percent(start + width)), .plain("y1", y), .plain("y2", y))
      } else {
        markup.empty(
          .rect, .plain("x", percent(start)), .plain("width", percent(width)), .plain("y", String(top + 18)),
          .plain("height", String(Measure.bar)), .plain("rx", "2"))
      }
      if let mark = row.mark, axis.shows(mark) {
        markup.upright(at: percent(axis.place(mark)), from: top + 15, to: top + 31, kind: "mark")
      }
    }
  }

  private mutating func label(_ row: TimelineRow, top: Int64, _ axis: TimeAxis) {
    element(
      .text, .kind("label " + row.kind.rawValue), .plain("x", "0"), .plain("y", String(top + 13)), text: row.drawn(axis)
    )
  }
}

extension TimelineRow {
  /// The label with what limits the bar, cut where a narrow screen ends.
  fileprivate func drawn(_ axis: TimeAxis) -> String {
    var dates = ""
    switch (kind, begin, end) {
    case (.lockedOut, let begin?, _), (.blocked, let begin?, _): dates = " from \(begin.day)"
    case (_, _, let end?): dates = " until \(end.day)"
    case (_, let begin?, nil): dates = " from \(begin.day)"
    case (_, nil, nil): break
    }
    if let then { dates += ", then \(then)" }
    let sign = kind == .lockedOut ? "✗ " : kind == .blocked ? "! " : ""
    let room = Measure.label - dates.count - sign.count
    let text = ShownText.of(label)
    return sign + (text.count > room ? text.prefix(room - 1) + "…" : text) + dates
  }
}

extension RotationModel {
  /// A drawing in a sentence, for those who don't see it.
  fileprivate func description(of group: HostGroup) -> String {
    let count = group.timeline.blocked.count { $0.extent == .every }
    let blocked = count == 0 ? "" : " \(count == 1 ? "One span" : "\(count) spans") in which clients are locked out."
    return "From \(axis.start.day) to \(axis.end.day), now being \(axis.now.day): \(group.words).\(blocked) "
      + "The table behind it has each bar and its dates."
  }
}
