/// Why a keyset can't be made as asked: it would be unusable, or nobody would take it.
package struct KeysetPlanError: Error, Hashable, Sendable {
  /// What is wrong: a clause in lower case without a full stop.
  package var message: String
  /// The way out, as an instruction.
  package var help: String

  init(_ message: String, help: String) {
    self.message = message
    self.help = help
  }
}
