import TestSupport

extension Setup {
  /// What of the policy's keys is found in the validated chains.
  static let pinRows: [Setup] = [
    Setup(
      "unpinned", "no key of the chain is pinned",
      policy: SetupPolicy(active: ["stranger"]), expects: [.error("P520", "sha256/")]
    ) { scene in
      [.nginx(try scene.leaf(), scene.shared.issuing)]
    },
    Setup(
      "blocked-since-expiry", "all is well with the server, and its entry has expired to a block",
      policy: SetupPolicy(
        entry: ["expires: 2026-01-01 # pintle:allow P403 until 2999-01-01: the service is closed", "on-expiry: block"]),
      expects: [.error("P519", "expired")]
    ) { scene in
      [.nginx(try scene.leaf(), scene.shared.issuing)]
    },
    Setup(
      "unpinned-report-only", "the same, and the entry only reports",
      policy: SetupPolicy(active: ["stranger"], entry: ["mode: report-only"]), expects: [.warning("P520")]
    ) { scene in
      [.nginx(try scene.leaf(), scene.shared.issuing)]
    },
    Setup(
      "half-of-two", "leaf and CA are required, and only the CA is pinned",
      policy: SetupPolicy(active: ["root", "other-leaf"], entry: ["require: leaf-and-ca"]),
      expects: [.error("P520", "leaf")]
    ) { scene in
      _ = try scene.leaf(as: "other-leaf")
      return [.nginx(try scene.leaf(), scene.shared.issuing)]
    },
    Setup(
      "backup-only", "only the backup's key is served",
      policy: SetupPolicy(active: ["stranger"], backup: ["root", "spare"]), expects: [.warning("P521", "root")]
    ) { scene in
      [.nginx(try scene.leaf(), scene.shared.issuing)]
    },
    Setup(
      "backup-in-service", "a backup stands in the chain beside the active key",
      policy: SetupPolicy(active: ["root"], backup: ["issuing", "spare"]), expects: [.warning("P525", "issuing")]
    ) { scene in
      [.nginx(try scene.leaf(), scene.shared.issuing)]
    },
    Setup(
      "denied-key", "a denied key is served",
      policy: SetupPolicy(denied: ["leaf"]), expects: [.error("P523", "leaf", "public bucket")]
    ) { scene in
      [.nginx(try scene.leaf(), scene.shared.issuing)]
    },
    Setup(
      "denied-in-report-only", "a denied key is served, and the entry only reports",
      policy: SetupPolicy(denied: ["leaf"], entry: ["mode: report-only"]), expects: [.error("P523", "leaf")]
    ) { scene in
      [.nginx(try scene.leaf(), scene.shared.issuing)]
    },
    Setup(
      "denied-beside-chain", "a denied certificate is sent, and no part of the validated chain",
      policy: SetupPolicy(denied: ["stranger"]), expects: [.note("P503", "Unknown Root")]
    ) { scene in
      [.nginx(try scene.leaf(), scene.shared.issuing, scene.shared.stranger)]
    },
    Setup(
      "pinned-beside-chain", "the pinned certificate is sent, and no part of the validated chain",
      policy: SetupPolicy(active: ["stranger"]), expects: [.note("P503", "Unknown Root"), .error("P520")]
    ) { scene in
      [.nginx(try scene.leaf(), scene.shared.issuing, scene.shared.stranger)]
    },
    Setup(
      "leaf-ends-first", "the pinned leaf expires before the entry, and its successor isn't pinned",
      policy: SetupPolicy(active: ["leaf"]), expects: [.warning("P524", day(100))]
    ) { scene in
      [.nginx(try scene.leaf { $0.notAfter = day(100) }, scene.shared.issuing)]
    },
    Setup(
      "two-types", "an RSA and an ECDSA certificate, both below the pinned root", expects: []
    ) { scene in
      [try scene.dual()]
    },
    Setup(
      "one-type-unpinned", "an RSA and an ECDSA certificate, and only the ECDSA key is pinned",
      policy: SetupPolicy(active: ["ecdsa"]), expects: [.error("P528", "RSA", "ECDSA")]
    ) { scene in
      [try scene.dual()]
    },
    Setup(
      "other-type-unpinned", "the same with the RSA key pinned",
      policy: SetupPolicy(active: ["rsa"]), expects: [.error("P528", "RSA", "ECDSA")]
    ) { scene in
      [try scene.dual()]
    },
    Setup(
      "one-type-asked", "the same, visited for the pinned type alone",
      policy: SetupPolicy(active: ["rsa"]), expects: [.note("P538", "ECDSA in TLS 1.3 or ECDSA in TLS 1.2")]
    ) { scene in
      scene.options = ["--key-type", "rsa"]
      return [try scene.dual()]
    },
    Setup(
      "cross-signed-stores", "cross-signed roots: the host passes under one trust store and fails under the other",
      policy: SetupPolicy(active: ["new-root"]), expects: [.error("P522", "system", "other")]
    ) { scene in
      let roots = try scene.crossSigned()
      scene.systemStore = [roots.old]
      scene.options = ["--trust-store", "other=\(roots.new.path)"]
      return [.nginx(try scene.leaf(by: roots.issuing), roots.issuing, roots.cross)]
    },
    Setup(
      "cross-signed-paths", "cross-signed roots in one store: one path has the pinned root, the other has not",
      policy: SetupPolicy(active: ["new-root"]), expects: [.error("P522", "Old Root", "New Root")]
    ) { scene in
      let roots = try scene.crossSigned()
      scene.systemStore = [roots.old, roots.new]
      return [.nginx(try scene.leaf(by: roots.issuing), roots.issuing, roots.cross)]
    },
    Setup(
      "cross-signed-both", "the same stores, with the key that is on every path pinned",
      policy: SetupPolicy(active: ["old-root"]), expects: []
    ) { scene in
      let roots = try scene.crossSigned()
      scene.systemStore = [roots.old]
      scene.options = ["--trust-store", "other=\(roots.new.path)"]
      return [.nginx(try scene.leaf(by: roots.issuing), roots.issuing, roots.cross)]
    },
    Setup(
      "subdomains-unvisited", "the entry has subdomains, and no name to try is given",
      policy: SetupPolicy(entry: ["include-subdomains: true"]), expects: [.warning("P526", "probe:")]
    ) { scene in
      [.nginx(try scene.leaf(), scene.shared.issuing)]
    },
    Setup(
      "subdomain-unpinned", "a name of the entry's 'probe:' list serves another key",
      policy: SetupPolicy(
        active: ["leaf"], entry: ["include-subdomains: true", "probe: [www.subdomain-unpinned.test]"]),
      expects: [.error("P520", "www.subdomain-unpinned.test")]
    ) { scene in
      let names = [scene.host, "www.\(scene.host)"]
      let leaf = try scene.leaf { $0.alternativeNames = ["DNS:\(names[0])"] }
      let other = try scene.leaf(as: "other") { $0.alternativeNames = ["DNS:\(names[1])"] }
      let server = try NginxServer([
        .init(names[0], [.init([leaf, scene.shared.issuing])]),
        .init(names[1], [.init([other, scene.shared.issuing])]),
      ])
      scene.options = ["--connect-to", "\(names[1]):443:127.0.0.1:\(server.port)"]
      return [.listening(port: server.port, owner: server)]
    },
  ]
}

extension Scene {
  /// The shared nginx with a certificate of each type, kept as `ecdsa` and `rsa`.
  mutating func dual() throws -> Serving {
    let ecdsa = try leaf(as: "ecdsa")
    let rsa = try leaf(as: "rsa") { $0.key = .rsa(bits: 2048) }
    return .nginx([.init([ecdsa, shared.issuing]), .init([rsa, shared.issuing])])
  }

  /// Two roots, of which the new one has certified the old one's key too; kept as `old-root` and `new-root`.
  mutating func crossSigned() throws -> (
    old: TestCertificate, new: TestCertificate, cross: TestCertificate, issuing: TestCertificate
  ) {
    let old = keep(try pki.issue(.authority("Old Root")), as: "old-root")
    let new = keep(try pki.issue(.authority("New Root")), as: "new-root")
    let cross = try pki.issue(.authority("Old Root").with { $0.key = .existing(old) }, by: new)
    return (old, new, cross, try pki.issue(.authority("Shared CA"), by: old))
  }
}
