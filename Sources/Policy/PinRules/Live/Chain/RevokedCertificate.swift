import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

extension Rule {
  /// A certificate that its issuer has taken back, as the server itself says.
  static let revokedCertificate = Rule(
    code: "P513",
    name: "revoked-certificate",
    severity: .error,
    title: "A server presents a certificate that was revoked.",
    rationale: """
      The server staples an OCSP response in which its CA says that the certificate is revoked. Browsers reject it. Pintle's
      validator uses no network and doesn't check revocation: to block a key, deny it in the policy. That takes effect with
      the next manifest, in every mode.
      """,
    failing: .live(
      "revoked", "The server staples an OCSP response: revoked.", Example.liveLeaf),
    passing: .live("staple-good", "The server staples an OCSP response: good.", Example.liveLeaf),
    citation: "RFC 6960 section 2.2; RFC 6066 section 8",
    check: .live { _, facts in
      facts.visitFindings { visit in
        guard case .revoked(let instant, let reason) = visit.report.staple else { return nil }
        let leaf = visit.report.chain.first.flatMap { facts.record($0) }
        let issuer = leaf.map { " by '\(CertificateText.name(in: $0.issuer))'" } ?? ""
        let why = reason.map { " for the reason '\(CertificateText.shown(reasons[$0] ?? $0))'" } ?? ""
        return VisitPhrase(
          "presents a certificate that was revoked\(issuer) at \(instant)\(why)",
          help: """
            Have the server present a certificate for another key: a pinned backup, if there is one. If the revoked \
            certificate's key was stolen, deny it in the policy: 'denied:' with the reason.
            """)
      }
    })
}

/// The reasons of RFC 5280 section 5.3.1 in words.
private let reasons = [
  "keyCompromise": "key compromise", "cACompromise": "CA compromise", "affiliationChanged": "affiliation changed",
  "cessationOfOperation": "cessation of operation", "certificateHold": "certificate hold",
  "removeFromCRL": "remove from CRL", "privilegeWithdrawn": "privilege withdrawn", "aACompromise": "AA compromise",
]

extension Example {
  /// The host of examples about staples, whose key is pinned through its CA.
  static let liveLeaf = """
      live-root: { file: live/root.pem }
    hosts:
      - host: live.example.com
        keys: { active: [live-root], backup: [other-root] }
    """
}
