import Foundation
import TestSupport

extension Setup {
  /// Dates, names, usage and authorities.
  static let certificateRows: [Setup] = [
    Setup("leaf-expired", "the leaf has expired", expects: [.error("P504", "2024-01-01", "exceptions")]) { scene in
      [.nginx(try scene.leaf { $0.notAfter = "2024-01-01" }, scene.shared.issuing)]
    },
    Setup(
      "intermediate-expired", "the intermediate has expired, the leaf has not",
      expects: [.error("P504", "Old CA", "2024-01-01")]
    ) { scene in
      let old = try scene.pki.issue(.authority("Old CA").with { $0.notAfter = "2024-01-01" }, by: scene.shared.root)
      return [.nginx(try scene.leaf(by: old), old)]
    },
    Setup(
      "clock-ahead", "a leaf from the day after tomorrow, on a server whose clock is three days ahead",
      expects: [.error("P505", "3 days ahead")]
    ) { scene in
      [.nginxAhead([.init([try scene.leaf { $0.notBefore = day(2) }, scene.shared.issuing])])]
    },
    Setup(
      "not-yet-valid", "a leaf of next month, on a server whose clock is right", expects: [.error("P505")]
    ) { scene in
      [.nginx(try scene.leaf { $0.notBefore = day(30) }, scene.shared.issuing)]
    },
    Setup("self-signed", "the leaf signed itself", expects: [.error("P506", "certificate:")]) { scene in
      let leaf = try scene.pki.issue(.leaf(scene.host, names: ["DNS:\(scene.host)"]))
      return [.nginx(leaf)]
    },
    Setup(
      "unknown-root", "a complete chain to a root that nobody trusts",
      expects: [.error("P507", "Unknown Root", "anchors")]
    ) { scene in
      let issuing = try scene.pki.issue(.authority("Private CA"), by: scene.shared.stranger)
      return [.nginx(try scene.leaf(by: issuing), issuing)]
    },
    Setup(
      "wrong-name", "the certificate is another host's",
      expects: [.error("P508", "other.test", "*.elsewhere.test")]
    ) { scene in
      [
        .nginx(
          try scene.leaf { $0.alternativeNames = ["DNS:other.test", "DNS:*.elsewhere.test"] }, scene.shared.issuing)
      ]
    },
    Setup(
      "common-name-only", "the name stands in the subject only", expects: [.error("P508")]
    ) { scene in
      [.nginx(try scene.leaf { $0.alternativeNames = [] }, scene.shared.issuing)]
    },
    Setup(
      "two-failures", "an expired certificate of another host", expects: [.error("P504"), .error("P508", "other.test")]
    ) { scene in
      let leaf = try scene.leaf {
        $0.notAfter = "2024-01-01"
        $0.alternativeNames = ["DNS:other.test"]
      }
      return [.nginx(leaf, scene.shared.issuing)]
    },
    Setup("malformed", "an extension that says that it must be known, and nobody knows", expects: [.error("P515")]) {
      scene in
      [.nginx(try scene.leaf { $0.extensions = ["1.2.3.4.5 = critical,DER:0500"] }, scene.shared.issuing)]
    },
    Setup("client-usage", "a certificate for clients", expects: [.error("P509", "exceptions")]) { scene in
      [.nginx(try scene.leaf { $0.extendedKeyUsage = "clientAuth" }, scene.shared.issuing)]
    },
    Setup(
      "outside-constraints", "the authority may not issue for this name",
      expects: [.error("P510", "outside-constraints.test", "Narrow CA")]
    ) { scene in
      let narrow = try scene.pki.issue(
        .authority("Narrow CA").with { $0.nameConstraints = "critical,permitted;DNS:allowed.example" },
        by: scene.shared.root)
      return [.nginx(try scene.leaf(by: narrow), narrow)]
    },
    Setup(
      "constrained-on-one-path",
      "of two certificates of the issuing authority, the first is by one that is constrained",
      expects: [
        .warning(
          "P510", "Have the server stop sending 'Cross CA'", "issued by 'Narrow CA'", "nothing has to be reissued")
      ]
    ) { scene in
      let narrow = try scene.pki.issue(
        .authority("Narrow CA").with { $0.nameConstraints = "critical,permitted;DNS:allowed.example" },
        by: scene.shared.root)
      let first = try scene.pki.issue(.authority("Cross CA"), by: narrow)
      let second = try scene.pki.issue(.authority("Cross CA").with { $0.key = .existing(first) }, by: scene.shared.root)
      return [try scene.openssl(try scene.leaf(by: first), [first, narrow, second])]
    },
    Setup(
      "root-without-key-usage", "the trust store's root has no keyUsage, which isn't asked of an anchor",
      expects: [.error("P520", "pin: sha256/")]
    ) { scene in
      let root = try scene.pki.issue(.authority("Plain Root").with { $0.keyUsage = nil })
      scene.systemStore = [root]
      return [.nginx(try scene.leaf(by: root))]
    },
    Setup("path-too-long", "an authority below one that allows none", expects: [.error("P515", "Last CA")]) { scene in
      let last = try scene.pki.issue(.authority("Last CA", pathLength: 0), by: scene.shared.root)
      let further = try scene.pki.issue(.authority("Further CA"), by: last)
      return [.nginx(try scene.leaf(by: further), further, last)]
    },
    Setup(
      "not-an-authority", "the intermediate is no authority",
      expects: [.error("P515", "Usurper", "not a certificate authority")]
    ) { scene in
      let usurper = try scene.pki.issue(
        .authority("Usurper").with {
          $0.basicConstraints = "critical,CA:FALSE"
          $0.keyUsage = "critical,digitalSignature"
        }, by: scene.shared.root)
      return [.nginx(try scene.leaf(by: usurper), usurper)]
    },
    Setup(
      "bad-signature", "the intermediate has the name and key identifier, but another key",
      expects: [.error("P515", "signature")]
    ) { scene in
      let authority = CertificateProfile.authority("Doubled CA").with { $0.subjectKeyIdentifier = "C0FFEE" }
      let right = try scene.pki.issue(authority, by: scene.shared.root)
      let wrong = try scene.pki.issue(authority, by: scene.shared.root)
      return [.nginx(try scene.leaf(by: right), wrong)]
    },
  ]
}

/// One day for the whole table, also where it is made around midnight.
private let today = Date.now

/// The day so many days from today, UTC, as ``CertificateProfile`` takes it.
func day(_ offset: Int) -> String {
  String(today.addingTimeInterval(Double(offset) * 86_400).formatted(.iso8601).prefix(10))
}
