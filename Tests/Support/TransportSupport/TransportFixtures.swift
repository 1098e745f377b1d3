#if NIOSSL
import Foundation
import NIOConcurrencyHelpers
package import NIOSSL
import PinFormat
package import PinValidator

/// A row of `cases.json` or `clients.json`: who presents what, and the result.
package struct TransportCase: Codable, Hashable, Sendable, CustomStringConvertible {
  package var host: String
  package var chain: String
  package var key: String
  package var verdict: String
  package var reason: String
  package var disposition: String

  /// The chain names a row in either file.
  package var description: String { chain }
  package var isAllowed: Bool { disposition == "useCredential" }
}

/// The files of Tests/Fixtures/transports.
package enum TransportFixtures {
  package static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().appendingPathComponent("../../Fixtures/transports").standardized.path

  package static func path(_ name: String) -> String { folder + "/" + name }

  package static func bytes(_ name: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: URL(fileURLWithPath: path(name))))
  }

  /// The result of a handshake with each host; empty only if the file can't be read, for which there is a test.
  package static let hosts: [TransportCase] = rows("cases.json")
  /// The result for each client certificate.
  package static let clients: [TransportCase] = rows("clients.json")

  private static func rows(_ name: String) -> [TransportCase] {
    (try? JSONDecoder().decode([TransportCase].self, from: Data(bytes(name)))) ?? []
  }

  package static func host(_ name: String) throws -> TransportCase {
    guard let row = hosts.first(where: { $0.host == name }) else { throw MissingFixture(name: name) }
    return row
  }

  /// A store with `manifest.json` in force and `root.pem` as the system's anchors.
  ///
  /// - Parameters:
  ///   - log: Records each decision.
  ///   - change: What is different for a test.
  /// - Returns: The store.
  /// - Throws: What keeps a fixture from being read.
  package static func store(
    telling log: DecisionLog? = nil, _ change: (inout PinStoreSettings) throws -> Void = { _ in }
  ) throws -> PinStore {
    var settings = PinStoreSettings(
      signers: try TrustedSigners(publicKeys: [try bytes("release.pub")], threshold: 1), audience: "test",
      withoutManifest: .block)
    settings.embedded = try bytes("manifest.json")
    settings.anchors = try TrustAnchors([try bytes("root.pem")])
    // `newer.json` deliberately refuses chains that tests have just been allowed.
    settings.activationGuard.replaysRecentChains = false
    if let log { settings.observers.append { handshake, decision, _ in log.append(handshake, decision) } }
    try change(&settings)
    return PinStore(settings)
  }

  /// The certificates of a row as a TLS configuration takes them.
  package static func chain(of row: TransportCase) throws -> [NIOSSLCertificateSource] {
    try NIOSSLCertificate.fromPEMFile(path(row.chain)).map { .certificate($0) }
  }

  package static func key(of row: TransportCase) throws -> NIOSSLPrivateKeySource {
    .privateKey(try NIOSSLPrivateKey(file: path(row.key), format: .pem))
  }
}

package struct MissingFixture: Error {
  package var name: String
}

extension TransportCase {
  /// How a decision differs from what the row says; nil where it doesn't.
  package func difference(from decision: Decision) -> String? {
    let found = Self.names(of: decision)
    let expected = [verdict, reason, disposition]
    return found == expected ? nil : "\(chain): expected \(expected), found \(found)"
  }

  private static func names(of decision: Decision) -> [String] {
    let disposition =
      switch decision.disposition {
      case .useCredential: "useCredential"
      case .cancel: "cancel"
      case .performDefaultHandling: "performDefaultHandling"
      }
    return [decision.verdict.kind.rawValue, decision.verdict.reasonCode, disposition]
  }
}

/// What a store's observers received.
package final class DecisionLog: Sendable {
  private let entries = NIOLockedValueBox<[(handshake: PeerHandshake, decision: Decision)]>([])

  package init() {}

  package func append(_ handshake: PeerHandshake, _ decision: Decision) {
    entries.withLockedValue { $0.append((handshake, decision)) }
  }

  package var all: [(handshake: PeerHandshake, decision: Decision)] { entries.withLockedValue { $0 } }
}
#endif
