import TestSupport

extension Setup {
  /// Keys, signatures and versions that are too weak.
  static let strengthRows: [Setup] = [
    Setup("sha1-leaf", "the leaf is signed with SHA-1", expects: [.error("P511", "SHA-1", "exceptions")]) { scene in
      [.nginx(try scene.leaf { $0.digest = "sha1" }, scene.shared.issuing)]
    },
    Setup("sha1-intermediate", "the intermediate is signed with SHA-1", expects: [.error("P511", "Old CA")]) { scene in
      let old = try scene.pki.issue(.authority("Old CA").with { $0.digest = "sha1" }, by: scene.shared.root)
      return [.nginx(try scene.leaf(by: old), old)]
    },
    Setup("rsa-1024", "an RSA key of 1024 bits", expects: [.error("P512", "1024")]) { scene in
      [.nginx(try scene.leaf { $0.key = .rsa(bits: 1024) }, scene.shared.issuing)]
    },
    Setup("p224-intermediate", "the intermediate has a key on P-224", expects: [.error("P512", "Small CA", "224")]) {
      scene in
      let small = try scene.pki.issue(.authority("Small CA").with { $0.key = .p224 }, by: scene.shared.root)
      return [.nginx(try scene.leaf(by: small), small)]
    },
    Setup(
      "stricter-keys", "the policy asks for more than 2048 bits",
      policy: SetupPolicy(entry: ["trust: { minimum-rsa-bits: 3072, reason: our own rule }"]),
      expects: [.error("P512", "2048")]
    ) { scene in
      [.nginx(try scene.leaf { $0.key = .rsa(bits: 2048) }, scene.shared.issuing)]
    },
    Setup(
      "stricter-tls", "TLS 1.2 only, and the policy asks for 1.3",
      policy: SetupPolicy(entry: ["trust: { minimum-tls: \"1.3\", reason: every client speaks it }"]),
      expects: [.error("P515", "1.2", "1.3")]
    ) { scene in
      let leaf = try scene.leaf()
      return [
        .nginxPort(try freePort(), [.init([leaf, scene.shared.issuing])], directives: ["ssl_protocols TLSv1.2;"])
      ]
    },
  ]
}
