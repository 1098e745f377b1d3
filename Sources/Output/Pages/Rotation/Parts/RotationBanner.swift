import Diagnostics
import PinFormat
import PinRotation

extension Markup {
  /// The answer, what it assumes, and when and by what it was given.
  mutating func banner(_ model: RotationModel) {
    element(.header, .kind("banner " + model.tone.kind)) { markup in
      markup.element(.p, .kind("kicker"), text: "Pintle · simulated rotation of TLS pins")
      markup.headline(model.tone, model.headline)
      for remark in model.answer.remarks {
        markup.element(.p, .kind("notice"), text: remark.prefix(1).uppercased() + remark.dropFirst() + ".")
      }
      markup.element(.dl, .kind("facts")) { markup in
        markup.fact("Now") { $0.instant(model.scenario.now) }
        markup.fact("Simulated until") { $0.instant(model.scenario.end) }
        for assumption in model.page.assumptions {
          markup.fact(assumption.term) { $0.text(assumption.text) }
        }
        markup.fact("Simulated by") { $0.text(model.page.tool) }
      }
    }
  }
}
