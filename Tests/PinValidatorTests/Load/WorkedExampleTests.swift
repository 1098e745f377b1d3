import Foundation
import OpenSSLKit
import PinFormat
import PinValidator
import Testing

@Suite("The worked example of docs/manifest-format.md")
struct WorkedExampleTests {
  private let page: String
  private let bytes: [UInt8]
  private let publicKey: [UInt8]
  private let manifest: LoadedManifest

  init() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
    page = try String(contentsOf: root.appendingPathComponent("docs/manifest-format.md"), encoding: .utf8)
    let example = root.appendingPathComponent("Tests/Fixtures/manifests/valid/example.json")
    bytes = Array(try Data(contentsOf: example))
    // RFC 8032 section 7.1, test 1.
    publicKey = try #require(
      Hex.decode("302a300506032b6570032100d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a".utf8))
    manifest = try LoadedManifest.load(
      bytes, signers: TrustedSigners(publicKeys: [publicKey], threshold: 1), audience: "production")
  }

  @Test("The page shows the file's bytes")
  func bytesOnThePage() throws {
    let start = try #require(page.range(of: "<!-- example -->\n```\n")?.upperBound)
    let end = try #require(page.range(of: "\n```", range: start..<page.endIndex)?.lowerBound)
    #expect(page[start..<end].replacing("\n", with: "") == String(decoding: bytes, as: UTF8.self))
  }

  @Test("The page's figures are those of the file")
  func figures() throws {
    let signed = try SignatureEnvelope(scanning: bytes).signed
    let header = DSSE.header(type: Manifest.mediaType, bodyLength: signed.count)
    for figure in [
      "`\(Hex.encode(publicKey))`", "`\(Hex.encode(try sha256(publicKey)))`", "`\(try manifest.signedDigest().hex)`",
      "\(signed.count) bytes, from offset \(signed.lowerBound) |", ", \(bytes.count) bytes, with line breaks",
      "`\(String(decoding: header.dropLast(), as: UTF8.self))`, with a space at its end",
    ] {
      #expect(page.contains(figure), "the page lacks \(figure)")
    }
  }

  @Test("The page's signature is what signing gives")
  func signature() throws {
    let seed = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
    #expect(page.contains(seed))
    let der = try #require(Hex.decode("302e020100300506032b657004220420\(seed)".utf8))
    let pem = "-----BEGIN PRIVATE KEY-----\n\(Base64.encode(der))\n-----END PRIVATE KEY-----\n"
    let message = SignatureEnvelope.preAuthenticationEncoding(of: manifest.signedBytes)
    let signature = try PrivateKey(pem: Array(pem.utf8)).sign(message)
    #expect(try SignatureEnvelope(scanning: bytes).signatures.map(\.bytes) == [signature])
  }

  @Test("The page's decisions are the validator's")
  func decisions() throws {
    let tables = manifest.tables
    let pins = tables.keys.indices.map { tables.pin(ofKey: $0).digest }
    let (root, leaked, spare, other) = (pins[0], pins[1], pins[2], digest(1))
    for host in ["api.example.com", "a.b.api.example.com"] {
      #expect(try step(host, [other, other, root]) == "allow 4")
    }
    #expect(try step("api.example.com", [spare, other]) == "allow 4 backup-key-matched")
    #expect(try step("api.example.com", [root, other]) == "block 5 mismatch")
    #expect(try step("api.example.com", [other, leaked, root]) == "block 3 denied-key")
    #expect(try step("api.example.com", [other]) == "block 5 mismatch")
    #expect(
      try step("api.example.com", [other], at: "2027-06-01")
        == "allow 5 entry-expired refresh-due manifest-stale report-only mismatch")
    #expect(try step("legacy.api.example.com", []) == "notPinned 1 excluded")
    #expect(try step("example.com", []) == "notPinned 1 no-entry")
  }

  private func step(_ host: String, _ chain: [SHA256Digest], at time: String = "2026-11-21") throws -> String {
    let verdict: Verdict
    switch manifest.govern(host: host, port: 443, at: try instant(time)) {
    case .answered(let answer): verdict = answer
    case .pinned(let entry):
      var pins = PinsOnly()
      pins.digests = chain
      verdict = manifest.decide(pins, for: entry)
    }
    let word =
      switch verdict {
      case .allow: "allow"
      case .block: "block"
      case .notPinned: "notPinned"
      }
    return ([word, "\(verdict.context.step.rawValue)"] + verdict.context.events.names).joined(separator: " ")
  }
}
