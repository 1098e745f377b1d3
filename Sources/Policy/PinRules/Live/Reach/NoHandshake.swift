import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

extension Rule {
  /// A server that ends the handshake.
  static let handshakeRefused = Rule(
    code: "P533",
    name: "handshake-refused",
    severity: .error,
    title: "A server ends the handshake.",
    rationale: """
      The server speaks TLS and stops, or is cut off. Its alert says why: `unrecognized_name` if it doesn't know the host,
      `handshake_failure` if it has no version, cipher suite or key type in common with the client. A connection that is
      simply closed was usually closed by a load balancer without a server behind it.
      """,
    failing: .live("alert", "The server ends each handshake with the alert unrecognized_name."),
    passing: .live("whole-chain", "The server completes the handshake."),
    citation: "RFC 8446 section 6.2; RFC 6066 section 3",
    check: .live { _, facts in
      facts.reachFindings(.handshake) { failure, _ in
        if let alert = failure.failure.alert { return "ends the handshake with the TLS alert \(TLSAlert.text(alert))" }
        return failure.kind == .closed
          ? "closes the connection during the handshake" : "ends the handshake: \(failure.shownMessage)"
      } help: { failed, target in
        switch failed[0].failure.alert ?? 0 {
        case 112: "Configure the server for the name '\(target.target.host.text)', which it doesn't know."
        case 40: TLSAlert.nothingInCommon
        case 42...46, 48, 49, 116:
          "The server seems to require a client certificate: pass one with '--client-cert' and '--client-key'."
        default: "Look for the reason in the logs of the server and of the load balancer in front of it."
        }
      }
    })
}

extension Rule {
  /// A server that speaks something else.
  static let protocolMismatch = Rule(
    code: "P534",
    name: "protocol-mismatch",
    severity: .error,
    title: "A server doesn't speak TLS as clients do.",
    rationale: """
      What answers isn't TLS, or it has no version or key type in common with today's clients, or it breaks the protocol.
      The alert `protocol_version` says that a version is missing. The alert `handshake_failure` doesn't say what is missing:
      servers send it for a version, for a cipher suite and for a key type. On ports of mail, directory and database servers,
      TLS is often requested in their own protocol first (STARTTLS); Pintle does that on the ports that are known for it, and
      wherever the command line says so.
      """,
    failing: .live("old-version", "The server has TLS 1.1 and nothing newer."),
    passing: .live("whole-chain", "The server has TLS 1.3."),
    citation: "RFC 8996; RFC 8446 section 4.2.1",
    check: .live { _, facts in
      facts.reachFindings(.protocolMismatch) { failure, _ in
        let version = failure.cell.map { "TLS " + $0[.tlsVersion] } ?? "TLS"
        switch failure.kind {
        case .notTLS: return "doesn't speak TLS on this port: \(failure.shownMessage)"
        case .protocolVersion: return versions(failure.refusedVersions)
        case .alert: return "rejects \(version) with the alert \(TLSAlert.text(failure.failure.alert ?? 0))"
        case .closed: return "closes the connection when offered \(version)"
        case .timedOut: return "doesn't answer in time when offered \(version)"
        case .wrongKeyFamily: return "presents a certificate for a key type that wasn't offered"
        case .noCertificate: return "completes the handshake without a certificate"
        default:
          let prefix = "the server broke the TLS protocol: "
          let message = failure.shownMessage
          return "breaks the TLS protocol: "
            + (message.hasPrefix(prefix) ? String(message.dropFirst(prefix.count)) : message)
        }
      } help: { failed, target in
        switch failed[0].kind {
        case .notTLS where target.target.startTLS == nil:
          return
            "If the protocol on this port begins in clear text, name it: '--starttls \(target.target.port)=smtp', or "
            + "imap, pop3, ldap or postgres. Otherwise correct the port."
        case .protocolVersion, .alert, .closed, .timedOut:
          let isSure = failed.allSatisfy { $0.kind == .protocolVersion }
          return isSure ? "Enable TLS 1.2 or 1.3 on the server; older versions are obsolete." : TLSAlert.nothingInCommon
        case .noCertificate:
          return "Configure a certificate on the server; without one, it can't be distinguished from any other server."
        default:
          return "Check what listens on the port; a proxy or firewall on the way may answer in the server's place."
        }
      }
    })
}

/// `supports neither TLS 1.3 nor TLS 1.2`.
private func versions(_ refused: [String]) -> String {
  let names = refused.map { "TLS " + $0 }
  return names.count == 2 ? "supports neither \(names[0]) nor \(names[1])" : "doesn't support " + names.joined()
}

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

extension Rule {
  /// A server that ended the handshake for lack of a client certificate.
  static let clientCertificateWanted = Rule(
    code: "P537",
    name: "client-certificate-wanted",
    severity: .warning,
    title: "A server requires a client certificate.",
    rationale: """
      The server proved its key, so its chain was evaluated like any other. Then it ended the handshake, because no client
      certificate was sent or it rejected the one that was. What it presents to a client with a certificate wasn't seen.
      """,
    failing: .live("client-certificate", "The server ends the handshake because there is no client certificate."),
    passing: .live("whole-chain", "The server asks for no client certificate."),
    citation: "RFC 8446 section 4.4.2.4; docs/probing.md#how-they-are-probed",
    check: .live { _, facts in
      facts.visitFindings { visit in
        guard let failure = visit.report.failure else { return nil }
        let alert = failure.alert.map { " with the TLS alert \(TLSAlert.text($0))" } ?? ""
        switch visit.report.clientCertificate {
        case .notAsked: return nil
        case .asked:
          return VisitPhrase(
            "requires a client certificate: without one, it ends the handshake\(alert)",
            help: "Pass a client certificate that the server accepts: '--client-cert' and '--client-key'.")
        case .sent:
          return VisitPhrase(
            "rejects the client certificate that was sent\(alert)",
            help: "Use a client certificate from a CA that the server accepts, or have the server accept this one's CA."
          )
        }
      }
    })
}
