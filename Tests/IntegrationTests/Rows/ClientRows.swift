import TestSupport

extension Setup {
  /// Servers that ask for a client certificate.
  static let clientRows: [Setup] = [
    Setup(
      "client-optional", "nginx takes a client certificate where there is one", expects: []
    ) { scene in
      [try scene.askingClients("optional")]
    },
    // It says so in HTTP, after a complete handshake: TLS doesn't show whether the certificate is optional.
    Setup("client-required", "nginx wants a client certificate, and says so in HTTP only", expects: []) { scene in
      [try scene.askingClients("on")]
    },
    Setup("client-given", "nginx wants a client certificate and gets it", expects: []) { scene in
      let client = try scene.pki.issue(
        .leaf("a client", names: []).with { $0.extendedKeyUsage = "clientAuth" }, by: scene.shared.root)
      scene.options = ["--client-cert", client.path, "--client-key", client.keyPath]
      return [try scene.askingClients("on")]
    },
    Setup(
      "client-insisted", "openssl s_server ends the handshake without a client certificate",
      expects: [
        .warning("P537", "--client-cert", "handshake_failure (40) in TLS 1.2", "certificate_required (116) in TLS 1.3")
      ]
    ) { scene in
      [
        try scene.openssl(
          try scene.leaf(), [scene.shared.issuing], ["-Verify", "1", "-CAfile", scene.shared.root.path])
      ]
    },
    Setup(
      "client-not-taken", "openssl s_server doesn't know who issued the client certificate",
      expects: [.warning("P537", "rejects the client certificate")]
    ) { scene in
      let client = try scene.pki.issue(
        .leaf("a client", names: []).with { $0.extendedKeyUsage = "clientAuth" }, by: scene.shared.stranger)
      scene.options = ["--client-cert", client.path, "--client-key", client.keyPath]
      let insisting = ["-tls1_3", "-Verify", "1", "-verify_return_error", "-CAfile", scene.shared.root.path]
      return [try scene.openssl(try scene.leaf(), [scene.shared.issuing], insisting)]
    },
  ]
}

extension Scene {
  fileprivate mutating func askingClients(_ mode: String) throws -> Serving {
    let leaf = try leaf()
    return .nginx(
      [.init([leaf, shared.issuing])],
      directives: ["ssl_verify_client \(mode);", "ssl_client_certificate \(shared.root.path);"])
  }
}
