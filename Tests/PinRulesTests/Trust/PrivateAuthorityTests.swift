import Diagnostics
import Foundation
import OpenSSLKit
import PinFormat
import PinPolicy
import PinRules
import PinValidator
import PolicySupport
import TestSupport
import Testing

/// Private authorities as their tools make them by default (docs/validation.md, "What tools make"): from the policy to a
/// connection that clients allow, or `check` says which certificate breaks which rule, and naming it as anchor helps.
@Suite struct PrivateAuthorityTests {
  @Test("works from the policy to the client, as made by", arguments: PrivateAuthority.working)
  func works(_ authority: PrivateAuthority) throws {
    let made = try authority.make()
    let outcome = try Self.check(made, anchors: ["root.pem"], intermediates: made.intermediateNames)
    #expect(Self.complaints(outcome) == [])
    try Self.expectAllowed(made, by: outcome)
  }

  @Test("is rejected before the release, as made by", arguments: PrivateAuthority.rejected)
  func isRejected(_ authority: PrivateAuthority) throws {
    let made = try authority.make()
    let outcome = try Self.check(made, anchors: ["root.pem"], intermediates: made.intermediateNames)
    let complaints = Self.complaints(outcome)
    #expect(complaints.count == 1 && complaints[0].contains(authority.complaint ?? "-"), "\(complaints)")
    #expect(outcome.checked == nil)
    // The fix that the help describes.
    let mended = try Self.check(made, anchors: ["intermediate.pem"], intermediates: [])
    #expect(Self.complaints(mended) == [])
    try Self.expectAllowed(made, by: mended)
  }

  /// The tools make certificates for today, so these are among the few tests that look at the clock.
  private static let today = Instant(secondsSinceEpoch: Int64(Date().timeIntervalSince1970) + 120)

  private static func check(
    _ made: PrivateAuthority.Made, anchors: [String], intermediates: [String]
  ) throws -> CheckedPolicy.Outcome {
    let named = intermediates.isEmpty ? "" : "intermediates: [\(intermediates.joined(separator: ", "))], "
    let text = """
      keys:
        authority: { file: \(anchors[0]) }
        spare: { pin: sha256/YZPgTZ+woNCCCIW3LH2CxQeLzB/1m42QcCTBSdgayjs=, custody: "HSM A", created: 2026-09-01 }
      hosts:
        - host: example.com
          keys: { active: [authority], backup: [spare] }
          trust: { anchors: [\(anchors.joined(separator: ", "))], \(named)reason: our own CA }

      """
    let policy = try ExampleFiles.resolve(text, adding: made.files)
    return CheckedPolicy.check(CheckInput(policy: policy, at: today))
  }

  /// The findings about the certificates of `trust`, and every error.
  private static func complaints(_ outcome: CheckedPolicy.Outcome) -> [String] {
    outcome.result.diagnostics.filter { $0.severity == .error || ["P331", "P334"].contains($0.code) }
      .map { "\($0.code): \($0.message)" }
  }

  private static func expectAllowed(_ made: PrivateAuthority.Made, by outcome: CheckedPolicy.Outcome) throws {
    let manifest = try #require(outcome.checked).rehearsed(at: today)
    let validator = Validator(manifest: manifest, evaluator: TrustEvaluator(anchors: try TrustAnchors([])))
    let handshake = PeerHandshake(
      host: "example.com", port: 443, certificates: [made.leaf] + made.intermediates, tlsVersion: .tls13)
    let verdict = validator.evaluate(handshake, at: today).verdict
    guard case .allow = verdict else {
      Issue.record("\(verdict)")
      return
    }
  }
}
