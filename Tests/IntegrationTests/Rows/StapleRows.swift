import TestSupport

extension Setup {
  /// Stapled OCSP responses.
  static let stapleRows: [Setup] = [
    Setup("staple-good", "a fresh response: good", expects: []) { scene in
      let leaf = try scene.leaf()
      return [try scene.stapling(.good, for: leaf)]
    },
    Setup("staple-revoked", "a fresh response: revoked", expects: [.error("P513", "2026-01-01")]) { scene in
      let leaf = try scene.leaf()
      return [try scene.stapling(.revoked, for: leaf)]
    },
    Setup(
      "staple-revoked-elsewhere", "the same from openssl s_server", expects: [.error("P513", "key compromise")]
    ) { scene in
      let leaf = try scene.leaf()
      let response = try scene.pki.ocspResponse(.revoked, for: leaf, issuer: scene.shared.issuing)
      return [try scene.openssl(leaf, [scene.shared.issuing], ["-status_file", response])]
    },
    Setup("staple-unknown", "the responder doesn't know the leaf", expects: [.warning("P514")]) { scene in
      let leaf = try scene.leaf()
      return [try scene.stapling(.unknown, for: leaf)]
    },
    Setup("staple-stale", "the response was valid for five minutes", expects: [.warning("P514")]) { scene in
      let leaf = try scene.leaf()
      return [try scene.stapling(.good, for: leaf, validMinutes: 5)]
    },
    Setup("staple-of-another", "the response is about another certificate", expects: [.warning("P514")]) { scene in
      let leaf = try scene.leaf()
      let response = try scene.pki.ocspResponse(
        .revoked, for: scene.leaf(as: "another"), issuer: scene.shared.issuing)
      return [scene.stapling(response, for: leaf)]
    },
    Setup("staple-by-stranger", "signed by nobody who may", expects: [.warning("P514")]) { scene in
      let leaf = try scene.leaf()
      let response = try scene.pki.ocspResponse(
        .revoked, for: leaf, issuer: scene.shared.issuing, signer: scene.shared.stranger)
      return [scene.stapling(response, for: leaf)]
    },
    Setup(
      "staple-by-delegate", "signed by a responder that the issuer appointed", expects: [.error("P513")]
    ) { scene in
      let delegate = try scene.pki.issue(
        .leaf("Responder", names: []).with { $0.extendedKeyUsage = "OCSPSigning" }, by: scene.shared.issuing)
      let leaf = try scene.leaf()
      let response = try scene.pki.ocspResponse(
        .revoked, for: leaf, issuer: scene.shared.issuing, signer: delegate)
      return [scene.stapling(response, for: leaf)]
    },
  ]
}

extension Scene {
  /// The shared nginx, stapling what a responder says of the leaf.
  func stapling(
    _ answer: TestPKI.OCSPAnswer, for leaf: TestCertificate, validMinutes: Int = 1_000_000
  ) throws -> Serving {
    stapling(
      try pki.ocspResponse(answer, for: leaf, issuer: shared.issuing, validMinutes: validMinutes), for: leaf)
  }

  /// The shared nginx, stapling a file.
  func stapling(_ response: String, for leaf: TestCertificate) -> Serving {
    .nginx(
      [.init([leaf, shared.issuing])], directives: ["ssl_stapling on;", "ssl_stapling_file \(response);"])
  }
}
