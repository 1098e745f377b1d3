package import Diagnostics

/// A rules file: the user's own programs that check a policy, as it was written.
///
/// Its format is described by `schemas/rules.schema.json`.
package struct RulesFile: Sendable {
  package static let sizeLimit = 1 << 20
  package static let programLimit = 20

  /// A program, and the codes of the findings that it may report.
  package struct Program: Sendable {
    package var place: Place
    /// The program, then its arguments; no shell reads them.
    package var command: [Located<String>] = []
    /// In seconds.
    package var timeout: Located<Int>?
    package var codes: [(code: Located<String>, title: Located<String>?)] = []
  }

  package private(set) var programs: [Program] = []

  /// Reads a file: a function of its bytes alone.
  ///
  /// - Returns: What could be read, and all problems in order of place.
  package static func read(_ bytes: [UInt8], file id: FileID) -> (file: RulesFile, problems: [PolicyProblem]) {
    var file = RulesFile()
    var problems = DocumentReader.read(bytes, file: id, called: "rules file", limit: sizeLimit, fields, into: &file)
    var seen: [String: Place] = [:]
    for code in file.programs.flatMap(\.codes).map(\.code) {
      // One code has one program, so that everybody knows which program says it.
      if let first = seen.updateValue(code.place, forKey: code.value) {
        problems.append(PolicyProblem(.duplicateField(name: code.value), at: code.place, related: first))
      }
    }
    return (file, problems.sorted { $0.place < $1.place })
  }

  private static let fields = Fields<RulesFile>(
    of: "rules file", required: ["version", "rules"],
    [
      "version": { $1.version() },
      "rules": { file, reader in
        file.programs =
          reader.list(atLeastOne: true, atMost: programLimit) { reader in
            var program = Program(place: reader.upcoming.place)
            guard let place = reader.mapping(Program.fields, into: &program) else { return nil }
            program.place = place
            return program
          } ?? []
      },
    ])
}

extension RulesFile.Program {
  fileprivate static let fields = Fields<Self>(
    of: "rule", required: ["exec", "codes"],
    [
      "exec": { $0.command = $1.list(of: .text, atLeastOne: true, atMost: 100) ?? [] },
      "timeout": { $0.timeout = $1.scalar(.number(in: 1...600)) },
      "codes": { program, reader in
        reader.entries(named: .ownCode, atLeastOne: true) { reader, code in
          program.codes.append((code, reader.scalar(.text)))
        }
      },
    ])
}

extension Scalar where Value == String {
  /// The code of a rule of one's own; X000 is Pintle's.
  fileprivate static let ownCode = Scalar(expected: "X and three digits, from X001") {
    let text = String($0)
    return SuppressionComment.isCode(text, "X") && text != "X000" ? text : nil
  }
}
