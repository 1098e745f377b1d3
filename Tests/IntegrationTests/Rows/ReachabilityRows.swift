import TestSupport

extension Setup {
  /// Real servers that show no certificate.
  static let reachabilityRows: [Setup] = [
    Setup("refused", "nothing listens on the port", expects: [.error("P531", "refused.test:443")]) { _ in
      [.listening(port: try freePort(), owner: nil)]
    },
    Setup("unknown-to-server", "nginx refuses a name that it doesn't serve", expects: [.error("P533", "unrecognized")])
    {
      scene in
      [.unknownToNginx]
    },
    Setup("plain-http", "a web server without TLS", expects: [.error("P534")]) { _ in
      [.nginxPort(try freePort(), [])]
    },
    // It answers the offer of RSA in TLS 1.2 with alert 40; its answer to ECDSA is about the version.
    Setup(
      "old-version", "TLS 1.1 is all that the server speaks",
      expects: [.error("P534", "supports neither TLS 1.3 nor TLS 1.2", "Enable TLS 1.2 or 1.3")]
    ) { scene in
      let leaf = try scene.leaf()
      return [
        .nginxPort(try freePort(), [.init([leaf, scene.shared.issuing])], directives: ["ssl_protocols TLSv1.1;"])
      ]
    },
    Setup(
      "old-version-untold", "TLS 1.1 is all that the server speaks, with cipher suites that aren't offered",
      expects: [
        .error(
          "P534", "doesn't support TLS 1.3; and rejects TLS 1.2 with the alert handshake_failure (40)",
          "doesn't say what is missing", "RSA or ECDSA key")
      ]
    ) { scene in
      [try scene.openssl(try scene.leaf(), [scene.shared.issuing], ["-tls1_1", "-cipher", "aNULL:@SECLEVEL=0"])]
    },
    Setup(
      "other-key-type", "the server has TLS 1.2, and nothing but cipher suites that need no certificate",
      expects: [
        .error(
          "P534", "doesn't support TLS 1.3; and rejects TLS 1.2 with the alert handshake_failure (40)",
          "doesn't say what is missing", "RSA or ECDSA key")
      ]
    ) { scene in
      [try scene.openssl(try scene.leaf(), [scene.shared.issuing], ["-tls1_2", "-cipher", "aNULL:@SECLEVEL=0"])]
    },
    // It answers the offer of TLS 1.3 that it doesn't have the version, because of its key.
    Setup(
      "other-curve", "the server has TLS 1.2, and a key on a curve that no client offers",
      expects: [
        .error(
          "P534", "doesn't support TLS 1.3; and rejects TLS 1.2 with the alert handshake_failure (40)",
          "doesn't say what is missing", "RSA or ECDSA key")
      ]
    ) { scene in
      [try scene.openssl(try scene.leaf { $0.key = .secp256k1 }, [scene.shared.issuing])]
    },
    Setup(
      "nothing-in-common", "the server has TLS 1.2 and 1.3, with cipher suites that aren't offered",
      expects: [.error("P533", "handshake_failure (40)", "doesn't say what is missing")]
    ) { scene in
      let leaf = try scene.leaf()
      return [
        try scene.openssl(
          leaf, [scene.shared.issuing],
          ["-cipher", "aNULL:@SECLEVEL=0", "-ciphersuites", "TLS_AES_128_CCM_SHA256"])
      ]
    },
  ]
}
