import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

extension Rule {
  /// A stapled response that says nothing about the certificate.
  static let unusableStaple = Rule(
    code: "P514",
    name: "unusable-staple",
    severity: .warning,
    title: "A server staples an OCSP response that can't be used.",
    rationale: """
      A stapled response tells clients that the certificate isn't revoked. One that is too old, unreadable, signed by
      the wrong key, or about another certificate tells them nothing. Clients that require one, as for certificates with
      'must-staple', block the connection. Usually the server can no longer reach its CA.
      """,
    failing: .live("staple-stale", "The server staples a response whose time is over.", Example.liveLeaf),
    passing: .live("staple-good", "The server staples a response that is in time.", Example.liveLeaf),
    citation: "RFC 6960 section 4.2.2.1; RFC 6066 section 8",
    check: .live { _, facts in
      facts.visitFindings { visit in
        switch visit.report.staple {
        case nil, .good, .revoked: nil
        case .unknown:
          VisitPhrase(
            "staples an OCSP response that doesn't know the certificate",
            help:
              "Ask the CA whether it issued this certificate. If it did, have the server staple a response about it.")
        case .stale(let next):
          VisitPhrase(
            "staples an OCSP response that is out of date" + (next.map { ": its nextUpdate was \($0)" } ?? ""),
            help: "Check that the server can reach its CA's OCSP responder, and that its clock is right.")
        case .unusable(let reason):
          VisitPhrase(
            "staples an OCSP response that can't be used: \(CertificateText.shown(reason, most: 120))",
            help: "Have the server staple its CA's response about this certificate, or none.")
        }
      }
    })
}
