import TestSupport

extension Setup {
  /// Servers that break TLS on purpose: each has to end, in time and with a reason of its own.
  static let hostileRows: [Setup] = [
    hostile("mute", .mute, "takes everything and says nothing", "P532"),
    hostile("slow-drip", .slowDrip, "a record that never comes to its end", "P532"),
    hostile("endless-handshake", .endlessHandshake, "asks for a new handshake again and again", "P534"),
    hostile("endless-warnings", .endlessWarnings, "sends warnings without end", "P534"),
    hostile("endless-empty", .endlessEmptyRecords, "sends empty records without end", "P534"),
    hostile("garbage", .garbage, "sends noise", "P534"),
    hostile("ssh", .ssh, "greets as SSH does", "P534", "SSH"),
    hostile("http-answer", .http, "answers TLS in HTTP", "P534", "HTTP"),
    hostile("hangs-up", .closeAtOnce, "hangs up on a ClientHello", "P533"),
    hostile("hangs-up-later", .closeInTheMiddle, "hangs up in the middle of a message", "P533"),
    hostile("resets", .resetInTheMiddle, "resets the connection in the middle of a message", "P533"),
    hostile("oversize-record", .oversizeRecord, "a record that is longer than TLS allows", "P534"),
    // It chooses an RSA cipher suite, whatever is offered.
    Setup(
      "hostile-oversize-certificate", "a certificate message of 320 KiB",
      expects: [
        .error("P516", "more than 262144 bytes of certificates, the limit (for clients that offer RSA)"),
        .error("P534", "breaks the TLS protocol: wrong cipher returned"),
      ]
    ) { scene in
      scene.options = ["--timeout", "2"]
      let server = try HostileServer(.oversizeCertificates)
      return [.listening(port: server.port, owner: server)]
    },
    hostile("tls-1.0", .oldServerHello, "answers in TLS 1.0", "P534", "supports neither TLS 1.3 nor TLS 1.2"),
    hostile("internal-error", .alert(80), "an alert: internal_error", "P533", "internal_error (80)"),
  ]

  private static func hostile(
    _ name: String, _ behaviour: HostileServer.Behaviour, _ about: String, _ code: String, _ words: String = ""
  ) -> Setup {
    Setup("hostile-\(name)", about, expects: [.error(code, "hostile-\(name).test:443", words)]) { scene in
      scene.options = ["--timeout", "2"]
      let server = try HostileServer(behaviour)
      return [.listening(port: server.port, owner: server)]
    }
  }
}
