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
      expects: [.warning("P529", "16 were")]
    ) { scene in
      let upper = try scene.pki.issueTwins(.authority("Upper CA"), count: 5, by: scene.shared.root)
      let lower = try scene.pki.issueTwins(.authority("Lower CA"), count: 4, by: upper[0])
      return [try scene.openssl(try scene.leaf(by: lower[0]), lower + upper)]
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
