import Foundation
import OpenSSLKit
import PinFormat
import PinProbe
import TestSupport

/// Writes `Tests/Fixtures/examples/evidence/`, with `PINTLE_RECORD=1`: evidence put together by hand, without a network.
enum EvidenceRecorder {
  /// Runs once for a process.
  static let recorded: Result<Void, any Error> = Result {
    try LiveCertificates.makeOnce()
    try LiveCertificates.makeTangleOnce()
    try FileManager.default.createDirectory(at: ExampleEvidence.directory, withIntermediateDirectories: true)
    for (name, scene) in scenes {
      let bytes = try evidence(of: [scene]).encoded()
      try Data(bytes).write(to: ExampleEvidence.directory.appendingPathComponent(name + ".json"))
    }
  }

  /// One host and what its servers did.
  struct Scene {
    var host = "api.example.com"
    var port: UInt16 = 443
    var addresses: [(address: String, behaviour: Behaviour)]
    var unresolved: String?
    var stores: [String: [String]] = ["system": ["keys/example-root"]]
    var begun = "2026-11-21T12:00:00Z"
  }

  /// What a server does with each offer.
  enum Behaviour {
    /// Chains for clients that offer ECDSA and RSA; nil where it has no such certificate.
    case serves(ecdsa: [String]?, rsa: [String]? = nil, staple: String? = nil, ahead: Int64? = nil, wants: Bool = false)
    case fails(ConnectionFailure, alert: UInt8? = nil, String, attempts: Int = 1)
  }

  /// Evidence of one host or several, under the trust stores of the first.
  static func evidence(of scenes: [Scene]) throws -> Evidence {
    var library = Library()
    let begun = try instant(scenes[0].begun)
    let targets = try scenes.map { try target($0, begun, &library) }
    let stores = try scenes[0].stores.map { name, anchors in
      Evidence.Store(name: name, anchors: try anchors.map { try library.add($0) }.sorted())
    }
    return Evidence(
      begun: begun, ended: begun.adding(seconds: 2), tool: "pintle recorder",
      stores: stores.sorted { $0.name < $1.name }, certificates: library.sorted,
      targets: targets.sorted { $0.host < $1.host })
  }

  private static func target(_ scene: Scene, _ begun: Instant, _ library: inout Library) throws -> Evidence.Target {
    let addresses = try scene.addresses.map { address, behaviour in
      Evidence.Address(
        address: address, port: scene.port,
        visits: try Evidence.Offer.all.map { try visit($0, behaviour, at: begun, &library) })
    }
    return Evidence.Target(
      host: try HostName(canonicalising: scene.host), port: scene.port,
      startTLS: StartTLS(wellKnownPort: scene.port),
      unresolved: scene.unresolved.map { Evidence.Failure(.nameNotResolved, $0) }, addresses: addresses)
  }

  private static func visit(
    _ offer: Evidence.Offer, _ behaviour: Behaviour, at instant: Instant, _ library: inout Library
  ) throws -> Evidence.Visit {
    var visit = Evidence.Visit(
      offer: offer, observed: instant.adding(seconds: 1), attempts: 1, served: nil, failure: nil)
    switch behaviour {
    case .fails(let kind, let alert, let message, let attempts):
      visit.failure = Evidence.Failure(kind, alert: alert, message)
      visit.attempts = attempts
    case .serves(let ecdsa, let rsa, let staple, let ahead, let wants):
      guard let chain = offer.keyFamily == .ecdsa ? ecdsa : rsa else {
        visit.failure = Evidence.Failure(.alert, alert: 40, "the server has no certificate for this offer")
        return visit
      }
      visit.served = Evidence.Served(
        chain: try chain.map { try library.add($0) },
        staple: try staple.map { try bytes(of: "live/" + $0 + ".der") },
        clientCertificate: wants ? .asked : .notAsked,
        serverDate: ahead.map { visit.observed.adding(seconds: $0) })
      if wants { visit.failure = Evidence.Failure(.alert, alert: 116, "the server wants a client certificate") }
    }
    return visit
  }

  private static func instant(_ text: String) throws -> Instant {
    guard let instant = Instant(text.utf8) else { throw RecorderError(text) }
    return instant
  }

  fileprivate static func bytes(of path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: ExampleEvidence.examples.appendingPathComponent(path)))
  }

  private struct RecorderError: Error {
    var text: String

    init(_ text: String) { self.text = text }
  }
}

/// The certificates of one file of evidence.
private struct Library {
  private var certificates: [SHA256Digest: [UInt8]] = [:]

  /// Reads a certificate, by its path below the examples without `.pem`.
  mutating func add(_ path: String) throws -> SHA256Digest {
    let der = try der(ofPEM: EvidenceRecorder.bytes(of: path + ".pem"))
    let fingerprint = SHA256Digest(try SHA256.digest(of: der))
    certificates[fingerprint] = der
    return fingerprint
  }

  var sorted: [Manifest.Certificate] {
    certificates.sorted { $0.key < $1.key }.map { Manifest.Certificate(fingerprint: $0.key, der: $0.value) }
  }
}
