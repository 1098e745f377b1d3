import PinFormat
import PinProbe
import PinValidator
import TestSupport
import Testing

/// Certificates in evidence: what is written in them, and that nobody exchanged them.
@Suite struct RecordTests {
  @Test func whatACertificateSays() throws {
    let make = try maker()
    let leaf = try make.leaf("record") {
      $0.key = .rsa(bits: 2_048)
      $0.alternativeNames = ["DNS:*.example.com", "DNS:example.com", "IP:10.0.0.5"]
      $0.extensions = ["authorityInfoAccess = caIssuers;URI:http://ca.test/i.cer"]
    }
    let assessment = try Scene([leaf, make.intermediate], stores: [make.root]).assessment()
    let record = try #require(assessment.certificates[try leaf.fingerprint])
    #expect(record.subject == "CN=record")
    #expect(record.issuer == "CN=Intermediate,O=Pintle Tests")
    #expect(record.commonName == "record")
    #expect(record.notBefore == (try instant("2020-01-01")))
    #expect(record.notAfter == (try instant("2049-01-01")))
    #expect(record.key == "RSA 2048")
    #expect(record.signature == "ECDSA with SHA-256")
    #expect(record.names == ["*.example.com", "example.com", "10.0.0.5"])
    #expect(!record.isCA)
    #expect(!record.isSelfSigned)
    #expect(record.usages == ["serverAuth"])
    #expect(record.issuerURLs == ["http://ca.test/i.cer"])
    #expect(record.pin != nil)
    // The anchor wasn't served, but has a record.
    let root = try #require(assessment.certificates[try make.root.fingerprint])
    #expect(root.isCA && root.isSelfSigned)
    #expect(root.usages == nil)
    #expect(root.key == "EC P-256")
    #expect(assessment.certificates.count == 3)
  }

  @Test func aCertificateUnderAnotherOnesName() throws {
    let make = try maker()
    let scene = try Scene([make.leaf, make.intermediate], stores: [make.root])
    var evidence = try scene.evidence()
    let stated = evidence.certificates[0].fingerprint
    let actual = try make.root.fingerprint
    evidence.certificates[0] = Manifest.Certificate(fingerprint: stated, der: try make.root.der)
    try refuse(evidence, .wrongFingerprint(stated: stated, actual: actual))
  }

  @Test func aCertificateThatIsNotThere() throws {
    let make = try maker()
    var evidence = try Scene([make.leaf, make.intermediate], stores: [make.root]).evidence()
    evidence.certificates.removeAll { $0.der == (try? make.leaf.der) }
    try refuse(evidence, .missingCertificate(try make.leaf.fingerprint, "a visit to example.com:443"))
  }

  @Test func anAnchorThatIsNotThere() throws {
    let make = try maker()
    var evidence = try Scene([make.leaf, make.intermediate]).evidence()
    let root = try make.root.fingerprint
    evidence.stores = [Evidence.Store(name: "system", anchors: [root])]
    #expect(throws: JudgeError.missingCertificate(root, "the trust store system")) {
      try Judge(manifest: nil, stores: []).assess(evidence, at: try instant("2026-06-01"))
    }
  }

  @Test func anAnchorThatIsNoCertificate() throws {
    let make = try maker()
    let scene = try Scene([], stores: []).with { $0.answers = [.bytes([try make.leaf.der, [1]])] }
    var evidence = try scene.evidence()
    let garbage = try fingerprint(of: [1])
    evidence.stores = [Evidence.Store(name: "system", anchors: [garbage])]
    #expect(throws: JudgeError.unreadableAnchor(garbage, store: "system")) {
      try Judge(manifest: nil, stores: []).assess(evidence, at: try instant("2026-06-01"))
    }
  }

  @Test func noTrustStoreAtAll() throws {
    let make = try maker()
    let evidence = try Scene([make.leaf, make.intermediate]).evidence()
    #expect(throws: JudgeError.noTrustStore) {
      try Judge(manifest: nil, stores: []).assess(evidence, at: try instant("2026-06-01"))
    }
  }

  /// Only what a recorded certificate leads to is recorded, and nothing of the store before.
  @Test func onlyAnchorsThatMatterAreRecorded() throws {
    let make = try maker()
    let scene = try Scene(
      [make.leaf, make.intermediate], stores: [make.root, make.otherRoot], [make.otherRoot], [make.intermediate])
    var evidence = try scene.evidence()
    let judge = Judge(manifest: nil, stores: [])
    try judge.recordAnchors(of: try scene.namedStores().reversed(), into: &evidence)
    #expect(evidence.stores.map(\.name) == ["store-0", "store-1", "store-2"])
    let root = try make.root.fingerprint
    let intermediate = try make.intermediate.fingerprint
    // An intermediate of a store isn't an anchor.
    #expect(evidence.stores.map(\.anchors) == [[root], [], []])
    #expect(evidence.certificates.map(\.fingerprint) == (try [make.leaf.fingerprint, intermediate, root].sorted()))
    try judge.recordAnchors(of: [], into: &evidence)
    #expect(evidence == (try scene.evidence()))
  }

  private func refuse(_ evidence: Evidence, _ error: JudgeError) throws {
    let make = try maker()
    let store = NamedStore(name: "system", anchors: try TrustAnchors([make.root.der]))
    #expect(throws: error) {
      try Judge(manifest: nil, stores: [store]).assess(evidence, at: try instant("2026-06-01"))
    }
  }
}
