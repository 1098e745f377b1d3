import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// Two names for one key.
  static let duplicatePin = Rule(
    code: "P307",
    name: "duplicate-pin",
    severity: .warning,
    title: "Two keys have the same pin.",
    rationale: """
      A pin is the digest of a public key, so however many certificates were issued for a key, it has one pin. Two names
      for it look like two keys: a set that lists both seems to have a spare and has none, and a rotation that changes
      one of them forgets the other. Two keys may share a pin if they have different positions, because a CA's key can be
      the root of one chain and, cross-signed, an intermediate of another.
      """,
    failing: Example(
      """
      version: 1
      keys:
        example-root: { file: keys/example-root.pem }
        example-root-2030: { file: keys/example-root-cross-signed.pem }
        other-root: { file: keys/other-root.pem }
      key-sets:
        public-web: { active: [example-root], backup: [example-root-2030, other-root] }
      hosts:
        - host: api.example.com
          keys: public-web
      """),
    passing: Example(
      """
      version: 1
      keys:
        example-root: { file: keys/example-root.pem }
        other-root: { file: keys/other-root.pem }
      key-sets:
        public-web: { active: [example-root], backup: [other-root] }
      hosts:
        - host: api.example.com
          keys: public-web
      """),
    citation: "RFC 7469 section 2.4",
    check: .policy(duplicatePins))
}

private func duplicatePins(_ input: CheckInput) -> [Finding] {
  guard input.keyFacts.hasSharedPins else { return [] }
  let keys = input.policy.keys
  let byPlace = keys.indices.sorted { keys[$0].name.place < keys[$1].name.place }
  var firsts: [Pin: [Policy.Key]] = [:]
  var findings: [Finding] = []
  for index in byPlace {
    guard let pin = keys[index].pin else { continue }
    let key = keys[index]
    guard let first = firsts[pin, default: []].first(where: { isSame($0, key) }) else {
      firsts[pin, default: []].append(key)
      continue
    }
    findings.append(
      Finding(
        at: key.sourcePlace, "key '\(key.name.value)' has the same pin as '\(first.name.value)'",
        related: [Diagnostic.Related("'\(first.name.value)' gets it here", at: first.sourcePlace)],
        help: "Keep one of the two names, and check that the other wasn't meant to be another key."))
  }
  return findings
}

/// A denial and a use of one key contradict each other, which another rule says where they meet.
private func isSame(_ first: Policy.Key, _ second: Policy.Key) -> Bool {
  if (first.denied == nil) != (second.denied == nil) { return false }
  if let one = first.position, let other = second.position {
    return one.value.positions.contains { other.value.positions.contains($0) }
  }
  return true
}
