import OpenSSLKit
import PinFormat
import PinProbe
import PinValidator
import TestSupport
import Testing

/// Made-up chains are accepted or rejected as those that the same authorities issue with their private keys.
@Suite struct UnissuedChainTests {
  /// What one case changes of a chain of two authorities in which nothing is wrong.
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var root: @Sendable (inout CertificateProfile) -> Void = { _ in }
    var intermediate: @Sendable (inout CertificateProfile) -> Void = { _ in }
    var trust = Manifest.Trust()
    var tls = TLSVersion.tls13
    var sendsIntermediates = true
    /// Whether the entry lists the intermediate.
    var listsIntermediate = false
    /// What clients say first; nil where they accept the chain.
    var failure: TrustFailure.Code?

    var testDescription: String { name }
  }

  enum Anchors: CaseIterable { case own, system, both }

  static let cases: [Case] = [
    Case(name: "nothing"),
    Case(name: "RSA root", root: { $0.key = .rsa(bits: 2048) }),
    Case(name: "P-384 root", root: { $0.key = .p384 }),
    Case(name: "Ed25519 root", root: { $0.key = .ed25519 }),
    Case(name: "Ed448 root", root: { $0.key = .ed448 }),
    Case(name: "Ed448 intermediate", intermediate: { $0.key = .ed448 }),
    Case(name: "RSA intermediate", intermediate: { $0.key = .rsa(bits: 2048) }),
    Case(name: "P-384 intermediate", intermediate: { $0.key = .p384 }),
    Case(
      name: "RSA intermediate under minimum-rsa-bits", intermediate: { $0.key = .rsa(bits: 2048) },
      trust: Manifest.Trust(minimumRSABits: 3072), failure: .weakKey),
    Case(
      name: "P-256 intermediate under minimum-ec-bits", intermediate: { $0.key = .p256 },
      trust: Manifest.Trust(minimumECBits: 384), failure: .weakKey),
    Case(name: "RSA intermediate of 1024 bits", intermediate: { $0.key = .rsa(bits: 1024) }, failure: .weakKey),
    Case(
      name: "RSA root under signatures: [ecdsa]", root: { $0.key = .rsa(bits: 2048) },
      trust: Manifest.Trust(signatures: [.ecdsa]), failure: .weakSignature),
    Case(name: "SHA-1 intermediate", intermediate: { $0.digest = "sha1" }, failure: .weakSignature),
    Case(name: "clientAuth intermediate", intermediate: { $0.extendedKeyUsage = "clientAuth" }, failure: .wrongUsage),
    Case(
      name: "other names permitted", intermediate: { $0.nameConstraints = "permitted;DNS:example.org" },
      failure: .nameConstraints),
    Case(
      name: "the host excluded by the root", root: { $0.nameConstraints = "excluded;DNS:example.com" },
      failure: .nameConstraints),
    Case(
      name: "path length of the root", root: { $0.basicConstraints = "critical,CA:TRUE,pathlen:0" },
      failure: .pathTooLong),
    Case(name: "expired intermediate", intermediate: { $0.notAfter = "2026-01-01" }, failure: .expired),
    Case(name: "expired root", root: { $0.notAfter = "2026-01-01" }, failure: .expired),
    Case(name: "intermediate of the future", intermediate: { $0.notBefore = "2027-01-01" }, failure: .notYetValid),
    Case(name: "no keyCertSign", intermediate: { $0.keyUsage = "critical,cRLSign" }, failure: .notAnAuthority),
    Case(name: "no authority", intermediate: { $0.basicConstraints = "critical,CA:FALSE" }, failure: .notAnAuthority),
    Case(name: "TLS 1.2", trust: Manifest.Trust(minimumTLS: .tls13), tls: .tls12, failure: .oldTLSVersion),
    Case(name: "no intermediate", sendsIntermediates: false, failure: .missingIntermediate),
    Case(name: "listed intermediate", sendsIntermediates: false, listsIntermediate: true),
  ]

  @Test(arguments: cases) func realChainsGetTheSameAnswer(_ row: Case) throws {
    let maker = try Maker()
    let root = try maker.selfSigned(
      "unissued: " + row.name, CertificateProfile.authority("Root of \(row.name)").with(row.root))
    let intermediate = try maker.authority("unissued: " + row.name, by: root, row.intermediate)
    let leaf = try maker.leaf("unissued: " + row.name, by: intermediate)
    for anchors in Anchors.allCases {
      let real = try failures(of: leaf, row, root, intermediate, anchors)
      let made = try madeUp(row, root, intermediate, anchors)
      if row.failure == nil, anchors != .own {
        let unknown = try madeUp(row, root, intermediate, .system, topIsKnown: false)
        #expect(unknown == [], "without the root's certificate")
      }
      #expect(Set(made) == Set(real), "\(anchors)")
      if let expected = row.failure {
        #expect(made.contains(expected), "\(anchors)")
      } else {
        #expect(made == [], "\(anchors)")
      }
    }
  }

  private let at = Instant(written: "2026-11-29")

  private func failures(
    of leaf: TestCertificate, _ row: Case, _ root: TestCertificate, _ intermediate: TestCertificate,
    _ anchors: Anchors
  ) throws -> [TrustFailure.Code] {
    let (trust, files) = try settings(row, root, intermediate, anchors)
    let evaluator = TrustEvaluator(
      anchors: try TrustAnchors(anchors == .own ? [] : [root.der]), findsAllFailures: true)
    let served = try ServedChain([leaf.der] + (row.sendsIntermediates ? [intermediate.der] : []))
    let request = TrustRequest(
      peer: .server("example.com"), at: try #require(at), tlsVersion: row.tls, trust: trust)
    guard case .refused(let found) = evaluator.evaluate(served, for: request, certificates: { files[$0] }) else {
      return []
    }
    return found.map(\.code)
  }

  private func madeUp(
    _ row: Case, _ root: TestCertificate, _ intermediate: TestCertificate, _ anchors: Anchors,
    topIsKnown: Bool = true
  ) throws -> [TrustFailure.Code] {
    let (trust, files) = try settings(row, root, intermediate, anchors)
    let top = topIsKnown ? UnissuedChain.Link.certificate(try Certificate(der: root.der)) : .key(nil)
    let chain = try UnissuedChain(
      leafKey: .ec(bits: 384, curve: "P-384"),
      authorities: [.certificate(Certificate(der: intermediate.der)), top], endsInAnchor: anchors != .system)
    return chain.answer(
      by: TrustEvaluator(anchors: try TrustAnchors([]), findsAllFailures: true), ClientLimits(),
      for: try HostName(canonicalising: "example.com"), under: trust, at: try #require(at), tlsVersion: row.tls,
      sendsIntermediates: row.sendsIntermediates, certificates: { files[$0] }
    ).failures.map(\.code)
  }

  private func settings(
    _ row: Case, _ root: TestCertificate, _ intermediate: TestCertificate, _ anchors: Anchors
  ) throws -> (Manifest.Trust, [SHA256Digest: [UInt8]]) {
    let digests = try [root, intermediate].map { SHA256Digest(try SHA256.digest(of: $0.der)) }
    var trust = row.trust
    trust.systemAnchors = anchors != .own
    trust.anchors = anchors == .system ? [] : [digests[0]]
    trust.intermediates = row.listsIntermediate ? [digests[1]] : []
    return (trust, [digests[0]: root.der, digests[1]: intermediate.der])
  }
}
