import PinFormat
import PinValidator
import TestSupport
import Testing

/// What a policy's `trust` changes, except exceptions.
@Suite struct CustomTrustTests {
  @Test(arguments: [
    Row("a sole anchor: its own chain") { make in
      try sole(
        make.otherRoot, [try make.leaf("other", by: try make.otherIntermediate), try make.otherIntermediate], make)
    },
    Row("a sole anchor: the system's no longer count") { make in
      var (question, _) = try sole(make.otherRoot, [try make.leaf, try make.intermediate], make)
      question.carried = [try make.otherRoot]
      return (question, .refused(["unknown-issuer@1"]))
    },
    Row("an anchor besides the system's") { make in
      let leaf = try make.leaf("other", by: try make.otherIntermediate)
      var question = Question([leaf, try make.otherIntermediate], anchors: [try make.root])
      question.trust = Manifest.Trust(anchors: [try make.otherRoot.fingerprint])
      question.carried = [try make.otherRoot]
      return (question, .chain([leaf, try make.otherIntermediate, try make.otherRoot]))
    },
    Row("an anchor besides the system's, which still count") { make in
      var question = Question([try make.leaf, try make.intermediate], anchors: [try make.root])
      question.trust = Manifest.Trust(anchors: [try make.otherRoot.fingerprint])
      question.carried = [try make.otherRoot]
      return (question, .chain([try make.leaf, try make.intermediate, try make.root]))
    },
    Row("no anchors at all") { make in
      var question = Question([try make.leaf, try make.intermediate], anchors: [try make.root])
      question.trust = Manifest.Trust(systemAnchors: false)
      return (question, .refused(["unknown-issuer@1"]))
    },
    Row("an intermediate as the sole anchor") { make in
      var question = Question([try make.leaf], anchors: [])
      question.trust = Manifest.Trust(systemAnchors: false, anchors: [try make.intermediate.fingerprint])
      question.carried = [try make.intermediate]
      return (question, .chain([try make.leaf, try make.intermediate]))
    },
    Row("a leaf that isn't self-signed is no anchor") { make in
      var question = Question([try make.leaf], anchors: [])
      question.trust = Manifest.Trust(systemAnchors: false, anchors: [try make.leaf.fingerprint])
      question.carried = [try make.leaf]
      return (question, .refused(["missing-intermediate@0"]))
    },
    Row("a leaf that isn't self-signed is no anchor beside an intermediate that is one") { make in
      var question = Question([try make.leaf], anchors: [])
      question.carried = [try make.leaf, try make.otherIntermediate]
      question.trust = Manifest.Trust(systemAnchors: false, anchors: try question.carried.map { try $0.fingerprint })
      return (question, .refused(["missing-intermediate@0"]))
    },
    Row("a new key that the old one certified, of the same name, as the sole anchor") { make in
      let renewed = try make.archive.certificate("renewed root", .authority("Root"), by: make.root)
      let leaf = try make.leaf("below renewed", by: renewed)
      var question = Question([leaf], anchors: [])
      question.trust = Manifest.Trust(systemAnchors: false, anchors: [try renewed.fingerprint])
      question.carried = [renewed]
      return (question, .chain([leaf, renewed]))
    },
    Row("an intermediate as an anchor besides the system's ends the path") { make in
      var question = Question([try make.leaf, try make.intermediate], anchors: [try make.root])
      question.trust = Manifest.Trust(anchors: [try make.intermediate.fingerprint])
      question.carried = [try make.intermediate]
      return (question, .chain([try make.leaf, try make.intermediate]))
    },
    Row("an anchor that the manifest doesn't carry") { make in
      var question = Question([try make.leaf, try make.intermediate], anchors: [try make.root])
      question.trust = Manifest.Trust(anchors: [try make.otherRoot.fingerprint])
      return (question, .refused(["other"]))
    },
    Row("the missing intermediate is in the manifest") { make in
      var question = Question([try make.leaf], anchors: [try make.root])
      question.trust = Manifest.Trust(intermediates: [try make.intermediate.fingerprint])
      question.carried = [try make.intermediate]
      return (question, .chain([try make.leaf, try make.intermediate, try make.root]))
    },
    Row("an intermediate of the manifest is no anchor") { make in
      var question = Question([try make.leaf], anchors: [])
      question.trust = Manifest.Trust(intermediates: [try make.intermediate.fingerprint])
      question.carried = [try make.intermediate]
      return (question, .refused(["unknown-issuer@1"]))
    },
    Row("another name to verify") { make in
      var question = Question([try make.leaf, try make.intermediate], anchors: [try make.root])
      question.peer = .server("10.0.0.5")
      question.trust = Manifest.Trust(serverName: try HostName(canonicalising: "www.example.com"))
      return (question, .chain([try make.leaf, try make.intermediate, try make.root]))
    },
    Row("another name to verify, in place of the host's") { make in
      var question = Question([try make.leaf, try make.intermediate], anchors: [try make.root])
      question.trust = Manifest.Trust(serverName: try HostName(canonicalising: "example.org"))
      return (question, .refused(["name-mismatch@0"]))
    },
  ])
  func anchorsAndNames(_ row: Row) throws { try row.check() }

  @Test(arguments: [
    Row("the certificate itself, whatever its name and use") { make in
      let device = try make.device
      return (try token(device, serves: [device]), .chain([device]))
    },
    Row("the certificate itself, others behind it") { make in
      let device = try make.device
      return (try token(device, serves: [device, try make.root]), .chain([device]))
    },
    Row("a certificate of a public authority as a token") { make in
      (try token(try make.leaf, serves: [try make.leaf, try make.intermediate]), .chain([try make.leaf]))
    },
    Row("another certificate for the same key") { make in
      let device = try make.device
      let renewed = try make.selfSigned("renewed", .leaf("device").with { $0.key = .existing(device) })
      return (try token(device, serves: [renewed]), .refused(["wrong-certificate@0"]))
    },
    Row("the certificate in second place") { make in
      let device = try make.device
      return (
        try token(device, serves: [try make.leaf, device]), .refused(["wrong-certificate@0"])
      )
    },
    Row("a valid chain in its place") { make in
      (
        try token(try make.device, serves: [try make.leaf, try make.intermediate]),
        .refused(["wrong-certificate@0"])
      )
    },
    Row("an expired one") { make in
      let device = try make.selfSigned("old device", .leaf("device").with { $0.notAfter = "2026-06-01" })
      return (try token(device, serves: [device]), .refused(["expired@0"]))
    },
    Row("one that is not valid yet") { make in
      let device = try make.selfSigned("new device", .leaf("device").with { $0.notBefore = "2026-06-02" })
      return (try token(device, serves: [device]), .refused(["not-yet-valid@0"]))
    },
    Row("one with a weak key") { make in
      let device = try make.selfSigned("weak device", .leaf("device").with { $0.key = .rsa(bits: 1_024) })
      return (try token(device, serves: [device]), .refused(["weak-key@0"]))
    },
    Row("an old TLS version") { make in
      var question = try token(try make.device, serves: [try make.device])
      question.trust?.minimumTLS = .tls13
      question.tlsVersion = .tls12
      return (question, .refused(["old-tls-version"]))
    },
  ])
  func identityToken(_ row: Row) throws { try row.check() }

  @Test(arguments: [
    Row("larger RSA keys") { make in
      let leaf = try make.leaf("rsa 2048") { $0.key = .rsa(bits: 2_048) }
      return try stricter(leaf, make, .refused(["weak-key@0"])) { $0.minimumRSABits = 3_072 }
    },
    Row("larger curves") { make in
      try stricter(nil, make, .refused(["weak-key@0", "weak-key@1", "weak-key@2"])) { $0.minimumECBits = 384 }
    },
    Row("a minimum below the validator's own changes nothing") { make in
      let leaf = try make.leaf("rsa 1024") { $0.key = .rsa(bits: 1_024) }
      return try stricter(leaf, make, .refused(["weak-key@0"])) { $0.minimumRSABits = 1_024 }
    },
    Row("the family that is there") { make in
      try stricter(nil, make, .chain([try make.leaf, try make.intermediate, try make.root])) {
        $0.signatures = [.ecdsa, .eddsa]
      }
    },
    Row("another family") { make in
      try stricter(nil, make, .refused(["weak-signature@0", "weak-signature@1"])) { $0.signatures = [.rsaPSS] }
    },
    Row("PSS and PKCS #1 are told apart") { make in
      let root = try make.selfSigned("rsa root", .authority("RSA Root").with { $0.key = .rsa(bits: 2_048) })
      let pss = try make.authority("PSS", by: root) {
        $0.key = .rsa(bits: 2_048)
        $0.signatureOptions = ["rsa_padding_mode:pss", "rsa_pss_saltlen:digest"]
      }
      let leaf = try make.leaf("below pss", by: pss)
      var question = Question([leaf, pss], anchors: [root])
      question.trust = Manifest.Trust(signatures: [.rsaPSS])
      return (question, .refused(["weak-signature@0"]))
    },
    Row("TLS 1.3 asked for and negotiated") { make in
      try stricter(nil, make, .chain([try make.leaf, try make.intermediate, try make.root])) { $0.minimumTLS = .tls13 }
    },
    Row("TLS 1.2 asked for, 1.3 negotiated") { make in
      try stricter(nil, make, .chain([try make.leaf, try make.intermediate, try make.root])) { $0.minimumTLS = .tls12 }
    },
    Row("TLS 1.3 asked for, 1.2 negotiated") { make in
      var (question, _) = try stricter(nil, make, .refused([])) { $0.minimumTLS = .tls13 }
      question.tlsVersion = .tls12
      return (question, .refused(["old-tls-version"]))
    },
    Row("TLS 1.2 asked for, nobody says what was negotiated") { make in
      var (question, _) = try stricter(nil, make, .refused([])) { $0.minimumTLS = .tls12 }
      question.tlsVersion = nil
      return (question, .refused(["old-tls-version"]))
    },
  ])
  func stricterChecks(_ row: Row) throws { try row.check() }
}

extension Maker {
  /// A self-signed device whose name and use no path validation would take.
  fileprivate var device: TestCertificate {
    get throws {
      try selfSigned("token", CertificateProfile.leaf("device", names: []).with { $0.extendedKeyUsage = "codeSigning" })
    }
  }
}

private func sole(
  _ anchor: TestCertificate, _ served: [TestCertificate], _ make: Maker
) throws -> (Question, Outcome) {
  var question = Question(served, anchors: [try make.root])
  question.trust = Manifest.Trust(systemAnchors: false, anchors: [try anchor.fingerprint])
  question.carried = [anchor]
  return (question, .chain(served + [anchor]))
}

private func token(_ certificate: TestCertificate, serves served: [TestCertificate]) throws -> Question {
  var question = Question(served, anchors: [])
  question.trust = Manifest.Trust(certificate: try certificate.fingerprint)
  question.carried = [certificate]
  return question
}

private func stricter(
  _ leaf: TestCertificate?, _ make: Maker, _ outcome: Outcome, _ change: (inout Manifest.Trust) -> Void
) throws -> (Question, Outcome) {
  let leaf = try leaf ?? make.leaf
  var question = Question([leaf, try make.intermediate], anchors: [try make.root])
  var trust = Manifest.Trust()
  change(&trust)
  question.trust = trust
  return (question, outcome)
}
