import OpenSSLKit
import PinFormat
import PinValidator
import TestSupport
import Testing

/// The keys that a refusal names, with real certificates.
@Suite("The keys of a refusal")
struct DecisionKeysTests {
  private let pki: TestPKI.Standard
  private let names = ["leaf", "intermediate", "root"]

  init() throws { pki = try TestPKI.standard() }

  private var chain: [[UInt8]] { [pki.leaf.der, pki.intermediate.der] }

  private func pin(_ number: Int) throws -> Pin {
    let certificate = [pki.leaf, pki.intermediate, pki.root][number]
    return Pin(SHA256Digest(try Certificate(der: certificate.der).publicKeyDigest()))
  }

  /// Keys `other` and `spare`, which no certificate has, and those given.
  private func manifest(
    _ mode: Mode = .enforce, _ requirement: Requirement = .any, _ more: [Manifest.Key] = [],
    active: [String] = ["other"]
  ) throws -> LoadedManifest {
    var manifest = try Manifest.sample(
      hosts: [.init("example.com", mode, keys: "set", require: requirement)], denied: false)
    manifest.keys = [
      Manifest.Key(name: "other", pin: Pin(digest(1)), position: .root, denied: nil),
      Manifest.Key(name: "spare", pin: Pin(digest(2)), position: nil, denied: nil),
    ]
    manifest.keys = (manifest.keys + more).sorted { $0.name < $1.name }
    manifest.keySets = [Manifest.KeySet(name: "set", active: active, backup: ["spare"])]
    return try loaded(manifest)
  }

  private func decide(_ manifest: LoadedManifest, _ certificates: [[UInt8]], host: String = "example.com") throws
    -> Decision
  {
    let evaluator = TrustEvaluator(anchors: try TrustAnchors([pki.root.der]))
    let handshake = PeerHandshake(host: host, port: 443, certificates: certificates, tlsVersion: .tls13)
    return Validator(manifest: manifest, evaluator: evaluator).evaluate(
      handshake, at: try instant("2026-11-20"), transport: .replaced)
  }

  private let required = """
    other at the root sha256/AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=, \
    spare (backup) sha256/AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=
    """

  @Test("A mismatch, blocked or reported", arguments: [Mode.enforce, .reportOnly])
  func mismatch(mode: Mode) throws {
    let decision = try decide(try manifest(mode), chain)
    let keys = decision.keys
    #expect(try keys.presented.map(\.pin) == [pin(0), pin(1), pin(2)])
    #expect(keys.presented.map(\.certificate) == [0, 1, 2])
    #expect(keys.presented.map(\.position) == [.leaf, .intermediate, .root])
    #expect(keys.presented.allSatisfy { $0.name == nil && $0.status == nil })
    #expect(keys.required.map(\.name) == ["other", "spare"])
    #expect(keys.required.map(\.status) == [.active, .backup])
    #expect(keys.required.map(\.position) == [.root, nil])
    #expect(!keys.failedEvaluation && !keys.requiresLeafAndCA)
    let what = mode == .enforce ? "block: " : "allow: "
    let reported = mode == .enforce ? "" : ", which is only reported"
    let expected = try """
    \(what)none of the entry's pins matches the validated chain\(reported) (entry example.com); presented: \
    leaf \(pin(0)), intermediate \(pin(1)), root \(pin(2)); required: one of \(required)
    """
    #expect(decision.explanation == expected)
  }

  @Test("A key that is in the wrong place has its name, and leaf-and-ca says what it asks for")
  func leafAndAuthority() throws {
    let root = Manifest.Key(name: "root-key", pin: try pin(2), position: .root, denied: nil)
    let decision = try decide(
      try manifest(.enforce, .leafAndCA, [root], active: ["other", "root-key"]), chain)
    #expect(decision.keys.requiresLeafAndCA)
    #expect(decision.keys.presented.last?.name == "root-key")
    let text = decision.explanation
    #expect(
      try text.contains(", root root-key \(pin(2)); required: one at the leaf and one above it of other at the root "))
  }

  @Test("A denied key is called that, whatever else it is")
  func denied() throws {
    let lost = Manifest.Key(name: "lost", pin: try pin(1), position: nil, denied: "found in a bucket")
    let decision = try decide(try manifest(.reportOnly, .any, [lost]), chain)
    #expect(decision.keys.presented.map(\.status) == [nil, .denied, nil])
    #expect(try decision.explanation.contains("intermediate lost (denied) \(pin(1)), root "))
  }

  @Test("If trust evaluation failed, these are the served keys, also of what is not a certificate")
  func untrusted() throws {
    let decision = try decide(try manifest(), [pki.leaf.der, [0x30, 0x00]])
    #expect(decision.keys.failedEvaluation)
    #expect(try decision.keys.presented.map(\.pin) == [pin(0), nil])
    #expect(decision.keys.presented.map(\.position) == [.leaf, nil])
    let ending = "; served, not validated: leaf \(try pin(0)), certificate 1 (its key can't be read)"
    #expect(decision.explanation.contains(ending + "; required: one of \(required)"))
  }

  @Test("A host that isn't pinned has no required keys")
  func unpinned() throws {
    let decision = try decide(try manifest(), [pki.leaf.der], host: "other.example")
    #expect(decision.disposition == .cancel)
    #expect(decision.keys.required.isEmpty)
    #expect(decision.explanation.contains("; trust evaluation failed: "))
    #expect(decision.explanation.hasSuffix("; served, not validated: leaf \(try pin(0))"))
  }

  @Test("An answer that isn't about keys lists none")
  func others() throws {
    let root = Manifest.Key(name: "root-key", pin: try pin(2), position: nil, denied: nil)
    let allowed = try decide(try manifest(.enforce, .any, [root], active: ["other", "root-key"]), chain)
    #expect(allowed.keys == (try decide(try manifest(), chain, host: "a host")).keys)
    #expect(allowed.keys.presented.isEmpty && allowed.keys.required.isEmpty)
    #expect(allowed.explanation == "allow: key root-key at the root, certificate 2 matches (entry example.com)")
    for host in ["https://example.com/", "example.com:443", "example.com/path", "[::1]:443"] {
      #expect(try decide(try manifest(), chain, host: host).explanation.contains("alone, without scheme, port or path"))
    }
  }

  @Test("A sentence lists eight keys at most, and a peer can't lengthen it")
  func many() throws {
    let more = (10..<30).map { number in
      Manifest.Key(name: "key-\(number)", pin: Pin(digest(UInt8(number))), position: nil, denied: nil)
    }
    let served = Array(repeating: [UInt8](repeating: 0x30, count: 8), count: 32)
    let decision = try decide(try manifest(.enforce, .any, more, active: ["other"] + more.map(\.name)), served)
    #expect(decision.keys.required.count == 22)
    #expect(decision.keys.presented.count == 32)
    #expect(
      decision.explanation.contains("certificate 7 (its key can't be read) and 24 more; required: one of key-10 "))
    #expect(decision.explanation.hasSuffix(" and 14 more"))
  }
}
