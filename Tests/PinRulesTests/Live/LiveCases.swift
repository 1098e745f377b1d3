import PinRules
import Testing

/// Servers of `api.example.com` and what is pinned for it, with all that the rules about live servers say.
struct LiveCase: Sendable, CustomTestStringConvertible {
  var testDescription: String
  /// What follows `- host: api.example.com`, which is on line 10.
  var entry: String
  var scene: @Sendable () -> EvidenceRecorder.Scene
  var expected: [String]

  init(
    _ description: String, _ entry: String = "keys: { active: [example-root], backup: [other-root] }",
    scene: @escaping @Sendable @autoclosure () -> EvidenceRecorder.Scene, _ expected: String...
  ) {
    testDescription = description
    self.entry = entry
    self.scene = scene
    self.expected = expected
  }

  var hosts: String {
    "hosts:\n  - host: api.example.com\n" + entry.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n")
  }
}

extension EvidenceRecorder.Scene {
  typealias Behaviour = EvidenceRecorder.Behaviour

  static let api = ["keys/api", "keys/example-intermediate"]
  static let apiRSA = ["keys/strong-rsa", "keys/example-intermediate"]
  static let otherCA = ["live/api", "live/intermediate"]
  static let crossSigned = api + ["keys/example-root-cross-signed"]
  static let bothRoots = ["system": ["keys/example-root", "live/root"]]

  static func at(
    _ first: Behaviour, _ second: Behaviour? = nil, stores: [String: [String]] = bothRoots
  ) -> EvidenceRecorder.Scene {
    var addresses = [(address: "192.0.2.10", behaviour: first)]
    if let second { addresses.append(("192.0.2.11", second)) }
    return EvidenceRecorder.Scene(addresses: addresses, stores: stores)
  }
}
