import Diagnostics
import Testing

@testable import PinRules

/// A policy with a finding, and how safe its best fix is.
struct FixCase: Sendable, CustomTestStringConvertible {
  var code: String
  var safety: Fix.Safety
  var example: Example
  /// What the fix turns the first file into, where that is worth reading.
  var result: String?
  /// True where the fix leaves a field for a person to fill in.
  var isToFillIn = false
  var testDescription: String

  /// The failing example of a rule.
  static func example(_ rule: Rule, _ safety: Fix.Safety) -> FixCase {
    FixCase(code: rule.code, safety: safety, example: rule.failing, testDescription: "\(rule.code), its example")
  }

  /// The failing example of a rule, whose fix leaves a field to fill in.
  static func toFillIn(_ rule: Rule) -> FixCase {
    var test = example(rule, .suggested)
    test.isToFillIn = true
    return test
  }

  /// Another policy that a rule objects to.
  static func text(
    _ rule: Rule, _ safety: Fix.Safety, _ description: String, _ text: String, to result: String? = nil
  ) -> FixCase {
    FixCase(
      code: rule.code, safety: safety, example: Example(text), result: result,
      testDescription: "\(rule.code), \(description)")
  }

  /// One that fixes the lines of ``Example/publicWeb(_:)``.
  static func hosts(
    _ rule: Rule, _ safety: Fix.Safety, _ description: String, _ lines: String, to result: String? = nil
  ) -> FixCase {
    FixCase(
      code: rule.code, safety: safety, example: .publicWeb(lines), result: result.map { Example.publicWeb($0).text },
      testDescription: "\(rule.code), \(description)")
  }
}

extension Example {
  /// The text of its first file.
  var text: String { files.first?.text ?? "" }

  /// The example with edits made in its files.
  func fixed(_ fix: Fix, of sources: SourceSet) -> Example {
    var example = self
    for (file, edits) in Dictionary(grouping: fix.edits, by: \.place.file) {
      let source = sources[file]
      for index in example.files.indices where example.files[index].path == source.path {
        example.files[index].bytes = Fix.Edit.make(edits, in: source.bytes)
      }
    }
    return example
  }
}
