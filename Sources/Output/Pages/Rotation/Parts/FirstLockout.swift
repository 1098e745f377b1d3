import Diagnostics
import PinFormat
import PinRotation

extension Markup {
  /// The first client that is locked out: who connects to what, when, and the result.
  mutating func firstLockout(_ model: RotationModel) {
    guard let witness = model.page.witness else { return }
    element(.section, .id(.first)) { markup in
      markup.element(.h2, text: "The first who is locked out")
      markup.element(.dl, .kind("facts witness")) { markup in
        markup.fact("Client") { markup in
          markup.text(ShownText.name(witness.client) + ", released ")
          markup.element(.time, .plain("datetime", witness.released), text: witness.released)
          if let kind = witness.kind { markup.text(", with the trust store \(ShownText.name(kind))") }
        }
        markup.fact("Connects to") { markup in
          markup.text(witness.host)
          if let place = witness.place { markup.text(" at " + ShownText.name(place)) }
        }
        markup.fact("From") { markup in
          markup.element(.time, .plain("datetime", witness.instant), text: witness.instant)
          if let until = witness.until {
            markup.text(" until ")
            markup.element(.time, .plain("datetime", until), text: until)
          }
        }
        if !witness.chain.isEmpty { markup.fact("Chain") { $0.chain(witness.chain) } }
        markup.fact("Reason") { $0.text(witness.reason) }
        if let advice = model.answer.advice { markup.fact("What to do") { $0.text(advice) } }
      }
    }
  }

  private mutating func chain(_ links: [Witness.Link]) {
    element(.ol, .kind("links")) { markup in
      for link in links {
        markup.element(.li) { markup in
          markup.text(link.position + ": ")
          markup.element(.strong, text: link.name.map { ShownText.name($0) } ?? "a key that no manifest names")
          if let pin = link.pin {
            markup.text(" ")
            markup.element(.code, text: pin)
          }
        }
      }
    }
  }
}
