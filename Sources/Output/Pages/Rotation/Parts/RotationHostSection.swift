import Diagnostics
import PinFormat
import PinRotation

extension Markup {
  /// So many groups that want attention are unfolded; the rest opens when asked.
  private static let mostOpen = 20
  /// So many hosts of a group are named.
  private static let mostNamed = 100

  /// The time line of each group of hosts.
  mutating func hostSections(_ model: RotationModel) {
    guard !model.groups.isEmpty else { return }
    element(.section) { markup in
      markup.element(.h2, text: "Host by host")
      for (number, group) in model.groups.enumerated() {
        let isOpen = number < Self.mostOpen && group.tone != .good || model.groups.count == 1
        markup.element(.details, .id(.group(number)), .kind("host"), isOpen ? .open : nil) { markup in
          markup.element(.summary) { markup in
            markup.element(.h3, text: model.title(of: group))
            markup.badge(group.tone, group.words)
          }
          if group.servers.count > 1 { markup.members(group, model) }
          let rows = model.rows(of: group)
          markup.drawing(rows, of: group, number, model)
          markup.dates(rows, model)
        }
      }
    }
  }

  private mutating func members(_ group: HostGroup, _ model: RotationModel) {
    element(.details, .kind("table")) { markup in
      markup.element(.summary, text: "All \(group.servers.count) hosts")
      markup.element(.p, .kind("aside"), text: model.hosts(group.servers, first: Self.mostNamed) + ".")
    }
  }

  /// The drawing's rows in words.
  private mutating func dates(_ rows: [TimelineRow], _ model: RotationModel) {
    element(.details, .kind("table")) { markup in
      markup.element(.summary, text: "As a table")
      markup.element(.table, .kind("dates")) { markup in
        markup.element(.caption, text: "When each bar begins and ends, and what it stands for")
        markup.columns(["What", "From", "Until"])
        markup.element(.tbody) { markup in
          for row in rows { markup.dates(row) }
        }
      }
    }
  }

  private mutating func dates(_ row: TimelineRow) {
    element(.tr) { markup in
      markup.element(.th, .rowHead) { markup in
        if row.kind == .lockedOut || row.kind == .blocked {
          markup.badge(row.kind == .lockedOut ? .bad : .care, row.kind == .lockedOut ? "locked out" : "blocked")
          markup.text(" ")
        }
        markup.text(row.title)
      }
      markup.element(.td) { $0.limit(row.begin, or: "before") }
      markup.element(.td) { $0.limit(row.end, or: "open end") }
    }
  }

  private mutating func limit(_ instant: Instant?, or words: String) {
    if let instant { self.instant(instant) } else { text(words) }
  }
}
