import Diagnostics
import PinExchange
import PinFormat
import PinPolicy
import PinRules
import Testing

/// Imports in these tests: files of `Tests/Fixtures/exchange`, what is read of them, and the policy that is written.
enum ImportScene {
  static func files(_ paths: [String]) throws -> [ExchangedFile] {
    try paths.map { ExchangedFile(name: $0, bytes: try GoldenFile.bytes($0)) }
  }

  static func read(_ format: ImportFormat, _ paths: [String]) throws -> ImportedPins {
    try format.read(files(paths), ImportSettings(at: PinListScene.instant))
  }

  /// `P907 2:9 the pin of …` for each finding, sorted by place.
  static func shown(_ findings: [ImportFinding]) -> [String] {
    findings.sorted { ($0.place, $0.kind.rawValue, $0.message) < ($1.place, $1.kind.rawValue, $1.message) }.map {
      "\($0.kind.rawValue) \($0.place.file.index):\($0.place.start.line) \($0.message)"
    }
  }

  static func draft(_ imported: ImportedPins, files: [String] = ["pins.txt"]) -> ImportDraft {
    ImportDraft(
      imported,
      ImportDraft.Settings(
        at: PinListScene.instant, reviewBy: PinListScene.instant.adding(seconds: 180 * 86_400), files: files,
        format: "the format of a test"))
  }

  /// The policy that a text is, and what checking it finds.
  static func check(_ text: PolicyText) throws -> (policy: Policy, findings: [Diagnostic]) {
    let file = SourceSet.File(path: "imported.yaml", bytes: text.bytes)
    let policy = try PolicyDirectory.empty.adding([file]).policy()
    let result = CheckedPolicy.check(CheckInput(policy: policy, at: PinListScene.instant)).result
    return (policy, result.diagnostics)
  }
}
