import OpenSSLKit
import PinFormat
import PinValidator
import TestSupport
import Testing

/// Certificates by their names: `I` by `A` is authority I as A certified it; `I#2` has I's name and another key.
final class Scene {
  private var keys: [String: WovenKey] = [:]
  private var labels: [[UInt8]: String] = [:]
  private var serial = 0

  func root(_ name: String, _ change: (inout WovenProfile) -> Void = { _ in }) throws -> PathWorld.Link {
    try certify(name, by: name, as: name, change)
  }

  func leaf(by issuer: String, _ change: (inout WovenProfile) -> Void = { _ in }) throws -> PathWorld.Link {
    try certify("leaf", by: issuer, as: "leaf") {
      $0.isLeaf = true
      change(&$0)
    }
  }

  /// A label tells variants apart; without one it is `I/A`.
  func certify(
    _ subject: String, by issuer: String, as label: String? = nil, _ change: (inout WovenProfile) -> Void = { _ in }
  ) throws -> PathWorld.Link {
    serial += 1
    let (key, issuerKey) = (try key(subject), try key(issuer))
    var profile = WovenProfile(Self.name(subject), key, by: Self.name(issuer), issuerKey, serial: serial)
    change(&profile)
    let der = try profile.certificate(key, by: issuerKey)
    labels[der] = label ?? "\(subject)/\(issuer)"
    return PathWorld.Link(profile: profile, key: key.number, signer: issuerKey.number, der: der)
  }

  /// The outcome for people: `leaf I/A A`, or the failures.
  func text(_ outcome: Outcome) -> String {
    switch outcome {
    case .trusted(let chain, let excused):
      (chain.map { labels[$0] ?? "?" } + excused).joined(separator: " ")
    case .refused(let failures): "refused " + failures.joined(separator: " ")
    }
  }

  private func key(_ name: String) throws -> WovenKey {
    if let key = keys[name] { return key }
    let key = try WovenKey(name.utf8.reduce(0x1000) { $0 * 31 % 1_000_003 + Int($1) })
    keys[name] = key
    return key
  }

  private static func name(_ text: String) -> String { String(text.prefix { $0 != "#" }) }
}

/// A world, and what is expected of it.
struct PathScenario: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let expected: String
  let build: @Sendable (Scene) throws -> PathWorld

  init(_ name: String, _ expected: String, _ build: @escaping @Sendable (Scene) throws -> PathWorld) {
    testDescription = name
    self.expected = expected
    self.build = build
  }
}
