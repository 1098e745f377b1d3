import PinFormat
import PinPolicy

extension Example {
  /// An example about a rotation: what was released before, and the policy now.
  ///
  /// - Parameters:
  ///   - policy: The lines of the policy that follow its keys.
  ///   - keys: What the policy says of some keys besides their files.
  ///   - released: The releases before, the oldest first.
  /// - Returns: The example, checked at the instant of all examples.
  static func rotation(_ policy: String, keys: [String: String] = [:], after released: Released...) -> Example {
    var example = Example(rotationText(policy, keys: keys))
    example.released = released
    return example
  }

  /// An example about what servers present after a release: nothing changes, and evidence shows it.
  static func observed(_ file: String, _ text: String) -> Example {
    let lines = RotationLines.api("root", backup: "spare")
    var example = Example.rotation(lines, after: .rotation(6, on: "2026-11-01", lines))
    example.instant = Instant(secondsSinceEpoch: 1_795_305_600)  // 2026-11-22T00:00:00Z
    example.observed = Example.Observed(file, text)
    return example
  }

  fileprivate static func rotationText(_ lines: String, keys: [String: String] = [:]) -> String {
    func more(_ key: String) -> String { keys[key].map { ", " + $0 } ?? "" }
    return """
      version: 1
      manifest: { audience: production, client-max-age: 90d }
      keys:
        api-2025: { file: keys/api.pem, position: leaf\(more("api-2025")) }
        api-2027: { file: keys/api-spare.csr, position: leaf\(more("api-2027")) }
        spare: { file: keys/api-spare-2.pem, position: leaf\(more("spare")) }
        root: { file: keys/example-root.pem, position: root\(more("root")) }
      \(lines)
      """
  }
}

extension Example.Released {
  /// A release of the same keys as ``Example/rotation(_:after:)`` with other lines behind them.
  static func rotation(_ serial: Int64, on date: String, _ lines: String) -> Example.Released {
    Example.Released(
      serial: serial, issued: Instant(written: date) ?? .earliest,
      [Example.File(path: "policy.yaml", text: Example.rotationText(lines))])
  }
}

/// Lines of examples about rotation.
enum RotationLines {
  /// `api.example.com` with these keys and further fields.
  static func api(_ active: String, backup: String, _ fields: String...) -> String {
    let lines = [
      "hosts:", "  - host: api.example.com", "    keys: { active: [\(active)], backup: [\(backup)] }",
    ]
    return (lines + fields.map { "    " + $0 }).joined(separator: "\n")
  }
}
