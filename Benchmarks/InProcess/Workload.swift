import Foundation
import PinFormat
import PinValidator

/// The folder of files that Scripts/bench makes.
enum Workload {
  /// When the manifests of the workload are fresh.
  static let instant = Instant(secondsSinceEpoch: 1_796_083_200)  // 2026-12-01

  /// The number of hosts in the largest manifest.
  static let largest = ProcessInfo.processInfo.environment["PINTLE_LARGEST"] ?? "400000"

  static func file(_ name: String) throws -> [UInt8] {
    guard let folder = ProcessInfo.processInfo.environment["PINTLE_WORKLOAD"] else { throw UnusableWorkload() }
    return [UInt8](try Data(contentsOf: URL(filePath: folder).appending(path: name)))
  }

  static func signers() throws -> TrustedSigners {
    try TrustedSigners(publicKeys: [file("release.key.pub")], threshold: 1)
  }
}

struct UnusableWorkload: Error, CustomStringConvertible {
  var description = "PINTLE_WORKLOAD names no folder that Scripts/bench has made"
}

/// A manifest whose bytes are in memory.
struct ManifestWork {
  let bytes: [UInt8]
  let signers: TrustedSigners

  init(_ name: String) throws {
    bytes = try Workload.file(name + ".json")
    signers = try Workload.signers()
  }

  func load() throws -> LoadedManifest {
    try LoadedManifest.load(bytes, signers: signers, audience: "fleet", maximumBytes: .max)
  }
}

/// A store with one manifest in force, and the next, which was loaded by nobody yet.
struct SwapWork {
  let next: [UInt8]
  private let settings: PinStoreSettings

  init(_ name: String) throws {
    var settings = PinStoreSettings(signers: try Workload.signers(), audience: "fleet", withoutManifest: .block)
    settings.embedded = try Workload.file(name + ".json")
    settings.clock = { Workload.instant }
    settings.maximumBytes = .max
    self.settings = settings
    next = try Workload.file(name + "-next.json")
  }

  func store() -> PinStore { PinStore(settings) }
}

/// A handshake with the host in the middle, whose leaf is pinned.
struct HandshakeWork {
  private let validator: Validator
  private let handshake: PeerHandshake
  private let chain: ValidatedChain

  init(_ name: String) throws {
    let anchors = try TrustAnchors([Workload.file("root.pem")])
    validator = Validator(manifest: try ManifestWork(name).load(), evaluator: TrustEvaluator(anchors: anchors))
    let certificates = try ["leaf", "intermediate", "root"].map { try Workload.file($0 + ".der") }
    handshake = PeerHandshake(host: "api.perf.test", port: 443, certificates: certificates, tlsVersion: nil)
    let decision = validator.evaluate(handshake, at: Workload.instant)
    guard case .allow = decision.verdict, let chain = decision.chain else {
      throw UnusableWorkload(description: validator.manifest.describe(decision.verdict))
    }
    self.chain = chain
  }

  func evaluate() -> Decision { validator.evaluate(handshake, at: Workload.instant) }

  func decide() -> Verdict {
    validator.decide(chain, host: handshake.host, port: handshake.port, at: Workload.instant)
  }
}
