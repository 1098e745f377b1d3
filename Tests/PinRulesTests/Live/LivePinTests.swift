import Diagnostics
import PinFormat
import PinProbe
import PinRules
import Testing

@Suite("Pins compared with live servers")
struct LivePinTests {
  typealias Scene = EvidenceRecorder.Scene

  private static let none =
    "no key of the key set of 'api.example.com' matches the validated chain of 'api.example.com:443'"

  static let cases = [
    LiveCase("a CA's key for both types", scene: Scene.at(.serves(ecdsa: Scene.api, rsa: Scene.apiRSA))),
    LiveCase(
      "an address with another CA", scene: Scene.at(.serves(ecdsa: Scene.api), .serves(ecdsa: Scene.otherCA)),
      "P520 error 10 \(none) at 192.0.2.11; its pins match at 192.0.2.10"),
    LiveCase(
      "everywhere another CA", scene: Scene.at(.serves(ecdsa: Scene.otherCA), .serves(ecdsa: Scene.otherCA)),
      "P520 error 10 \(none)"),
    LiveCase(
      "one type at one address",
      scene: Scene.at(
        .serves(ecdsa: Scene.api, rsa: Scene.apiRSA), .serves(ecdsa: Scene.api, rsa: Scene.otherCA)),
      "P520 error 10 \(none) at 192.0.2.11 with its RSA certificate"),
    LiveCase(
      "one type at both",
      scene: Scene.at(
        .serves(ecdsa: Scene.api, rsa: Scene.otherCA), .serves(ecdsa: Scene.api, rsa: Scene.otherCA)),
      "P528 error 10 \(none) with its RSA certificate; its pins match with its ECDSA certificate"),
    LiveCase(
      "only reported", "mode: report-only\nkeys: { active: [example-root], backup: [other-root] }",
      scene: Scene.at(.serves(ecdsa: Scene.api), .serves(ecdsa: Scene.otherCA)),
      "P520 warning 10 \(none) at 192.0.2.11; its pins match at 192.0.2.10"),
    LiveCase("taken out", "mode: off\nreason: moved", scene: Scene.at(.serves(ecdsa: Scene.otherCA))),
    LiveCase(
      "expired, and unpinned since",
      "keys: { active: [example-root], backup: [other-root] }\nexpires: 2026-11-01\non-expiry: unpinned",
      scene: Scene.at(.serves(ecdsa: Scene.otherCA))),
    LiveCase(
      "leaf and CA, the leaf another",
      "keys: { active: [example-root, mine], backup: [other-root] }\nrequire: leaf-and-ca",
      scene: Scene.at(.serves(ecdsa: Scene.api)),
      "P520 error 10 no key of the key set of 'api.example.com' matches the leaf of 'api.example.com:443'"),
    LiveCase(
      "cross-signed, both roots in one store", "keys: { active: [new-root], backup: [other-root] }",
      scene: Scene.at(.serves(ecdsa: Scene.crossSigned), stores: ["system": ["keys/example-root", "keys/old-root"]]),
      "P522 error 10 \(none) ('new-root' is there as an intermediate, which doesn't count) on the path over "
        + "'Old Root CA'; its pins match over 'Example Root CA'"),
    LiveCase(
      "cross-signed under two stores, and an address of another CA",
      "keys: { active: [new-root], backup: [other-root] }",
      scene: Scene.at(
        .serves(ecdsa: Scene.crossSigned), .serves(ecdsa: Scene.otherCA),
        stores: ["system": ["keys/example-root", "live/root"], "old": ["keys/old-root", "live/root"]]),
      "P520 error 10 \(none) at 192.0.2.11; its pins match at 192.0.2.10",
      "P522 error 10 \(none) ('new-root' is there as an intermediate, which doesn't count) under the trust store "
        + "'old'; its pins match under 'system'"),
    LiveCase(
      "a backup at one address",
      "keys: { active: [example-root], backup: [live-root] }",
      scene: Scene.at(.serves(ecdsa: Scene.api), .serves(ecdsa: Scene.otherCA)),
      "P521 warning 10 'api.example.com:443' matches only by its backup key 'live-root' at 192.0.2.11 (and not at "
        + "192.0.2.10)"),
    LiveCase(
      "a backup beside the active key", "keys: { active: [mine-now], backup: [example-root] }",
      scene: Scene.at(.serves(ecdsa: Scene.api)),
      "P525 warning 10 a backup of the key set of 'api.example.com' is already in use: 'example-root' is in the chain of "
        + "'api.example.com:443'"),
    LiveCase(
      "trust that fails for one type, where pins are only reported",
      "mode: report-only\nkeys: { active: [example-root], backup: [other-root] }",
      scene: Scene.at(.serves(ecdsa: Scene.api, rsa: ["live/client", "live/intermediate"])),
      "P508 error 10 'api.example.com:443' presents a certificate that doesn't cover 'api.example.com' (it covers "
        + "'live.example.com') with its RSA certificate; it holds with its ECDSA certificate",
      "P509 error 10 'api.example.com:443' sends a certificate whose Extended Key Usage has clientAuth and not "
        + "serverAuth with its RSA certificate; it holds with its ECDSA certificate"),
  ]

  @Test(arguments: cases)
  func findings(_ test: LiveCase) throws {
    let keys = """
        new-root: { file: keys/example-root.pem, position: root }
        live-root: { file: live/root.pem }
        mine: { file: keys/appliance.pem, position: leaf }
        mine-now: { file: keys/api.pem }
      """
    let check = try LiveCheck(keys + "\n" + test.hosts, [test.scene()])
    #expect(check.findings == test.expected)
  }

  @Test func whatTheEntryRequiresIsPointedAt() throws {
    let hosts = """
        mine: { file: keys/appliance.pem, position: leaf }
      hosts:
        - host: api.example.com
          require: leaf-and-ca
          keys: { active: [example-root, mine], backup: [other-root] }
      """
    let check = try LiveCheck(hosts, [Scene.at(.serves(ecdsa: Scene.api))])
    #expect(
      check.first("P520")?.related.map(\.message) == [
        "these keys are required", "one key at the leaf and one above it have to match",
      ])
  }

  /// A server's key isn't a backup if any server uses it; a CA's key may be active for another host.
  @Test func backupsOfOtherHosts() throws {
    let hosts = """
        api: { file: keys/api.pem }
        live-root: { file: live/root.pem }
      hosts:
        - host: api.example.com
          keys: { active: [example-root], backup: [live-root] }
        - host: legacy.example.com
          keys: { active: [live-root], backup: [api] }
      """
    var legacy = Scene.at(.serves(ecdsa: ["live/legacy", "live/intermediate"]))
    legacy.host = "legacy.example.com"
    let check = try LiveCheck(hosts, [Scene.at(.serves(ecdsa: Scene.api)), legacy])
    #expect(
      check.findings == [
        "P525 warning 10 a backup of the key set of 'legacy.example.com' is already in use: 'api' is the server's own key of "
          + "'api.example.com:443'"
      ])
  }

  /// A denial is a statement, in report-only too.
  @Test func deniedWhereOnlyReported() throws {
    let hosts = """
        leaked: { file: keys/strong-rsa.pem, denied: found in a public bucket }
      hosts:
        - host: api.example.com
          mode: report-only
          keys: { active: [example-root], backup: [other-root] }
      """
    let check = try LiveCheck(hosts, [Scene.at(.serves(ecdsa: Scene.api, rsa: Scene.apiRSA))])
    #expect(
      check.findings == [
        "P523 error 7 'api.example.com:443' presents the denied key 'leaked' (found in a public bucket) in its own certificate with its RSA "
          + "certificate (and not with its ECDSA certificate)"
      ])
  }

  /// The lines for keys that are missing can be put into a policy, CAs first, and none that the set has.
  @Test func policyLines() throws {
    let hosts = """
      hosts:
        - host: api.example.com
          keys: { active: [example-root], backup: [other-root] }
      """
    let check = try LiveCheck(hosts, [Scene.at(.serves(ecdsa: Scene.otherCA))])
    let lines = check.first("P520")?.help.split(separator: "\n").filter { $0.contains("pin: sha256/") } ?? []
    #expect(
      lines.map { $0.split(separator: ":")[0] } == ["  live-intermediate-ca", "  live-root-ca", "  api.example.com"])
    let pinned = """
      \(lines.joined(separator: "\n"))
      hosts:
        - host: api.example.com
          keys: { active: [live-intermediate-ca], backup: [other-root] }
      """
    #expect(try LiveCheck(pinned, [Scene.at(.serves(ecdsa: Scene.otherCA))]).findings == [])
  }
}
