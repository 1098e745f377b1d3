import PinFormat
import PinValidator
import TestSupport
import Testing

/// Intermediates in the system's trust store, where the policy names an intermediate of its own in `anchors:`.
///
/// libcrypto then ends a path at any certificate of the store. Pintle takes only roots, and what the policy names.
@Suite struct SystemIntermediateTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let system: @Sendable (Maker) throws -> [TestCertificate]
    var named: @Sendable (Maker) throws -> TestCertificate = { try $0.otherIntermediate }
    let served: @Sendable (Maker) throws -> [TestCertificate]
    let expected: @Sendable (Maker) throws -> Outcome
  }

  private static let otherLeaf: @Sendable (Maker) throws -> TestCertificate = {
    try $0.leaf("other", by: $0.otherIntermediate)
  }

  @Test(arguments: [
    Case(
      testDescription: "an intermediate without its root",
      system: { [try $0.intermediate] }, served: { [try $0.leaf, try $0.intermediate] },
      expected: { _ in .refused(["unknown-issuer@1"]) }),
    Case(
      testDescription: "an intermediate that the server doesn't send, without its root",
      system: { [try $0.intermediate] }, served: { [try $0.leaf] },
      expected: { _ in .refused(["unknown-issuer@1"]) }),
    Case(
      testDescription: "an intermediate with its root",
      system: { [try $0.intermediate, try $0.root] }, served: { [try $0.leaf] },
      expected: { .chain([try $0.leaf, try $0.intermediate, try $0.root]) }),
    Case(
      testDescription: "a root that another root certified, which isn't there",
      system: { [try $0.crossRoot] }, served: { [try $0.leaf, try $0.intermediate] },
      expected: { _ in .refused(["unknown-issuer@2"]) }),
    Case(
      testDescription: "a root that another root certified, which is there",
      system: { [try $0.crossRoot, try $0.otherRoot] }, served: { [try $0.leaf, try $0.intermediate] },
      expected: { .chain([try $0.leaf, try $0.intermediate, try $0.crossRoot, try $0.otherRoot]) }),
    Case(
      testDescription: "an expired intermediate, and the server sends a renewed one",
      system: { [try expired($0), try $0.root] }, served: { [try $0.leaf, try $0.intermediate] },
      expected: { .chain([try $0.leaf, try $0.intermediate, try $0.root]) }),
    Case(
      testDescription: "an authority's certificate that the server presents as its own",
      system: { [try authorityLeaf($0)] }, served: { [try authorityLeaf($0)] },
      expected: { _ in .refused(["missing-intermediate@0"]) }),
    Case(
      testDescription: "the intermediate that the policy names",
      system: { [try $0.intermediate, try $0.root] }, named: { try $0.intermediate },
      served: { [try $0.leaf, try $0.intermediate] }, expected: { .chain([try $0.leaf, try $0.intermediate]) }),
    Case(
      testDescription: "one beside the intermediate that the policy names",
      system: { [try $0.intermediate] }, served: { [try otherLeaf($0)] },
      expected: { .chain([try otherLeaf($0), try $0.otherIntermediate]) }),
  ])
  func endsOnlyAtRootsAndNamedAnchors(_ row: Case) throws {
    let make = try Maker()
    let system = try row.system(make)
    let directory = try directory(system.map(\.pem))
    var question = Question(try row.served(make), anchors: [])
    question.directory = directory.path
    question.carried = [try row.named(make)]
    question.trust = Manifest.Trust(anchors: [try row.named(make).fingerprint])
    let expected = try row.expected(make)
    #expect(try question.ask() == expected)
    let known = question.served + (system + question.carried).map(\.der)
    #expect(try question.ask(cache: .knowingSignatures(among: known)) == expected, "with known signatures")
  }

  /// OpenSSL's own format of certificates can say that one is trusted for TLS servers, and libcrypto then asks no further.
  @Test(arguments: [true, false]) func trustSettingsMakeNoAnchor(hasNamed: Bool) throws {
    let make = try Maker()
    let trusted = try runSuccessfully(
      "openssl", ["x509", "-addtrust", "serverAuth", "-trustout"], stdin: make.intermediate.pem)
    let directory = try directory([trusted])
    var question = Question([try make.leaf, try make.intermediate], anchors: [])
    question.directory = directory.path
    question.carried = [try make.otherIntermediate]
    question.trust = hasNamed ? Manifest.Trust(anchors: [try make.otherIntermediate.fingerprint]) : nil
    #expect(try question.ask() == .refused(["unknown-issuer@1"]))
  }

  private func directory(_ files: [[UInt8]]) throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    for (number, file) in files.enumerated() { try directory.write(file, to: "\(number).pem") }
    try runSuccessfully("openssl", ["rehash", directory.path])
    return directory
  }

  private static func expired(_ make: Maker) throws -> TestCertificate {
    let intermediate = try make.intermediate
    return try make.authority("expired intermediate") {
      $0 = .authority("Intermediate", pathLength: 0)
      $0.key = .existing(intermediate)
      $0.notAfter = "2026-05-01"
    }
  }

  private static func authorityLeaf(_ make: Maker) throws -> TestCertificate {
    try make.authority("authority as server") {
      $0.keyUsage = "critical,digitalSignature,keyCertSign"
      $0.alternativeNames = ["DNS:example.com"]
    }
  }
}
