import Diagnostics
import PinFormat
import PinRotation

extension Markup {
  /// One row for hosts that fare alike, the worst first, with a way to each time line.
  mutating func hostTable(_ model: RotationModel) {
    guard !model.groups.isEmpty else { return }
    element(.section, .id(.hosts)) { markup in
      markup.element(.h2, text: "Hosts")
      markup.element(.table, .kind("hosts")) { markup in
        markup.element(.caption, text: "Hosts with equal time lines share one row")
        markup.columns(["Hosts", "How they fare", "Locked out", "First to end"])
        markup.element(.tbody) { markup in
          for (number, group) in model.groups.enumerated() { markup.row(group, number, model) }
        }
      }
      if model.leftOut > 0 {
        markup.element(
          .p, .kind("aside"),
          text: "\(model.leftOut) more hosts, none of which fares worse than these, have no time line here; "
            + "--format json has them all.")
      }
    }
  }

  private mutating func row(_ group: HostGroup, _ number: Int, _ model: RotationModel) {
    element(.tr) { markup in
      markup.element(.th, .rowHead) { markup in
        markup.element(.a, .link(.group(number)), text: model.title(of: group))
      }
      markup.element(.td) { $0.badge(group.tone, group.words) }
      markup.element(.td) { markup in
        guard let first = group.timeline.blocked.first(where: { group.tone != .bad || $0.isCaused }) else {
          markup.text("no")
          return
        }
        markup.text("from ")
        markup.day(first.begin)
      }
      markup.element(.td) { markup in
        guard let end = group.firstEnd else {
          markup.text("nothing known")
          return
        }
        markup.day(end)
        markup.element(.small, text: " " + end.distance(from: model.scenario.now))
      }
    }
  }
}

extension RotationModel {
  /// The hosts of a group, by the first of them.
  func title(of group: HostGroup) -> String { hosts(group.servers, first: 1) }
}
