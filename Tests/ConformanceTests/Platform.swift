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

extension ConformanceTests {
  /// The rows that need no path validation, and how many others there are, by the reason.
  func split(_ rows: [Fields], of file: String) throws -> (rows: [Fields], others: [String: Int]) {
    var others: [String: Int] = [:]
    let kept = try rows.filter { row in
      guard let reason = try reasonToLeaveOut(row, of: file) else { return true }
      others[reason, default: 0] += 1
      return false
    }
    return (kept, others)
  }

  private func reasonToLeaveOut(_ row: Fields, of file: String) throws -> String? {
    let questions = (row.remaining["steps"] as? [Any] ?? [row.remaining]).compactMap { $0 as? [String: Any] }
    for question in questions {
      guard let handshake = question["handshake"] as? [String: Any] else { continue }
      let expected = try #require(question["expected"] as? [String: Any])
      if handshake["peer"] as? String == "client" { return "the peer is a client" }
      if question["transport"] as? String == "replaced", expected["verdict"] as? String == "notPinned" {
        return "replaces the platform's validation"
      }
    }
    return nil
  }
}
#endif
