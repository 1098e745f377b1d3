import OpenSSLKit
import PinFormat
import PinProbe
import TestSupport

/// Evidence as tests write it: what each host served, with real certificates.
struct RotationEvidence {
  /// A host and port, and what each of its addresses served for ECDSA and for RSA; nil for no answer.
  struct Target {
    var host: String
    var port: UInt16 = 443
    var addresses: [(address: String, ecdsa: [TestCertificate]?, rsa: [TestCertificate]?)]

    init(_ host: String, port: UInt16 = 443, at address: String = "192.0.2.1", _ chain: [TestCertificate]?) {
      self.host = host
      self.port = port
      addresses = [(address, chain, nil)]
    }

    func also(at address: String, ecdsa: [TestCertificate]?, rsa: [TestCertificate]? = nil) -> Target {
      var copy = self
      copy.addresses.append((address, ecdsa, rsa))
      return copy
    }
  }

  static func evidence(
    _ targets: [Target], stores: [(name: String, anchors: [TestCertificate])]
  ) throws -> Evidence {
    let observed = try RotationScene.instant("2026-11-20T12:00:00Z")
    var certificates: [SHA256Digest: [UInt8]] = [:]
    func note(_ chain: [TestCertificate]) throws -> [SHA256Digest] {
      try chain.map { certificate in
        let fingerprint = SHA256Digest(try SHA256.digest(of: certificate.der))
        certificates[fingerprint] = certificate.der
        return fingerprint
      }
    }
    func visit(_ family: KeyFamily, _ chain: [TestCertificate]?) throws -> Evidence.Visit {
      Evidence.Visit(
        offer: Evidence.Offer(family, .tls13), observed: observed, attempts: 1,
        served: try chain.map { Evidence.Served(chain: try note($0)) },
        failure: chain == nil ? Evidence.Failure(.refused, "connection refused") : nil)
    }
    let recorded = try targets.map { target in
      Evidence.Target(
        host: try HostName(canonicalising: target.host), port: target.port,
        addresses: try target.addresses.map {
          Evidence.Address(
            address: $0.address, port: target.port,
            visits: [try visit(.ecdsa, $0.ecdsa)] + ($0.rsa == nil ? [] : [try visit(.rsa, $0.rsa)]))
        })
    }
    let recordedStores = try stores.map { Evidence.Store(name: $0.name, anchors: try note($0.anchors).sorted()) }
    return Evidence(
      begun: observed, ended: observed, tool: "test", stores: recordedStores,
      certificates: certificates.map { Manifest.Certificate(fingerprint: $0.key, der: $0.value) }
        .sorted { $0.fingerprint < $1.fingerprint },
      targets: recorded.sorted { ($0.host, $0.port) < ($1.host, $1.port) })
  }
}

extension TestCertificate {
  var pin: Pin {
    get throws { Pin(SHA256Digest(try Certificate(der: der).publicKeyDigest())) }
  }

  /// `name: { pin: … }`, a line of `keys:`.
  func key(_ name: String, _ fields: String = "") throws -> String {
    let rest = fields.isEmpty ? "" : ", " + fields
    return "  \(name): { pin: \(try pin), custody: HSM \(name), created: 2026-01-01\(rest) }"
  }
}
