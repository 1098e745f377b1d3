import PinFormat

extension Example {
  /// An example about a live server: the policy, and what `Tests/Fixtures/examples/evidence/FILE.json` recorded.
  ///
  /// - Parameters:
  ///   - file: The evidence's name.
  ///   - text: What the server did, in a sentence.
  ///   - lines: The hosts of the policy, which follow two keys; `api.example.com` with those where nothing is said.
  /// - Returns: The example, checked half a day after the evidence was recorded.
  static func live(_ file: String, _ text: String, _ lines: String? = nil) -> Example {
    var example = Example(
      """
      version: 1
      keys:
        example-root: { file: keys/example-root.pem }
        other-root: { file: keys/other-root.pem }
      \(lines ?? apiHost)
      """, observed: Observed(file, text))
    example.instant = Instant(secondsSinceEpoch: 1_795_305_600)  // 2026-11-22T00:00:00Z
    return example
  }

  private static let apiHost = """
    hosts:
      - host: api.example.com
        keys: { active: [example-root], backup: [other-root] }
    """
}
