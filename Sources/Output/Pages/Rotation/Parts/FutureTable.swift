import Diagnostics
import PinFormat
import PinRotation

extension Markup {
  private static let mostFutures = 50

  /// Changes that nobody plans, and with which clients would be locked out; they don't change the verdict of the page.
  mutating func futures(_ model: RotationModel) {
    let futures = model.page.futures
    guard !futures.isEmpty else { return }
    element(.section, .id(.futures)) { markup in
      markup.element(.h2, text: "Futures")
      markup.element(.table, .kind("events")) { markup in
        markup.element(
          .caption,
          text: "Changes that nobody plans, and with which this policy would lock clients out. The verdict above "
            + "doesn't include them."
        )
        markup.columns(["When", "What", "Hosts"])
        markup.element(.tbody) { markup in
          for future in futures.prefix(Self.mostFutures) { markup.row(future, model) }
        }
      }
      if futures.count > Self.mostFutures {
        markup.element(
          .p, .kind("aside"),
          text: "\(futures.count - Self.mostFutures) more futures are in the output of --format json.")
      }
    }
  }

  private mutating func row(_ future: Future, _ model: RotationModel) {
    element(.tr) { markup in
      markup.element(.th, .rowHead, text: future.time(at: model.scenario.now))
      markup.element(.td) { markup in
        markup.text(ShownText.of(future.clause) + (future.onlyReports ? " (only reported)" : ""))
        markup.element(.p, .kind("aside"), text: ShownText.of(future.advice(in: model.scenario)))
        if let source = future.source { markup.element(.p, .kind("aside"), text: "Source: " + ShownText.of(source)) }
      }
      markup.element(.td, text: model.hosts(future.servers))
    }
  }
}
