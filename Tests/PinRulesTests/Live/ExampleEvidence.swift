import Foundation
import PinFormat
import PinPolicy
import PinProbe
import PinRules

/// The evidence that examples of rules about live servers name, judged by the example's policy.
enum ExampleEvidence {
  /// Judges as `pintle check --evidence` does: under the recorded trust stores, by the manifest that the policy makes.
  static func live(_ observed: Example.Observed, for input: CheckInput) throws -> LiveInput {
    let manifest = try CheckedPolicy.check(input).checked?.rehearsed(at: input.instant)
    let assessment = try Judge(manifest: manifest, stores: []).assess(evidence(observed.file), at: input.instant)
    return LiveInput(assessment: assessment)
  }

  static func evidence(_ name: String) throws -> Evidence {
    if TestFiles.isRecording { try EvidenceRecorder.recorded.get() }
    return try Evidence(reading: Array(Data(contentsOf: directory.appendingPathComponent(name + ".json"))))
  }

  static let examples = TestFiles.fixtures.appendingPathComponent("examples")
  static let directory = examples.appendingPathComponent("evidence")
}
