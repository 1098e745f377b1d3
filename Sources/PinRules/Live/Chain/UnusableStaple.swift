import Diagnostics
import PinEvidence
import PinFormat
import PinPolicy

extension Rule {
  /// A stapled response that says nothing about the certificate.
  static let unusableStaple = Rule(
    code: "P514",
    name: "unusable-staple",
    severity: .warning,
    title: "A server staples an OCSP response that is of no use.",
    rationale: """
      A stapled response tells clients that the certificate isn't revoked. One that is too old, unreadable, signed by
      somebody who may not, or about another certificate tells them nothing, and clients that ask for one, as certificates
      with 'must-staple' do, refuse the connection. Mostly the server can't reach its CA any more.
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
            help: "Ask the CA whether it issued the certificate, and have the server staple a response about it.")
        case .stale(let next):
          VisitPhrase(
            "staples an OCSP response that is out of date" + (next.map { ": it was to be replaced by \($0)" } ?? ""),
            help: "See that the server reaches its CA's OCSP responder, and that its clock is right.")
        case .unusable(let reason):
          VisitPhrase(
            "staples an OCSP response that can't be used: \(CertificateText.shown(reason, most: 120))",
            help: "Have the server staple the response of its CA about this certificate, or none.")
        }
      }
    })
}
