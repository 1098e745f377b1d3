import OpenSSLKit
import PinFormat
import PinPolicy
import PinProbe
import PinRelease
import PinValidator
import Testing

@Suite("What clients can't verify")
struct ClientLimitsTests {
  struct Row: CustomTestStringConvertible {
    var testDescription: String
    var kinds: [Policy.ClientKind]
    var path: [ClientLimits.Link]
    /// The places of the certificates that are rejected, and the messages.
    var expected: [String]
  }

  static let rows = [
    Row(
      testDescription: "each certificate that one kind can't verify", kinds: [.openSSL35, .java17, .android],
      path: [
        ClientLimits.Link(key: .ec(bits: 521, curve: "P-521"), signature: .mlDSA(.mlDSA65)),
        ClientLimits.Link(key: .mlDSA(.mlDSA65), signature: .rsaPKCS1), ClientLimits.Link(key: .rsa(bits: 4_096)),
      ],
      expected: [
        "0: android can't verify keys of type EC P-521 (the policy's 'clients:')",
        "1: java-17 and android can't verify keys of type ML-DSA-65 (the policy's 'clients:')",
      ]),
    Row(
      testDescription: "a signature", kinds: [.openSSL30, .openSSL35],
      path: [ClientLimits.Link(key: .ec(bits: 256, curve: "P-256"), signature: .mlDSA(.mlDSA87))],
      expected: ["0: openssl-3.0 can't verify signatures of type ML-DSA-87 (the policy's 'clients:')"]),
    Row(
      testDescription: "an authority's curve that servers can't have", kinds: [.openSSL30],
      path: [
        ClientLimits.Link(key: .ed25519), ClientLimits.Link(key: .ec(bits: 256, curve: "secp256k1")),
      ], expected: []),
    Row(
      testDescription: "what isn't known", kinds: [.apple], path: [ClientLimits.Link(key: nil)], expected: []),
    Row(
      testDescription: "what the validator rejects for all", kinds: [.apple],
      path: [ClientLimits.Link(key: .other("X25519"), signature: .other("DSA"))], expected: []),
    Row(
      testDescription: "no kind", kinds: [], path: [ClientLimits.Link(key: .mlDSA(.mlDSA44))], expected: []),
  ]

  @Test(arguments: rows)
  func failures(_ row: Row) {
    let found = ClientLimits(row.kinds).failures(of: row.path)
    #expect(found.map { "\($0.certificate ?? -1): \($0.message)" } == row.expected)
    #expect(found.allSatisfy { $0.code == .malformed && !$0.isOfThisLibrary })
  }

  @Test("A chain that isn't issued yet is rejected for them, also where the libcrypto in use can't verify it")
  func unissued() throws {
    for (kinds, count) in [([Policy.ClientKind.openSSL30], 1), ([.openSSL35], 0), ([.openSSL35, .java17], 1)] {
      let chain = try UnissuedChain(leafKey: .mlDSA(.mlDSA65), authorities: [], endsInAnchor: false)
      let found = chain.answer(
        by: TrustEvaluator(anchors: try TrustAnchors([]), findsAllFailures: true), ClientLimits(kinds),
        for: try HostName(canonicalising: "example.com"), under: Manifest.Trust(),
        at: try #require(Instant(written: "2026-06-01")), tlsVersion: .tls13, sendsIntermediates: true,
        certificates: { _ in nil }
      ).failures
      #expect(found.count == count, "\(kinds): \(found.map(\.message))")
    }
  }

  static let usual: [KeyAlgorithm] = [
    .rsa(bits: 2_048), .ec(bits: 256, curve: "P-256"), .ec(bits: 384, curve: "P-384"), .ec(bits: 521, curve: "P-521"),
    .ed25519, .ed448, .mlDSA(.mlDSA44), .mlDSA(.mlDSA65), .mlDSA(.mlDSA87),
  ]

  @Test("A made-up key of each algorithm is one that the validator accepts", arguments: usual)
  func madeUp(_ algorithm: KeyAlgorithm) throws {
    let chain = try UnissuedChain(leafKey: algorithm, authorities: [.key(algorithm)], endsInAnchor: false)
    let found = chain.answer(
      by: TrustEvaluator(anchors: try TrustAnchors([]), findsAllFailures: true), ClientLimits([.openSSL35]),
      for: try HostName(canonicalising: "example.com"), under: Manifest.Trust(),
      at: try #require(Instant(written: "2026-06-01")), tlsVersion: .tls13, sendsIntermediates: true,
      certificates: { _ in nil }
    ).failures
    #expect(found == [], "\(found.map(\.message))")
  }
}
