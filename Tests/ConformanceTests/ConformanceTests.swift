import Foundation
import PinFormat
import PinValidator
import Testing

/// The conformance vectors (docs/vectors.md), by the public API alone.
@Suite("Conformance vectors") struct ConformanceTests {
  private let inputs: Inputs

  init() throws {
    inputs = try Inputs()
  }

  @Test("There are vectors")
  func vectors() throws {
    let count = try VectorFile.all.reduce(0) { try $0 + $1.read().rows.count }
    #expect(count > 1400)
    print("\(count) vectors in \(VectorFile.all.count) files")
  }

  @Test("Each vector has its answer", arguments: VectorFile.all)
  func run(file: VectorFile) throws {
    let (kind, all) = try file.read()
    #expect(!all.isEmpty)
    #if CryptoKit
    let (rows, others) = try split(all, of: file.name)
    print("\(file.name): \(rows.count) rows" + others.map { ", \($0.value) without: \($0.key)" }.sorted().joined())
    #else
    let rows = all
    #endif
    for row in rows {
      var row = row
      let name = try file.name + ": " + row.text("id")
      _ = try (row.text("comment"), row.text("section"))
      if kind == "store" {
        let vector = try StoreVector(&row, inputs)
        try row.finish()
        try vector.run(name)
        continue
      }
      let expected = try row.value("expected")
      let answer: [String: Any] =
        switch kind {
        case "decision": try decide(&row)
        case "load": try load(&row)
        default: throw Unknown(what: "kind", name: kind)
        }
      try row.finish()
      #expect(try json(answer) == json(expected), "\(name)")
    }
  }

  private func decide(_ row: inout Fields) throws -> [String: Any] {
    let client = try Client(row.fields("client"), inputs)
    let manifest = try LoadedManifest.load(
      inputs.manifest(row.text("manifest")), signers: client.signers(), audience: client.audience)
    let anchors = try row.texts("anchors")
    let handshake = try inputs.handshake(row.fields("handshake"))
    let instant = try instant(row.text("instant"))
    let transport = try inputs.transport(row.text("transport"))
    #if CryptoKit
    let question = Validator(manifest: manifest).question(host: handshake.host, port: handshake.port, at: instant)
    return answer(of: try Platform(anchors.map(inputs.certificate)).decide(question, handshake))
    #else
    let evaluator = TrustEvaluator(anchors: try inputs.anchors(anchors))
    return answer(
      of: Validator(manifest: manifest, evaluator: evaluator).evaluate(handshake, at: instant, transport: transport))
    #endif
  }

  private func load(_ row: inout Fields) throws -> [String: Any] {
    let client = try Client(row.fields("client"), inputs)
    let bytes = try inputs.manifest(row.text("manifest"))
    let maximum = try row.optionalInteger("maximumBytes") ?? LoadedManifest.defaultMaximumBytes
    let manifest: LoadedManifest
    do throws(Refusal) {
      manifest = try load(bytes, client, maximumBytes: maximum)
    } catch {
      return ["result": "refused", "error": error.code]
    }
    return try loaded(manifest)
  }

  private func load(_ bytes: [UInt8], _ client: Client, maximumBytes: Int) throws(Refusal) -> LoadedManifest {
    let signers = try client.signers()
    do {
      return try LoadedManifest.load(bytes, signers: signers, audience: client.audience, maximumBytes: maximumBytes)
    } catch {
      throw Refusal(code: error.code.description)
    }
  }

  private func loaded(_ manifest: LoadedManifest) throws -> [String: Any] {
    ["result": "loaded", "serial": manifest.serial, "signedBy": try manifest.signedBy.map(inputs.name(ofSigner:))]
  }

  private func instant(_ text: String) throws -> Instant {
    try #require(Instant(text.utf8), "\(text) is no instant")
  }
}
