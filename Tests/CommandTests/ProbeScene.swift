import Foundation
import TestSupport
import Testing

/// A policy that pins `api.test` to one leaf key, and servers for it on several addresses of loopback.
struct ProbeScene {
  let place: Workplace
  let root: TestCertificate
  let right: TestCertificate
  let impostor: TestCertificate
  /// On each address that a server of the scene listens on.
  let port: UInt16

  init(_ hosts: [String] = ["api.test"]) throws {
    place = try Workplace()
    root = try Self.certificates.get().root
    right = try Self.certificates.get().right
    impostor = try Self.certificates.get().impostor
    port = try freePort()
    try place.write(
      """
      version: 1
      manifest: { audience: test }
      defaults: { expires: 2027-06-01, on-expiry: block }
      keys:
        api: { file: right.pem, position: leaf }
        spare: { file: spare.pem, custody: "HSM A", created: 2026-09-01 }
      key-sets:
        api: { active: [api], backup: [spare] }
      hosts:

      """ + hosts.map { "  - { host: \($0), keys: api }\n" }.joined(), to: "live/policy.yaml")
    try place.write(right.pem, to: "live/right.pem")
    try place.write(try Self.certificates.get().spare.pem, to: "live/spare.pem")
    try place.write(root.pem, to: "root.pem")
  }

  /// A server on 127.0.0.`octet`.
  func serve(_ certificate: TestCertificate, on octet: Int = 1) throws -> TestServer {
    try TestServer(certificate: certificate, on: "127.0.0.\(octet)", port: port)
  }

  /// Probes under the scene's trust store at an instant that its certificates are valid at; 127.0.0.N for each octet is
  /// an address of every host.
  func probe(_ arguments: String = "", at octets: [Int] = [1]) throws -> RunResult {
    try place.run(command(arguments, at: octets))
  }

  func command(_ arguments: String = "", at octets: [Int] = [1], port: UInt16? = nil) -> String {
    let detours = octets.map { " --connect-to ::127.0.0.\($0):\(port ?? self.port)" }.joined()
    return "pintle probe live --trust-store system=root.pem --at 2026-11-22 --retries 0\(detours) \(arguments)"
  }

  private struct Certificates {
    /// Its directory is there as long as it is.
    var pki: TestPKI
    var root: TestCertificate
    var right: TestCertificate
    var impostor: TestCertificate
    var spare: TestCertificate
  }

  /// Made once for all tests; all leaves are for the same names and from the same authority.
  private static let certificates: Result<Certificates, any Error> = Result {
    let pki = try TestPKI()
    let root = try pki.issue(.authority("Probe Root"))
    func leaf() throws -> TestCertificate {
      try pki.issue(.leaf("api.test", names: ["DNS:api.test", "DNS:*.api.test"]), by: root)
    }
    return Certificates(pki: pki, root: root, right: try leaf(), impostor: try leaf(), spare: try leaf())
  }
}
