import PinProbe
import TestSupport

extension Setup {
  /// Protocols that begin in clear text; the port of the policy says which.
  static let startTLSRows: [Setup] = [
    Setup("imap", "dovecot speaks TLS after STARTTLS", expects: []) { scene in
      scene.policyPort = "143"
      let server = try DovecotServer(certificate: try scene.leaf(), chain: [scene.shared.issuing])
      return [.listening(port: server.imapPort, owner: server)]
    },
    Setup(
      "imap-dual", "dovecot with two types of key, of which one is pinned", policy: SetupPolicy(active: ["ecdsa"]),
      expects: [.error("P528", "RSA")]
    ) { scene in
      scene.policyPort = "143"
      let ecdsa = try scene.leaf(as: "ecdsa")
      let rsa = try scene.leaf(as: "rsa") { $0.key = .rsa(bits: 2048) }
      let server = try DovecotServer(certificate: ecdsa, alternative: rsa, chain: [scene.shared.issuing])
      return [.listening(port: server.imapPort, owner: server)]
    },
    Setup("imap-refused", "dovecot has TLS switched off", expects: [.error("P535", "IMAP")]) { scene in
      scene.policyPort = "143"
      let server = try DovecotServer(certificate: nil)
      return [.listening(port: server.imapPort, owner: server)]
    },
    Setup("pop3", "dovecot speaks TLS after STLS", expects: []) { scene in
      scene.policyPort = "110"
      let server = try DovecotServer(certificate: try scene.leaf(), chain: [scene.shared.issuing])
      return [.listening(port: server.pop3Port, owner: server)]
    },
    Setup("pop3-refused", "dovecot has TLS switched off", expects: [.error("P535", "POP3")]) { scene in
      scene.policyPort = "110"
      let server = try DovecotServer(certificate: nil)
      return [.listening(port: server.pop3Port, owner: server)]
    },
    Setup("smtp", "postfix speaks TLS after STARTTLS", expects: []) { scene in
      scene.policyPort = "587"
      let server = try PostfixServer(certificate: try scene.leaf(), chain: [scene.shared.issuing])
      return [.listening(port: server.port, owner: server)]
    },
    Setup("smtp-refused", "postfix has TLS switched off", expects: [.error("P535", "SMTP")]) { scene in
      scene.policyPort = "25"
      let server = try PostfixServer(certificate: nil)
      return [.listening(port: server.port, owner: server)]
    },
    Setup("ldap", "slapd speaks TLS after the StartTLS operation", expects: []) { scene in
      scene.policyPort = "389"
      let server = try SlapdServer(certificate: try scene.leaf(), chain: [scene.shared.issuing])
      return [.listening(port: server.port, owner: server)]
    },
    Setup("ldap-refused", "slapd has TLS switched off", expects: [.error("P535", "LDAP")]) { scene in
      scene.policyPort = "389"
      let server = try SlapdServer(certificate: nil)
      return [.listening(port: server.port, owner: server)]
    },
    Setup("postgres", "PostgreSQL speaks TLS after an SSLRequest", expects: []) { scene in
      scene.policyPort = "5432"
      let server = try PostgresServer(certificate: try scene.leaf(), chain: [scene.shared.issuing])
      return [.listening(port: server.port, owner: server)]
    },
    Setup("postgres-refused", "PostgreSQL has TLS switched off", expects: [.error("P535", "PostgreSQL")]) { scene in
      scene.policyPort = "5432"
      let server = try PostgresServer(certificate: nil)
      return [.listening(port: server.port, owner: server)]
    },
    Setup("other-port", "IMAP on a port that isn't known for it", expects: []) { scene in
      scene.policyPort = "1143"
      scene.options = ["--starttls", "1143=imap"]
      let server = try DovecotServer(certificate: try scene.leaf(), chain: [scene.shared.issuing])
      return [.listening(port: server.imapPort, owner: server)]
    },
    Setup(
      "smtp-unasked", "a mail server that is taken for one that begins with TLS", expects: [.error("P534")]
    ) { scene in
      let server = try PostfixServer(certificate: try scene.leaf(), chain: [scene.shared.issuing])
      return [.listening(port: server.port, owner: server)]
    },
  ]
}
