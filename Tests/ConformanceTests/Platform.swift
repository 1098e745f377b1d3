#if CryptoKit
import Foundation
import PinValidator
import Testing

/// Stands for a platform's trust evaluation: it links a leaf to an anchor by names, and validates nothing.
///
/// So only vectors whose answer doesn't depend on path validation can be run with it.
struct Platform {
  private let system: [[UInt8]]

  init(_ system: [[UInt8]]) {
    self.system = system
  }

  /// The decision on a question about a server that sent these certificates.
  func decide(_ question: PlatformQuestion, _ handshake: PeerHandshake) throws -> Decision {
    switch question {
    case .answered(let decision): return decision
    case .evaluate(let trust):
      let served = handshake.certificates
      if trust.isOneCertificate {
        return trust.decide(validated: Array(served.prefix(1)), tlsVersion: handshake.tlsVersion)
      }
      guard let path = path(over: served, trust) else { return trust.decide(failure: "there is no path to an anchor") }
      return trust.decide(validated: path, tlsVersion: handshake.tlsVersion)
    }
  }

  private func path(over served: [[UInt8]], _ trust: PlatformTrust) -> [[UInt8]]? {
    let anchors = trust.anchors + (trust.includesSystemAnchors ? system : [])
    guard let leaf = served.first else { return nil }
    var path = [leaf]
    while let last = path.last, !anchors.contains(last) {
      guard path.count < 10, let issuer = Self.names(of: last)?.issuer else { return nil }
      let next = (anchors + served + trust.intermediates).first {
        !path.contains($0) && Self.names(of: $0)?.subject == issuer
      }
      guard let next else { return nil }
      path.append(next)
    }
    return path
  }

  /// Issuer and subject of a certificate, DER; nil where it isn't one.
  private static func names(of certificate: [UInt8]) -> (issuer: ArraySlice<UInt8>, subject: ArraySlice<UInt8>)? {
    guard let whole = contents(certificate[...])?.inside, var rest = contents(whole)?.inside else { return nil }
    var fields: [ArraySlice<UInt8>] = []
    while fields.count < 5, let (field, _, behind) = contents(rest) {
      // The version, [0], may be left out.
      if field.first != 0xA0 { fields.append(field) }
      rest = behind
    }
    return fields.count == 5 ? (fields[2], fields[4]) : nil
  }

  /// The first element, what is inside of it, and what is behind it.
  private static func contents(
    _ der: ArraySlice<UInt8>
  ) -> (element: ArraySlice<UInt8>, inside: ArraySlice<UInt8>, behind: ArraySlice<UInt8>)? {
    guard der.count >= 2 else { return nil }
    let count = Int(der[der.startIndex + 1])
    let more = count < 0x80 ? 0 : count - 0x80
    guard more <= 3, der.count >= 2 + more else { return nil }
    let start = der.startIndex + 2 + more
    let length = more == 0 ? count : der[(start - more)..<start].reduce(0) { $0 << 8 | Int($1) }
    guard der.endIndex - start >= length else { return nil }
    return (der[..<(start + length)], der[start..<(start + length)], der[(start + length)...])
  }
}

#if canImport(Darwin)
/// A folder that is removed with its owner; TestSupport's is for Linux.
final class TemporaryDirectory: Sendable {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }
}
#endif

/// How a vector is run.
enum Treatment: Hashable {
  /// Whole: each field of the answer is compared.
  case whole
  /// The platform refuses, as its path validation would: all is compared but which failure it is.
  case refused
  /// The platform refuses what an exception of the policy excuses: the answer is stricter, and blocks.
  case stricter
  /// Not at all.
  case leftOut(String)

  var title: String {
    switch self {
    case .whole: "compared whole"
    case .refused: "refused by the platform"
    case .stricter: "stricter: no exception for what the platform finds"
    case .leftOut(let reason): "left out: " + reason
    }
  }
}

extension ConformanceTests {
  /// What path validation finds (docs/validation.md), so the platform.
  private static let ofPaths = [
    "missing-intermediate", "unknown-issuer", "self-signed", "bad-signature", "not-an-authority", "path-too-long",
    "name-constraints", "name-mismatch", "unusable-chain", "expired", "not-yet-valid", "wrong-usage", "malformed",
  ]
  /// Vectors with one of these failures that Pintle's own checks find, in the chain that they are given.
  private static let ownMalformed = [
    "x25519", "exponent-1", "exponent-even", "no-malformed", "repeated-extension", "extensions-65",
    "trailing-byte-leaf", "long-length-leaf",
  ]
  /// Vectors in which an exception excuses what a platform finds.
  private static let excusedPaths = [
    "expired-before", "not-yet-valid-before", "name-mismatch-before", "anchor", "intermediate", "both-of-two",
    "report-only", "denied", "mismatch",
  ]

  func treatment(of row: Fields, in file: String) throws -> Treatment {
    let questions = (row.remaining["steps"] as? [Any] ?? [row.remaining]).compactMap { $0 as? [String: Any] }
    for question in questions {
      guard let handshake = question["handshake"] as? [String: Any] else { continue }
      let expected = try #require(question["expected"] as? [String: Any])
      if handshake["peer"] as? String == "client" { return .leftOut("the peer is a client") }
      if question["transport"] as? String == "replaced", expected["verdict"] as? String == "notPinned" {
        return .leftOut("the platform's validation is never replaced")
      }
    }
    let id = row.remaining["id"] as? String ?? ""
    let expected = row.remaining["expected"] as? [String: Any] ?? [:]
    if let events = expected["events"] as? [String], events.contains("exception-used") {
      return Self.excusedPaths.contains(id) ? .stricter : .whole
    }
    guard let code = (expected["failure"] as? [String: Any])?["code"] as? String, Self.ofPaths.contains(code) else {
      return .whole
    }
    let isOwn =
      switch code {
      case "malformed": Self.ownMalformed.contains(id)
      // Of the leaf and of intermediates; those of a named anchor are the path's.
      case "wrong-usage": file != "customised-trust.json"
      // An entry that names one certificate has no path.
      default: id.hasPrefix("certificate-")
      }
    return isOwn ? .whole : .refused
  }

  /// Runs a vector about a decision as a platform would, and compares as its treatment says.
  func check(_ row: Fields, _ treatment: Treatment, _ name: String, _ inputs: Inputs) throws {
    var row = row
    var expected = try #require(row.value("expected") as? [String: Any])
    // The platform of the tests verifies no ML-DSA.
    if row.has("expectedBy") { _ = try row.value("expectedBy") }
    var answer = try decide(&row, inputs, isRefused: treatment != .whole)
    try row.finish()
    if treatment == .whole {
      #expect(try json(answer) == json(expected), "\(name)")
      return
    }
    let failure = try #require(answer.removeValue(forKey: "failure") as? [String: Any], "\(name)")
    #expect(failure["code"] as? String == "other", "\(name)")
    expected["failure"] = nil
    if treatment == .stricter {
      #expect(answer["verdict"] as? String == "block" && answer["reason"] as? String == "untrusted", "\(name)")
      #expect(answer["disposition"] as? String == "cancel", "\(name)")
    } else {
      #expect(try json(answer) == json(expected), "\(name)")
    }
  }

  private func decide(_ row: inout Fields, _ inputs: Inputs, isRefused: Bool) throws -> [String: Any] {
    let client = try Client(row.fields("client"), inputs)
    _ = try (row.text("id"), row.text("comment"), row.text("section"))
    let manifest = try LoadedManifest.load(
      inputs.manifest(row.text("manifest")), signers: client.signers(), audience: client.audience)
    let platform = Platform(try row.texts("anchors").map(inputs.certificate))
    let handshake = try inputs.handshake(row.fields("handshake"))
    _ = try inputs.transport(row.text("transport"))
    let question = Validator(manifest: manifest).question(
      host: handshake.host, port: handshake.port, at: try instant(row.text("instant")))
    if isRefused, case .evaluate(let trust) = question { return answer(of: trust.decide(failure: "a vector says so")) }
    return answer(of: try platform.decide(question, handshake))
  }
}
#endif
