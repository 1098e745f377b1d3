import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

extension Rule {
  /// A server that stays in clear text.
  static let startTLSRefused = Rule(
    code: "P535",
    name: "starttls-refused",
    severity: .error,
    title: "A server doesn't start TLS (STARTTLS).",
    rationale: """
      The server rejected STARTTLS in its own protocol, or didn't offer it. A client that continues in clear text has no
      pins, no certificate and no secrecy. Somebody on the way can also make it look as if the server rejected STARTTLS.
      """,
    failing: .live("starttls-refused", "The mail server doesn't offer STARTTLS.", Example.mailHost),
    passing: .live("starttls", "The mail server starts TLS.", Example.mailHost),
    citation: "RFC 3207 section 4; RFC 8314",
    check: .live { _, facts in
      facts.reachFindings(.startTLS) { failure, target in
        let name = target.target.startTLS.map { " in \($0.title)" } ?? ""
        return "doesn't start TLS\(name): \(failure.shownMessage)"
      } help: { _, target in
        "Enable STARTTLS on the server. If the port speaks TLS from the start, pass '--starttls \(target.target.port)=none'; if it "
          + "speaks another protocol, name that one."
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
