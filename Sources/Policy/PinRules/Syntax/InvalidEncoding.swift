import Diagnostics
import PinPolicy

extension Rule {
  /// Policy files are UTF-8 without a byte order mark.
  static let invalidEncoding = Rule(
    code: "P102",
    name: "invalid-encoding",
    severity: .error,
    title: "A policy file isn't UTF-8, or begins with a byte order mark.",
    rationale: """
      YAML may be written in several encodings, and a byte order mark chooses among them. Text that two programs decode
      differently can name two different hosts. One encoding without a mark leaves nothing to guess.
      """,
    failing: Example([
      // "Zürich" in Latin-1: the byte 0xFC isn't valid UTF-8.
      Example.File(
        path: "policy.yaml",
        bytes: Array("version: 1\nowner: Z".utf8) + [0xFC] + Array("rich security team\n".utf8))
    ]),
    passing: Example("version: 1\nowner: Zürich security team\n"),
    citation: "YAML 1.2.2 section 5.2",
    isSuppressible: false,
    check: .problems { problem in
      switch problem.kind {
      case .invalidUTF8:
        Finding(
          at: problem.place, "this isn't UTF-8",
          help: "Save the file as UTF-8; 'iconv -f ISO-8859-1 -t UTF-8' converts what an old editor wrote.")
      case .byteOrderMark:
        Finding(
          at: problem.place, "the file begins with a byte order mark",
          help: "Save the file as UTF-8 without a byte order mark.",
          fixes: .fix("delete the byte order mark", .safe, [Fix.Edit(replacing: problem.place, with: "")]))
      default: nil
      }
    })
}
