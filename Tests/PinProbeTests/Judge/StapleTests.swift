import OpenSSLKit
import PinFormat
import PinProbe
import TestSupport
import Testing

/// What stapled OCSP responses say, made by `openssl ocsp`.
@Suite struct StapleTests {
  /// A response, and when it was made: the responder's clock is the machine's.
  private struct Made {
    var der: [UInt8]
    var thisUpdate: Int64

    init(_ path: String) throws {
      der = try readFile(path)
      let text = try String(
        decoding: runSuccessfully("openssl", ["ocsp", "-respin", path, "-noverify", "-resp_text"]), as: UTF8.self)
      let line = try #require(text.split(separator: "\n").first { $0.contains("This Update: ") })
      let words = line.split(separator: " ").dropFirst(2)
      let written = try String(
        decoding: runSuccessfully("date", ["-u", "-d", words.joined(separator: " "), "+%s"]), as: UTF8.self)
      thisUpdate = try #require(Int64(written.filter(\.isNumber)))
    }
  }

  private func made(
    _ answer: TestPKI.OCSPAnswer, for certificate: TestCertificate? = nil, issuer: TestCertificate? = nil,
    signer: TestCertificate? = nil
  ) throws -> Made {
    let make = try maker()
    // A separate directory, because the files are named by serial and answer.
    let pki = try TestPKI()
    return try Made(
      pki.ocspResponse(
        answer, for: certificate ?? make.leaf, issuer: issuer ?? make.intermediate, signer: signer,
        validMinutes: 120))
  }

  private func status(
    _ staple: Made, after seconds: Int64 = 60, served: [TestCertificate]? = nil, stores: [TestCertificate]? = nil
  ) throws -> StapleStatus? {
    let make = try maker()
    let scene = try Scene(
      served ?? [make.leaf, make.intermediate], stores: stores ?? [make.root]
    ).with {
      $0.pinned = nil
      $0.answers = [.chain(try served ?? [make.leaf, make.intermediate], staple: staple.der)]
    }
    let judge = Judge(manifest: nil, stores: try scene.namedStores())
    let at = Instant(secondsSinceEpoch: staple.thisUpdate + seconds)
    return try judge.assess(scene.evidence(), at: at).targets[0].visits[0].served?.staple
  }

  @Test func good() throws {
    let staple = try made(.good)
    let next = Instant(secondsSinceEpoch: staple.thisUpdate + 7_200)
    #expect(try status(staple) == .good(nextUpdate: next))
    // A responder's clock may be a little ahead, and the last second still counts.
    #expect(try status(staple, after: -300) == .good(nextUpdate: next))
    #expect(try status(staple, after: 7_199) == .good(nextUpdate: next))
  }

  @Test func stale() throws {
    let staple = try made(.good)
    let next = Instant(secondsSinceEpoch: staple.thisUpdate + 7_200)
    #expect(try status(staple, after: 7_200) == .stale(nextUpdate: next))
    #expect(try status(staple, after: -301) == .stale(nextUpdate: next))
  }

  @Test func revokedAlsoWhenStale() throws {
    let staple = try made(.revoked)
    let expected = StapleStatus.revoked(at: try instant("2026-01-01"), reason: "keyCompromise")
    #expect(try status(staple) == expected)
    #expect(try status(staple, after: 1_000_000) == expected)
    // Long before the responder's time, its answer isn't valid.
    guard case .stale = try status(staple, after: -1_000) else {
      Issue.record("a revocation of later counted")
      return
    }
  }

  @Test func unknown() throws {
    #expect(try status(try made(.unknown)) == .unknown)
  }

  @Test func ofAnotherCertificate() throws {
    let make = try maker()
    let staple = try made(.good, for: make.leaf("another"))
    #expect(try status(staple) == .unusable("it speaks of another certificate"))
  }

  @Test func ofAnotherIssuer() throws {
    let make = try maker()
    let staple = try made(.good, issuer: make.otherIntermediate)
    #expect(try status(staple) == .unusable("it speaks of another certificate"))
  }

  @Test func signedByAResponderWhomTheIssuerAuthorised() throws {
    let make = try maker()
    let responder = try make.leaf("responder") {
      $0.extendedKeyUsage = "OCSPSigning"
      $0.alternativeNames = []
    }
    guard case .good = try status(try made(.good, signer: responder)) else {
      Issue.record("an authorised responder wasn't believed")
      return
    }
  }

  @Test func signedByAResponderWithoutTheUsage() throws {
    let make = try maker()
    let staple = try made(.good, signer: make.leaf("no responder"))
    #expect(try status(staple) == .unusable("the signer's certificate isn't meant for OCSP"))
  }

  @Test func signedByAResponderOfAnotherAuthority() throws {
    let make = try maker()
    let responder = try make.leaf("other responder", by: make.otherIntermediate) {
      $0.extendedKeyUsage = "OCSPSigning"
      $0.alternativeNames = []
    }
    let staple = try made(.good, signer: responder)
    #expect(try status(staple) == .unusable("the signer's certificate isn't by the leaf's issuer"))
  }

  @Test func signedByAResponderThatHasExpired() throws {
    let make = try maker()
    let responder = try make.leaf("old responder") {
      $0.extendedKeyUsage = "OCSPSigning"
      $0.alternativeNames = []
      $0.notAfter = "2026-01-01"
    }
    let staple = try made(.good, signer: responder)
    #expect(try status(staple) == .unusable("the signer's certificate is out of its dates"))
  }

  @Test func changed() throws {
    let make = try maker()
    var staple = try made(.good)
    let mark = try #require(staple.der.firstRange(of: [0x80, 0x00]))
    // Changes good, [0] IMPLICIT NULL, to unknown, [2] IMPLICIT NULL.
    staple.der[mark.lowerBound] = 0x82
    #expect(try status(staple) == .unusable("the signature is wrong"))
    staple.der = try make.leaf.der
    #expect(try status(staple) == .unusable("the response is damaged"))
    staple.der = []
    #expect(try status(staple) == .unusable("the response is damaged"))
    staple.der = [UInt8](repeating: 0x30, count: OCSPResponse.maximumBytes + 1)
    #expect(try status(staple) == .unusable("the response has more than 65536 bytes"))
    // An OCSPResponse with status tryLater and nothing else.
    staple.der = [0x30, 0x03, 0x0A, 0x01, 0x03]
    #expect(try status(staple) == .unusable("the responder had no answer"))
  }

  @Test func withTheIssuerOutOfTheTrustStore() throws {
    let make = try maker()
    let leaf = try make.leaf("by the root", by: make.root)
    let staple = try made(.good, for: leaf, issuer: make.root)
    guard case .good = try status(staple, served: [leaf]) else {
      Issue.record("the anchor wasn't found as the issuer")
      return
    }
    #expect(
      try status(staple, served: [leaf], stores: [make.otherRoot])
        == .unusable("the leaf's issuer isn't at hand, so nobody can tell who may sign it"))
  }

  /// Each byte of a response may be wrong: nothing but the signed good may come out as good.
  @Test func noChangedByteIsBelieved() throws {
    let make = try maker()
    let staple = try made(.good)
    let leaf = try Certificate(der: make.leaf.der)
    let issuer = try Certificate(der: make.intermediate.der)
    var kept = 0
    for index in staple.der.indices {
      var der = staple.der
      der[index] ^= 0x01
      guard let response = try? OCSPResponse(der: der),
        (try? response.verify(for: issuer, at: staple.thisUpdate)) != nil
      else { continue }
      // Unsigned parts may change (the certificates in the response); the signed content may not.
      kept += 1
      let answers = response.answers(about: leaf, issuer: issuer)
      #expect(answers.map(\.status) == [.good])
      #expect(answers.map(\.nextUpdate) == [staple.thisUpdate + 7_200])
    }
    #expect(kept < staple.der.count / 2)
  }
}
