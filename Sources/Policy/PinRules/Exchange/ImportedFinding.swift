package import Diagnostics

extension Rule {
  /// What a rule about imported files says of a place in one.
  ///
  /// - Parameters:
  ///   - code: `P901` to `P912`, `P917`.
  ///   - place: In the file that was read.
  ///   - message: What is wrong: a clause.
  ///   - help: What to do: a sentence.
  /// - Returns: The diagnostic, or nil where there is no rule of that code.
  package static func imported(_ code: String, at place: Place, _ message: String, help: String) -> Diagnostic? {
    exchangeRules.first { $0.code == code }?.diagnostic(Finding(at: place, message, help: help))
  }
}
