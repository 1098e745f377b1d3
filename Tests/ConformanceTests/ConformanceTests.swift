import Foundation
import OpenSSLKit
import PinFormat
import PinValidator
import Testing

extension Fields {
  /// What this kind of client is expected to answer.
  mutating func expected() throws -> Any {
    let expected = try value("expected")
    guard has("expectedBy") else { return expected }
    let others = try fields("expectedBy")
    return MLDSA.mlDSA65.isVerified ? others.remaining["openssl-3.5"] ?? expected : expected
  }
}

/// The conformance vectors (docs/vectors.md), by the public API alone.
@Suite("Conformance vectors") struct ConformanceTests {
  let inputs: Inputs

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
    let (kind, rows, contents) = try file.read()
    let inputs = inputs.adding(contents)
    #expect(!rows.isEmpty)
    #if CryptoKit
    var treatments: [Treatment: Int] = [:]
    defer { print(file.name, treatments.map { "\($0.value) \($0.key.title)" }.sorted().joined(separator: ", ")) }
    #endif
    for row in rows {
      #if CryptoKit
      let treatment = try treatment(of: row, in: file.name)
      treatments[treatment, default: 0] += 1
      if case .leftOut = treatment { continue }
      if kind == "decision" {
        try check(row, treatment, file.name + ": " + (row.remaining["id"] as? String ?? "?"), inputs)
        continue
      }
      #endif
      var row = row
      let name = try file.name + ": " + row.text("id")
      _ = try (row.text("comment"), row.text("section"))
      if kind == "store" {
        let vector = try StoreVector(&row, inputs)
        try row.finish()
        try vector.run(name)
        continue
      }
      let expected = try row.expected()
      let answer: [String: Any] =
        switch kind {
        #if !CryptoKit
        case "decision": try decide(&row, inputs)
        #endif
        case "load": try load(&row, inputs)
        default: throw Unknown(what: "kind", name: kind)
        }
      try row.finish()
      #expect(try json(answer) == json(expected), "\(name)")
    }
  }

  #if !CryptoKit
  private func decide(_ row: inout Fields, _ inputs: Inputs) throws -> [String: Any] {
    let client = try Client(row.fields("client"), inputs)
    let manifest = try LoadedManifest.load(
      inputs.manifest(row.text("manifest")), signers: client.signers(), audience: client.audience)
    let evaluator = TrustEvaluator(anchors: try inputs.anchors(row.texts("anchors")))
    let decision = Validator(manifest: manifest, evaluator: evaluator).evaluate(
      try inputs.handshake(row.fields("handshake")), at: try instant(row.text("instant")),
      transport: try inputs.transport(row.text("transport")))
    return answer(of: decision)
  }
  #endif

  private func load(_ row: inout Fields, _ inputs: Inputs) throws -> [String: Any] {
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

  func instant(_ text: String) throws -> Instant {
    try #require(Instant(text.utf8), "\(text) is no instant")
  }
}
