import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

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
