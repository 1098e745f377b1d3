import TestSupport

extension Setup {
  /// The form of the served chain.
  static let chainRows: [Setup] = [
    Setup("plain", "leaf and intermediate, as it should be", expects: []) { scene in
      [.nginx(try scene.leaf(), scene.shared.issuing)]
    },
    Setup(
      "leaf-only", "the intermediate isn't sent; the leaf says where it is",
      expects: [.error("P501", "Test Issuing CA", "http://ca.test/issuing.cer", "intermediates")]
    ) { scene in
      let leaf = try scene.leaf { $0.extensions = ["authorityInfoAccess = caIssuers;URI:http://ca.test/issuing.cer"] }
      return [try scene.openssl(leaf)]
    },
    Setup(
      "gap-in-chain", "the upper of two intermediates isn't sent",
      expects: [.error("P501", "Lower CA", "Upper CA")]
    ) { scene in
      let upper = try scene.pki.issue(.authority("Upper CA"), by: scene.shared.root)
      let lower = try scene.pki.issue(.authority("Lower CA"), by: upper)
      return [try scene.openssl(try scene.leaf(by: lower), [lower])]
    },
    Setup("wrong-order", "two intermediates, the upper first", expects: [.warning("P502")]) { scene in
      let upper = try scene.pki.issue(.authority("Upper CA"), by: scene.shared.root)
      let lower = try scene.pki.issue(.authority("Lower CA"), by: upper)
      return [try scene.openssl(try scene.leaf(by: lower), [upper, lower])]
    },
    Setup(
      "superfluous", "a certificate that has nothing to do with the leaf", expects: [.note("P503", "Unknown Root")]
    ) { scene in
      [try scene.openssl(try scene.leaf(), [scene.shared.issuing, scene.shared.stranger])]
    },
    Setup("root-included", "the root is sent too", expects: [.note("P503", "Test Root")]) { scene in
      [try scene.openssl(try scene.leaf(), [scene.shared.issuing, scene.shared.root])]
    },
    Setup("repeated", "the intermediate is sent twice", expects: [.note("P503", "Test Issuing CA")]) { scene in
      [try scene.openssl(try scene.leaf(), [scene.shared.issuing, scene.shared.issuing])]
    },
    Setup(
      "tangled", "so many certificates of two intermediates that not every path over them is judged",
      expects: [.warning("P529", "the limit is 16")]
    ) { scene in
      let upper = try scene.pki.issueTwins(.authority("Upper CA"), count: 5, by: scene.shared.root)
      let lower = try scene.pki.issueTwins(.authority("Lower CA"), count: 4, by: upper[0])
      return [try scene.openssl(try scene.leaf(by: lower[0]), lower + upper)]
    },
    Setup(
      "oversized-count", "33 certificates, which no client reads, whatever --min-success says",
      expects: [.error("P516", "33 certificates; the limit is 32", "only its own certificate")]
    ) { scene in
      scene.options = ["--min-success", "0"]
      scene.judgingOptions = ["--min-success", "0"]
      return [try scene.openssl(try scene.leaf(), Array(repeating: scene.shared.issuing, count: 32))]
    },
    Setup(
      "oversized-bytes", "a megabyte of certificates, which no client reads, whatever --min-success says",
      expects: [.error("P516", "more than 262144 bytes of certificates", "only its own certificate")]
    ) { scene in
      scene.options = ["--min-success", "0"]
      scene.judgingOptions = ["--min-success", "0"]
      let count = (1 << 20) / scene.shared.issuing.der.count + 1
      return [try scene.openssl(try scene.leaf(), Array(repeating: scene.shared.issuing, count: count))]
    },
    Setup(
      "reversed", "the intermediate before the leaf, with the intermediate's key",
      expects: [
        .error("P502", "'Test Issuing CA' and 'reversed.test'", "'reversed.test' and 'Test Issuing CA', in this order")
      ]
    ) { scene in
      [try scene.openssl(scene.shared.issuing, [try scene.leaf()])]
    },
    Setup(
      "reversed-with-root", "the whole chain from the root down, with the root's key",
      expects: [
        .error("P502", "'reversed-with-root.test' and 'Test Issuing CA', in this order", "private key"),
        .note("P503", "'Test Root', which is a root"),
      ]
    ) { scene in
      [try scene.openssl(scene.shared.root, [scene.shared.issuing, try scene.leaf()])]
    },
    Setup(
      "reversed-without-intermediate", "the root before the leaf that it issued, with the root's key",
      expects: [
        .error("P502", "Have the server send 'reversed-without-intermediate.test' first"),
        .note("P503", "which is a root"),
      ]
    ) { scene in
      [try scene.openssl(scene.shared.root, [try scene.leaf(by: scene.shared.root)])]
    },
    Setup(
      "unknown-issuer", "nobody knows whether what issued the leaf is an intermediate or a root",
      expects: [.error("P501", "doesn't send the certificate of 'Acme Trust Services'", "If it is a root", "anchors:")]
    ) { scene in
      [.nginx(try scene.leaf(by: try scene.pki.issue(.authority("Acme Trust Services"))))]
    },
    Setup(
      "pinned-root-untrusted", "a private root without 'root' in its name, pinned by its file, and not an anchor",
      policy: SetupPolicy(active: ["private"]),
      expects: [.error("P507", "'Acme Trust Services' isn't a trust anchor", "anchors: [keys/private.pem]")]
    ) { scene in
      let root = scene.keep(try scene.pki.issue(.authority("Acme Trust Services")), as: "private")
      return [.nginx(try scene.leaf(by: root))]
    },
    Setup(
      "intercepted", "the CA of a product that inspects TLS, which is not to be trusted",
      expects: [.error("P501", "'mitmproxy'", "Probe from a network without TLS inspection")]
    ) { scene in
      [.nginx(try scene.leaf(by: try scene.pki.issue(.authority("mitmproxy"))))]
    },
    Setup(
      "intercepted-root", "its root is sent too",
      expects: [
        .error("P507", "'Zscaler Root CA'", "Probe from a network without TLS inspection"), .note("P503"),
      ]
    ) { scene in
      let root = try scene.pki.issue(.authority("Zscaler Root CA"))
      return [.nginx(try scene.leaf(by: root), root)]
    },
    Setup(
      "intercepted-and-trusted", "its root is in the system's trust store, and its key is not to be pinned",
      expects: [
        .error("P520", "'Zscaler Root CA'", "Probe from a network without TLS inspection", "Neither pin this CA")
      ]
    ) { scene in
      let root = try scene.pki.issue(.authority("Zscaler Root CA"))
      scene.systemStore = [root]
      return [.nginx(try scene.leaf(by: root))]
    },
    Setup(
      "muddled", "the root before the intermediate, and a stranger",
      expects: [.warning("P502"), .note("P503")]
    ) { scene in
      [
        try scene.openssl(
          try scene.leaf(), [scene.shared.root, scene.shared.issuing, scene.shared.stranger])
      ]
    },
  ]
}
