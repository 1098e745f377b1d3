import Diagnostics
import PinPolicy
package import PinRules

extension RotationStudy {
  /// What was measured of the clients; nil where nobody measured.
  package var measured: MeasuredClients? { question.adoption.map { MeasuredClients($0, scenario) } }
}

extension JSONWriter {
  /// What was measured of the clients.
  mutating func adoption(of study: RotationStudy) {
    guard let measured = study.measured else { return }
    object("adoption") { writer in
      writer.member("measured", measured.adoption.measured)
      writer.member("day", measured.adoption.days.last?.text)
      writer.member("senders", measured.adoption.days.last?.all ?? 0)
      writer.array("notes", measured.notes)
    }
  }
}
