import Diagnostics
import OpenSSLKit
import PinExchange
import PinFormat
import PinPolicy
import PinRelease
import Testing

/// Files of authorities that are accepted only with enough signatures.
@Suite("Signed files of authorities")
struct SignedAuthoritiesTests {
  private static let text = Array("version: 1\n".utf8)
  private static let type = SignedAuthorities.mediaType

  private let signers: [TestSigner]
  private let keyset: KeysetWalk

  /// A keyset with three signers, two of whom must have signed.
  init() throws {
    signers = [try TestSigner(), try TestSigner(.ecdsaP256), try TestSigner()]
    let signed = try Scene.keyset(roots: signers, threshold: 2)
    let signatures = try signers.map {
      SignatureEnvelope.Signature(keyID: $0.keyID, bytes: try $0.sign(signed, as: .keyset))
    }
    let file = SignatureEnvelope.encode(signed: signed, signatures: signatures)
    keyset = try KeysetWalk(shipped: file, path: "keyset", audience: nil)
  }

  /// What a signature says of itself, and what it is over.
  private struct Signing {
    var signer: Int
    var keyID: String?
    var type = SignedAuthoritiesTests.type
    var text = SignedAuthoritiesTests.text
  }

  private func envelope(_ signings: [Signing], payload: [UInt8] = text, type: String = type) throws -> [UInt8] {
    let signatures = try signings.map { signing in
      let message = DSSE.preAuthenticationEncoding(type: signing.type, body: signing.text)
      let keyID = signing.keyID ?? signers[signing.signer].keyID.hex
      return #"{"keyid":"\#(keyID)","sig":"\#(Base64.encode(try signers[signing.signer].sign(message: message)))"}"#
    }
    return Array(
      #"{"payload":"\#(Base64.encode(payload))","payloadType":"\#(type)","signatures":[\#(signatures.joined(separator: ","))]}"#
        .utf8)
  }

  /// What the file says, or why it is refused.
  private func outcome(_ bytes: [UInt8], at day: String = "2026-11-20") throws -> String {
    do throws(WorkFailure) {
      let instant = Instant(written: day) ?? .latest
      return String(decoding: try SignedAuthorities.text(bytes, of: "f", by: keyset, at: instant), as: UTF8.self)
    } catch {
      #expect(error.kind == .refused)
      return error.message
    }
  }

  @Test("Enough signatures, by whatever key ids")
  func accepted() throws {
    for signings in [
      [Signing(signer: 0), Signing(signer: 1)], [Signing(signer: 1), Signing(signer: 2)],
      [Signing(signer: 0, keyID: "somebody"), Signing(signer: 1, keyID: "")],
      [Signing(signer: 0), Signing(signer: 1), Signing(signer: 2)],
    ] {
      #expect(try outcome(envelope(signings)) == "version: 1\n")
    }
  }

  @Test("Anything else is refused, with exit status 6")
  func refused() throws {
    let both = [Signing(signer: 0), Signing(signer: 1)]
    let other = Array("version: 2\n".utf8)
    let manifest = SignedContent.manifest.mediaType
    let cases: [([UInt8], String)] = [
      (try envelope([]), "nobody has signed it"),
      (try envelope([Signing(signer: 0)]), "needs 2 trusted signatures, found 1"),
      (try envelope([Signing(signer: 0), Signing(signer: 0, keyID: "twin")]), "needs 2 trusted signatures, found 1"),
      (try envelope(both, payload: other), "doesn't fit the signed bytes"),
      (try envelope(both + [Signing(signer: 2, text: other)]), "doesn't fit the signed bytes"),
      (try envelope(both.map { Signing(signer: $0.signer, type: manifest) }), "doesn't fit the signed bytes"),
      (try envelope(both, type: manifest), "its payload is of the type '\(manifest)'"),
      (Self.text, "is not signed"), (Array("{ version: 1 }".utf8), "is not signed"), ([], "is not signed"),
    ]
    for (bytes, expected) in cases {
      let outcome = try outcome(bytes)
      #expect(outcome.contains(expected), "\(outcome)")
    }
    #expect(try outcome(envelope(both), at: "2026-11-21").contains("of the keyset expired"))
  }
}
