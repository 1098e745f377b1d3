import OpenSSLKit
import PinFormat
import PinProbe
import TestSupport

/// The one chain that observed servers present: a leaf for all names, an intermediate and a root.
enum ObservedChain {
  private static func certificates() throws -> [TestCertificate] {
    let maker = try Maker()
    return [try maker.leaf, try maker.intermediate, try maker.root]
  }

  /// The pins of the leaf and the root.
  static func pins() throws -> [Pin] {
    let chain = try certificates()
    return try [chain[0], chain[2]].map { Pin(SHA256Digest(try Certificate(der: $0.der).publicKeyDigest())) }
  }

  /// A record of hosts that all present it, or of which none answers.
  static func evidence(of hosts: [HostName], areSilent: Bool, at instant: Instant) throws -> Evidence {
    let chain = try certificates().map { certificate in
      Manifest.Certificate(fingerprint: SHA256Digest(try SHA256.digest(of: certificate.der)), der: certificate.der)
    }
    let served = Evidence.Served(chain: chain.map(\.fingerprint))
    let visit = Evidence.Visit(
      offer: Evidence.Offer(.ecdsa, .tls13), observed: instant, attempts: 1, served: areSilent ? nil : served,
      failure: areSilent ? Evidence.Failure(.refused, "connection refused") : nil)
    return Evidence(
      begun: instant, ended: instant, tool: "policy worlds",
      stores: [Evidence.Store(name: "system", anchors: [chain[2].fingerprint])],
      certificates: chain.sorted { $0.fingerprint < $1.fingerprint },
      targets: hosts.map { host in
        Evidence.Target(
          host: host, port: 443, addresses: [Evidence.Address(address: "192.0.2.1", port: 443, visits: [visit])])
      })
  }
}
