import Diagnostics
import PinFormat
import PinRotation

extension Markup {
  private static let mostLosses = 50

  /// Which key's loss would keep clients away from a host, whatever it then presents.
  mutating func losses(_ model: RotationModel) {
    let losses = model.page.losses.sorted { $0.stranded.count > $1.stranded.count }
    guard !losses.isEmpty else { return }
    let grave = losses.filter { !$0.stranded.isEmpty }
    element(.section, .id(.losses)) { markup in
      markup.element(.h2, text: "If a key is lost")
      guard !grave.isEmpty else {
        markup.element(.p) { markup in
          // No green badge below a verdict that isn't good.
          if model.tone == .good {
            markup.badge(.good, "resilient")
            markup.text(" ")
          }
          markup.text(
            "The loss of any one of the \(losses.count) keys that are presented leaves each host something to change "
              + "to that every client accepts.")
        }
        return
      }
      markup.element(.table, .kind("losses")) { markup in
        markup.element(.caption, text: "Keys whose loss, stolen or destroyed, would lock clients out")
        markup.columns(["Key", "Presented by", "Locked out of", "At first"])
        markup.element(.tbody) { markup in
          for loss in grave.prefix(Self.mostLosses) { markup.row(loss, model) }
        }
      }
      if grave.count > Self.mostLosses {
        markup.element(.p, .kind("aside"), text: "\(grave.count - Self.mostLosses) more keys are like that.")
      }
    }
  }

  private mutating func row(_ loss: KeyLoss, _ model: RotationModel) {
    let all = model.scenario.servers.count
    let stranded = Set(loss.stranded.map(\.server.number)).sorted()
    element(.tr) { markup in
      markup.element(.th, .rowHead, text: ShownText.name(model.timeline.names.label(loss.pin)))
      markup.element(.td, text: SimulationAnswer.hosts(loss.presenting.count, of: all))
      markup.element(.td, text: "\(stranded.count): " + model.hosts(stranded))
      markup.element(.td) { markup in
        guard let first = loss.stranded.min(by: { $0.instant < $1.instant }) else { return }
        markup.text(ShownText.name(first.release.name) + ", ")
        markup.day(first.instant)
      }
    }
  }
}
