import Diagnostics
import PinFormat
import PinPolicy
import PinRelease
import PinRules
import PolicySupport
import ReleaseSupport
import TestSupport
import Testing
@testable import PinValidator

/// Key files of a set that several hosts use: which of them the servers' certificates are for.
@Suite("Certificates of a set's hosts") struct LeafForOtherHostTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var keys = "active: [a], backup: [spare]"
    var hosts = "- { host: a.example.com, keys: s }\n- { host: b.example.com, keys: s }"
    var expected: [String] = []
    /// Of the names that each file is for, those that the finding says it isn't for: clients reject it there.
    var rejected: [(file: String, host: String)] = []
  }

  static let missing = "certificate for 'b.example.com': they are for 'a.example.com'"

  @Test(arguments: [
    Case(
      testDescription: "one of two", expected: ["no active key of key set 's' has a \(missing)"],
      rejected: [("a", "b.example.com")]),
    Case(testDescription: "both", keys: "active: [both], backup: [spare]"),
    Case(testDescription: "one each", keys: "active: [a, b], backup: [spare]"),
    Case(testDescription: "one each, and a backup for one of them", keys: "active: [a, b], backup: [a2]"),
    Case(testDescription: "another active key has no certificate", keys: "active: [a, spare], backup: [b]"),
    Case(testDescription: "another active key is a CA's", keys: "active: [a, root], backup: [spare]"),
    Case(
      testDescription: "another active key is a CA's, and a leaf is required",
      keys: "active: [a, root], backup: [spare]",
      hosts: "- { host: a.example.com, keys: s }\n- { host: b.example.com, keys: s, require: leaf-and-ca }",
      expected: ["no active key of key set 's' has a \(missing)"], rejected: [("a", "b.example.com")]),
    Case(testDescription: "a backup is for one of two", keys: "active: [both], backup: [a]"),
    Case(testDescription: "a backup that is in use", keys: "active: [a], backup: [used]"),
    Case(
      testDescription: "none of its hosts is said once", hosts: "- { host: b.example.com, keys: s }",
      expected: ["the key is pinned for 'b.example.com'"], rejected: [("a", "b.example.com")]),
    Case(
      testDescription: "a name in probe:, beside a backup without a certificate",
      hosts: "- { host: a.example.com, include-subdomains: true, probe: [x.a.example.com], keys: s }",
      expected: ["no active key of 'a.example.com' has a certificate for 'x.a.example.com'"],
      rejected: [("a", "x.a.example.com")]),
    Case(
      testDescription: "an exception excuses the name",
      hosts: """
        - { host: a.example.com, keys: s }
        - host: b.example.com
          keys: s
          trust: { reason: r, exceptions: [{ failure: name-mismatch, certificate: a.pem, until: 2027-03-01, reason: r }] }
        """),
    Case(
      testDescription: "clients verify another name",
      hosts: "- { host: a.example.com, keys: s }\n"
        + "- { host: b.example.com, keys: s, trust: { server-name: a.example.com, reason: r } }"),
    Case(
      testDescription: "a host that is off",
      hosts: "- { host: a.example.com, keys: s }\n- { host: b.example.com, mode: off, reason: r }"),
  ])
  func names(_ row: Case) throws {
    let pki = try Maker().archive.pki
    let root = try pki.issue(.authority("Root"), by: nil)
    var issued = ["root": root]
    for (name, hosts) in ["a": ["a"], "a2": ["a"], "b": ["b"], "used": ["b"], "both": ["a", "b"]] {
      issued[name] = try pki.issue(.leaf(names: hosts.map { "DNS:\($0).example.com" }), by: root)
    }
    let text = """
      keys:
        a: { file: a.pem, position: leaf }
        a2: { file: a2.pem, position: leaf }
        b: { file: b.pem, position: leaf }
        used: { file: used.pem, position: leaf, status: active }
        both: { file: both.pem, position: leaf }
        root: { file: root.pem, position: root }
        spare: { pin: sha256/YZPgTZ+woNCCCIW3LH2CxQeLzB/1m42QcCTBSdgayjs=, custody: HSM B }
      key-sets:
        s: { \(row.keys) }
      hosts:
      \(row.hosts.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n"))

      """
    let files = Dictionary(uniqueKeysWithValues: issued.map { ($0.key + ".pem", $0.value.pem) })
    let policy = try ExampleFiles.resolve(text, adding: files)
    let found = CheckedPolicy.check(CheckInput(policy: policy, at: SmallPolicy.release.issued)).result.diagnostics
      .filter { $0.code == "P332" }.map(\.message)
    #expect(found.count == row.expected.count, "\(found)")
    for (message, expected) in zip(found, row.expected) { #expect(message.contains(expected)) }
    let evaluator = TrustEvaluator(anchors: try TrustAnchors([root.der]))
    for (file, host) in row.rejected {
      let served = try ServedChain([issued[file]?.der ?? []])
      let request = TrustRequest(
        peer: .server(host), at: SmallPolicy.release.issued, tlsVersion: .tls13, trust: nil)
      guard case .refused(let failures) = evaluator.evaluate(served, for: request, certificates: { _ in nil }) else {
        Issue.record("clients accept \(file) at \(host)")
        continue
      }
      #expect(failures.map(\.code) == [.nameMismatch])
    }
  }
}
