package import Diagnostics
package import PinRotation

/// What a page of a simulation shows: one HTML file for people, to be read, printed and attached to a release.
///
/// It takes nothing from anywhere else and runs no script. The same input gives the same bytes.
package struct RotationPage: Sendable {
  /// Something that the simulation assumes.
  package struct Assumption: Hashable, Sendable {
    package var term: String
    package var text: String

    package init(_ term: String, _ text: String) {
      self.term = term
      self.text = text
    }
  }

  package var timeline: SimulationTimeline
  package var certificates: [CertificateSpan]
  /// What the loss of each key would do.
  package var losses: [KeyLoss]
  /// What nobody plans and the policy would block.
  package var futures: [Future]
  package var assumptions: [Assumption]
  /// The first client that is locked out; nil where none is.
  package var witness: Witness?
  /// By what it was made: `pintle 0.1.0`.
  package var tool: String

  package init(
    timeline: SimulationTimeline, certificates: [CertificateSpan], losses: [KeyLoss], futures: [Future] = [],
    assumptions: [Assumption], witness: Witness?, tool: String
  ) {
    self.timeline = timeline
    self.certificates = certificates
    self.losses = losses
    self.futures = futures
    self.assumptions = assumptions
    self.witness = witness
    self.tool = tool
  }

  /// The file, in UTF-8.
  package func html() -> String {
    let model = RotationModel(self)
    var markup = Markup()
    markup.page(title: "Pintle simulation: " + model.headline) {
      $0.style(SharedStyle.foundation, SharedStyle.folds, PageStyle.frame, RotationStyle.text)
    } body: { markup in
      markup.banner(model)
      markup.element(.main) { markup in
        markup.firstLockout(model)
        markup.hostSections(model)
        markup.events(model)
        markup.futures(model)
        markup.losses(model)
        markup.hostTable(model)
      }
      markup.legend(model)
    }
    return markup.html + "\n"
  }
}
