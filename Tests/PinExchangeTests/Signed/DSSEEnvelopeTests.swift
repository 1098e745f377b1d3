import Foundation
import PinExchange
import PinFormat
import Testing

/// Envelopes that are written, and those that other tools write.
struct DSSEEnvelopeTests {
  private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
    .appending(path: "Fixtures/manifests/valid")

  @Test(arguments: ["empty.json", "everything.json", "example.json"])
  func whatIsWrittenIsReadAgain(name: String) throws {
    let file = [UInt8](try Data(contentsOf: Self.fixtures.appending(path: name)))
    let document = try SignedDocument(file: file)
    let again = try DSSEEnvelope.read(DSSEEnvelope.write(document))
    #expect(again == document)
    #expect(try again.named(byTrying: []).file == file)
  }

  @Test func anEnvelopeIsWhatTheSpecificationShows() throws {
    let file = [UInt8](try Data(contentsOf: Self.fixtures.appending(path: "example.json")))
    let text = String(decoding: DSSEEnvelope.write(try SignedDocument(file: file)), as: UTF8.self)
    let envelope = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(Set(envelope.keys) == ["payload", "payloadType", "signatures"])
    #expect(envelope["payloadType"] as? String == "application/vnd.pintle.manifest.v1+json")
    let scanned = try SignatureEnvelope(scanning: file)
    #expect(envelope["payload"] as? String == Data(file[scanned.signed]).base64EncodedString())
    let signatures = try #require(envelope["signatures"] as? [[String: String]])
    #expect(signatures.map { $0["keyid"] } == scanned.signatures.map { Optional($0.keyID.hex) })
    #expect(signatures.map { $0["sig"] } == scanned.signatures.map { Data($0.bytes).base64EncodedString() })
  }

  @Test func aKeysetIsAKeyset() throws {
    let root = try TestSigner()
    let signed = try Scene.keyset(roots: [root])
    let file = SignatureEnvelope.encode(
      signed: signed,
      signatures: [SignatureEnvelope.Signature(keyID: root.keyID, bytes: try root.sign(signed, as: .keyset))])
    let document = try SignedDocument(file: file)
    #expect(document.content == .keyset)
    #expect(try DSSEEnvelope.read(DSSEEnvelope.write(document)).named(byTrying: []).file == file)
  }

  @Test func aDraftHasNoSignatures() throws {
    let draft = SignatureEnvelope.encode(signed: try Scene.manifest(), signatures: [])
    let written = DSSEEnvelope.write(try SignedDocument(file: draft))
    #expect(String(decoding: written, as: UTF8.self).hasSuffix(#""signatures":[]}"# + "\n"))
    #expect(try DSSEEnvelope.read(written).signatures == [])
  }

  @Test(arguments: ["", "{}", #"{"signatures":[],"signed":{}}"#, "hosts: []"])
  func nothingElseIsExported(text: String) {
    #expect(code { try SignedDocument(file: Array(text.utf8)) } == .otherContent)
  }

  @Test func whatIsNotCanonicalIsNotExported() throws {
    let draft = SignatureEnvelope.encode(signed: try Scene.manifest(), signatures: [])
    let spaced = String(decoding: draft, as: UTF8.self).replacing(#""serial":1"#, with: #""serial": 1"#)
    #expect(code { try SignedDocument(file: Array(spaced.utf8)) } == .notCanonical)
  }

  private static let type = "application/vnd.pintle.manifest.v1+json"

  /// Envelopes of the payload `a?>b~`, signed by the bytes FB FF FE.
  @Test(arguments: [
    #"{"payload":"YT8+Yn4=","payloadType":"TYPE","signatures":[{"keyid":"k","sig":"+//+"}]}"#,
    #"{"payload":"YT8-Yn4=","payloadType":"TYPE","signatures":[{"keyid":"k","sig":"-__-"}]}"#,
    #"{"payload":"YT8-Yn4","payloadType":"TYPE","signatures":[{"keyid":"k","sig":"-__-"}]}"#,
    #"{"payload":"YT8+Yn4","payloadType":"TYPE","signatures":[{"keyid":"k","sig":"-__-"}]}"#,
    #"{"signatures":[{"sig":"+//+","keyid":"k"}],"payloadType":"TYPE","payload":"YT8+Yn4="}"#,
    "\r\n\t {\n  \"payload\" : \"YT8+Yn4=\" ,\n \"payloadType\":\"TYPE\", \"signatures\" : [ {\"keyid\":\"k\",\n\"sig\":\"+//+\"} ]\n}\n",
    #"{"payload":"YT8+Yn4=","payloadType":"TYPE","x":[{"payload":1,"y":null}],"signatures":[{"keyid":"k","sig":"+//+","extension":{"kind":"z"}}]}"#,
    #"{"p\u0061yload":"YT8+\u0059n4=","payloadType":"TYPE","signatures":[{"keyid":"\u006b","sig":"+\/\/+"}]}"#,
  ])
  func otherToolsWriteItOtherwise(text: String) throws {
    let document = try DSSEEnvelope.read(Array(text.replacing("TYPE", with: Self.type).utf8))
    #expect(document.content == .manifest)
    #expect(document.signed == Array("a?>b~".utf8))
    #expect(document.signatures == [SignedDocument.Signature(keyID: "k", bytes: [0xFB, 0xFF, 0xFE])])
  }

  @Test(arguments: [#""keyid":"","#, #""keyid":null,"#, ""])
  func aNameMayBeMissing(field: String) throws {
    let text = #"{"payload":"YQ==","payloadType":"\#(Self.type)","signatures":[{\#(field)"sig":"+//+"}]}"#
    #expect(try DSSEEnvelope.read(Array(text.utf8)).signatures.map(\.keyID) == [nil])
  }

  @Test(
    arguments: [
      (#""#, .notJSON),
      (#"[]"#, .notJSON),
      (#"{"payload":"YQ==""#, .notJSON),
      (#"{"payload":"YQ=="#, .notJSON),
      (#"{"payload":"YQ==","payloadType":"TYPE","signatures":[]}}"#, .notJSON),
      (#"{"payload":"YQ==","payloadType":"TYPE","signatures":[]} x"#, .notJSON),
      (#"{"payload":"YQ==","payloadType":"TYPE","signatures":[],}"#, .notJSON),
      (#"{"payload":"YQ==","payloadType":"TYPE","signatures":[ , ]}"#, .notJSON),
      (#"{"payload":"YQ==","payloadType":"TYPE","signatures":[],"x":["a", ]}"#, .notJSON),
      (#"{'payload':'YQ==','payloadType':'TYPE','signatures':[]}"#, .notJSON),
      (#"/**/{"payload":"YQ==","payloadType":"TYPE","signatures":[]}"#, .notJSON),
      ("\u{FEFF}" + #"{"payload":"YQ==","payloadType":"TYPE","signatures":[]}"#, .notJSON),
      (#"{"payload":"YQ==","payload":"Yg==","payloadType":"TYPE","signatures":[]}"#, .notJSON),
      (#"{"payload":"YQ==","p\u0061yload":"Yg==","payloadType":"TYPE","signatures":[]}"#, .notJSON),
      (#"{"payload":"YQ==","payloadType":"TYPE","signatures":[{"sig":"YQ==","sig":"Yg=="}]}"#, .notJSON),
      (#"{"payload":"YQ==","payloadType":"TYPE","signatures":[],"x":{"a":1,"a":2}}"#, .notJSON),
      (#"{"payloadType":"TYPE","signatures":[]}"#, .missingField),
      (#"{"payload":"YQ==","signatures":[]}"#, .missingField),
      (#"{"payload":"YQ==","payloadType":"TYPE"}"#, .missingField),
      (#"{"payload":"YQ==","payloadType":"TYPE","signatures":[{"keyid":"k"}]}"#, .missingField),
      (#"{"payload":1,"payloadType":"TYPE","signatures":[]}"#, .invalidValue),
      (#"{"payload":null,"payloadType":"TYPE","signatures":[]}"#, .invalidValue),
      (#"{"payload":"YQ==","payloadType":"TYPE","signatures":{}}"#, .invalidValue),
      (#"{"payload":"YQ==","payloadType":"TYPE","signatures":[{"keyid":7,"sig":"YQ=="}]}"#, .invalidValue),
      (#"{"payload":"YQ=","payloadType":"TYPE","signatures":[]}"#, .invalidValue),
      (#"{"payload":"YR==","payloadType":"TYPE","signatures":[]}"#, .invalidValue),
      (#"{"payload":"Y Q==","payloadType":"TYPE","signatures":[]}"#, .invalidValue),
      (#"{"payload":"+-+-","payloadType":"TYPE","signatures":[]}"#, .invalidValue),
      (#"{"payload":"Y","payloadType":"TYPE","signatures":[]}"#, .invalidValue),
      (#"{"payload":"YQ==","payloadType":"TYPE","signatures":[{"sig":""}]}"#, .invalidValue),
      (#"{"payload":"YQ==","payloadType":"TYPE","signatures":[{"sig":"*"}]}"#, .invalidValue),
      (#"{"payload":"YQ==","payloadType":"application/vnd.in-toto+json","signatures":[]}"#, .otherContent),
      (#"{"payload":"YQ==","payloadType":"Application/vnd.pintle.manifest.v1+json","signatures":[]}"#, .otherContent),
      (#"{"payload":"YQ==","payloadType":"","signatures":[]}"#, .otherContent),
    ] as [(String, ExchangeError.Code)])
  func whatIsRefused(text: String, expected: ExchangeError.Code) {
    #expect(code { try DSSEEnvelope.read(Array(text.replacing("TYPE", with: Self.type).utf8)) } == expected)
  }

  @Test func bytesThatAreNoTextAreRefused() {
    let begin = Array(#"{"payload":""#.utf8)
    #expect(code { try DSSEEnvelope.read(begin + [0xFF] + Array("\"}".utf8)) } == .notJSON)
    #expect(code { try DSSEEnvelope.read(begin + [0] + Array("\"}".utf8)) } == .notJSON)
    // UTF-16, which some parsers detect by themselves.
    let wide = Array(#"{"payload":"YQ=="}"#.utf8).flatMap { [$0, 0] as [UInt8] }
    #expect(code { try DSSEEnvelope.read(wide) } == .notJSON)
  }

  @Test func nothingIsDeeperLongerOrMoreThanItMayBe() throws {
    func envelope(_ extra: String, signatures: String = "") -> [UInt8] {
      Array(#"{"x":\#(extra),"payload":"YQ==","payloadType":"\#(Self.type)","signatures":[\#(signatures)]}"#.utf8)
    }
    func nested(_ depth: Int) -> String { String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
    _ = try DSSEEnvelope.read(envelope(nested(31)))
    #expect(code { try DSSEEnvelope.read(envelope(nested(32))) } == .overLimit)
    #expect(code { try DSSEEnvelope.read(envelope(nested(100_000))) } == .overLimit)
    #expect(
      code { try DSSEEnvelope.read(envelope("[" + String(repeating: "1,", count: 20_000) + "1]")) } == .overLimit)
    let signature = #"{"sig":"YQ=="}"#
    let many = [String](repeating: signature, count: 64).joined(separator: ",")
    #expect(try DSSEEnvelope.read(envelope("0", signatures: many)).signatures.count == 64)
    #expect(code { try DSSEEnvelope.read(envelope("0", signatures: many + "," + signature)) } == .overLimit)
    let name = String(repeating: "k", count: 1_025)
    #expect(
      code { try DSSEEnvelope.read(envelope("0", signatures: #"{"keyid":"\#(name)","sig":"YQ=="}"#)) } == .overLimit)
    #expect(
      code { try DSSEEnvelope.read([UInt8](repeating: 0x20, count: DSSEEnvelope.maximumBytes + 1)) } == .tooLarge)
  }
}
