import Diagnostics
import PinFormat
import PinPolicy
import PinRelease
import PinRules
import PinValidator
import Testing

/// What `check` says of clients that see the leaf alone.
@Suite("Leaf-only clients")
struct LeafOnlyClientTests {
  /// A host of each kind that such clients can decide on, and that they can't.
  private static let hosts = """
    hosts:
      - { host: leaf.example.com, keys: leaves }
      - { host: tls.example.com, keys: leaves, trust: { minimum-tls: "1.3", reason: r } }
      - { host: off.example.com, mode: off, reason: r }
      - { host: known.example.com, keys: mixed, trust: { intermediates: [keys/example-intermediate.pem], reason: r } }
      - { host: mixed.example.com, keys: mixed }
      - { host: reported.example.com, keys: mixed, mode: report-only }
      - { host: pair.example.com, keys: mixed, require: leaf-and-ca }
      - { host: strong.example.com, keys: leaves, trust: { minimum-rsa-bits: 3072, reason: r } }
      - { host: own.example.com, keys: leaves, trust: { anchors: [keys/example-root.pem], reason: r } }
    """

  private static func policy(clients: String, _ hosts: String = hosts, denied: String = "") -> String {
    """
    version: 1
    manifest: { audience: production\(clients.isEmpty ? "" : ", clients: [\(clients)]") }
    defaults: { expires: 2027-06-01, on-expiry: report-only }
    keys:
      api: { file: keys/api.pem, position: leaf }
      api-spare: { file: keys/api-spare.csr, position: leaf }
      root: { file: keys/example-root.pem, position: root }
      lost: { file: keys/example-intermediate-2.pem, denied: lost\(denied) }
    key-sets:
      leaves: { active: [api], backup: [api-spare] }
      mixed: { active: [root, api], backup: [api-spare] }
    \(hosts)
    """
  }

  /// The rule looks at a policy and the client at a manifest: they have to name the same hosts.
  @Test func theRuleSaysWhatTheClientSays() throws {
    let text = Self.policy(clients: "full-chain, leaf-only")
    let check = try ExampleCheck(text)
    let findings = check.diagnostics(of: "P214")
    let named = findings.flatMap { finding in
      finding.message.matches(of: /'([a-z]+\.example\.com)'/).map { String($0.1) }
    }
    let example = Example.Released(
      serial: 1, issued: try #require(Instant(written: "2026-11-21")), [.init(path: "policy.yaml", text: text)])
    let manifest = try #require(try ExampleRotation([example]).released.last?.loaded)
    #expect(named.sorted() == manifest.limits(ofLeafOnly: .leaf).map(\.entry))
    #expect(named.count == 5)
    #expect(findings.allSatisfy { $0.severity == .warning })
  }

  @Test(arguments: [("", 0, 0), ("full-chain", 0, 0), ("leaf-only", 4, 1), ("leaf-only, full-chain", 4, 1)])
  func onlyWhoHasSuchClientsIsTold(clients: String, undecidable: Int, unseen: Int) throws {
    let check = try ExampleCheck(Self.policy(clients: clients))
    let found = check.diagnostics(of: "P214")
    #expect(found.count == undecidable)
    // Without other clients, nobody can connect.
    #expect(found.allSatisfy { $0.severity == (clients == "leaf-only" ? .error : .warning) })
    #expect(check.places(of: "P215") == (unseen == 0 ? [] : ["8:58-62"]))
  }

  @Test func aDeniedLeafIsSeenAtTheLeaf() throws {
    let text = Self.policy(clients: "leaf-only", "hosts: []", denied: ", position: leaf")
      .replacing("keys/example-intermediate-2.pem", with: "keys/api-spare-2.pem")
    #expect(try ExampleCheck(text).diagnostics(of: "P215") == [])
  }

  @Test func oneFindingForASetAndItsCause() throws {
    let hosts = """
      hosts:
        - { host: a.example.com, keys: mixed }
        - { host: b.example.com, keys: mixed }
      """
    let found = try ExampleCheck(Self.policy(clients: "leaf-only", hosts)).diagnostics(of: "P214")
    #expect(
      found.map(\.message) == [
        "leaf-only clients can't decide on 'a.example.com' and 'b.example.com': key 'root' has no 'position: leaf'"
      ])
  }
}
