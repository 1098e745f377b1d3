import Diagnostics
import PinEvidence
import PinFormat
import PinPolicy

extension Rule {
  /// A server that stays in clear text.
  static let startTLSRefused = Rule(
    code: "P535",
    name: "starttls-refused",
    severity: .error,
    title: "A server won't change to TLS.",
    rationale: """
      Asked in its own protocol to go on in TLS, the server said no or didn't offer it. A client that goes on in clear text
      there has no pins, no certificate and no secrecy; somebody on the way can make a server seem to refuse.
      """,
    failing: .live("starttls-refused", "The mail server doesn't offer STARTTLS.", Example.mailHost),
    passing: .live("starttls", "The mail server changes to TLS.", Example.mailHost),
    citation: "RFC 3207 section 4; RFC 8314",
    check: .live { _, facts in
      facts.reachFindings(.startTLS) { failure, target in
        let name = target.target.startTLS.map { " in \($0.title)" } ?? ""
        return "won't change to TLS\(name): \(failure.shownMessage)"
      } help: { _, target in
        "Have STARTTLS switched on at the server. If the port speaks TLS from the start or another protocol, say so with "
          + "'--starttls \(target.target.port)=…'."
      }
    })
}

extension StartTLS {
  /// As people write it.
  fileprivate var title: String {
    switch self {
    case .imap: "IMAP"
    case .ldap: "LDAP"
    case .pop3: "POP3"
    case .postgres: "PostgreSQL"
    case .smtp: "SMTP"
    }
  }
}

extension Example {
  /// The host of examples about STARTTLS.
  static let mailHost = """
    hosts:
      - host: api.example.com
        port: 25
        keys: { active: [example-root], backup: [other-root] }
    """
}
