import PinFormat
import PinProbe
import TestSupport
import Testing

/// A public-key infrastructure and a server in it, for the properties that hold of every one.
struct Shape: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let build: @Sendable (Maker) throws -> Scene

  init(_ name: String, _ build: @escaping @Sendable (Maker) throws -> Scene) {
    testDescription = name
    self.build = build
  }

  static let all: [Shape] = [
    Shape("a plain chain") { make in
      try Scene([make.leaf, make.intermediate], stores: [make.root]).with { $0.pinned = [try make.root] }
    },
    Shape("a chain under no anchor") { make in
      try Scene([make.leaf, make.intermediate], stores: [make.otherRoot]).with { $0.pinned = [try make.root] }
    },
    Shape("no policy at all") { make in
      try Scene([make.leaf, make.intermediate], stores: [make.root], []).with { $0.pinned = nil }
    },
    Shape("a host that isn't pinned") { make in
      try Scene([make.leaf, make.intermediate], stores: [make.root], [])
    },
    Shape("mode off") { make in
      try Scene([make.leaf], stores: [make.root]).with {
        $0.pinned = [try make.root]
        $0.mode = .off
      }
    },
    Shape("cross-signed roots, an old and a new store") { make in
      try Scene(
        [make.leaf, make.intermediate, make.crossRoot], stores: [make.otherRoot], [make.root],
        [
          make.root, make.otherRoot,
        ]
      ).with { $0.pinned = [try make.otherRoot] }
    },
    Shape("an expired root hides the way around it") { make in
      try Scene([make.leaf, make.intermediate, make.crossRoot], stores: [make.expiredRoot, make.otherRoot])
        .with { $0.pinned = [try make.otherRoot] }
    },
    Shape("a cross-signed intermediate") { make in
      try Scene([make.leaf, make.intermediate, make.crossIntermediate], stores: [make.root, make.otherRoot])
        .with { $0.pinned = [try make.otherRoot] }
    },
    Shape("two roots that certify each other") { make in
      try Scene(
        [make.leaf, make.intermediate, make.crossRoot, make.crossOtherRoot], stores: [make.root, make.otherRoot]
      )
      .with { $0.pinned = [try make.root] }
    },
    Shape("three certificates of one root") { make in
      try Scene([make.leaf, make.intermediate], stores: [make.twinRoot, make.expiredRoot, make.root])
        .with { $0.pinned = [try make.root] }
    },
    Shape("wrong order") { make in
      try Scene([make.leaf, make.root, make.intermediate], stores: [make.root]).with { $0.pinned = [try make.leaf] }
    },
    Shape("strangers, and one twice") { make in
      try Scene(
        [make.leaf, make.intermediate, make.otherIntermediate, make.intermediate], stores: [make.root]
      )
      .with {
        $0.backup = [try make.root]; $0.pinned = [try make.otherRoot]
      }
    },
    Shape("a missing intermediate") { make in
      try Scene([make.leaf], stores: [make.root]).with { $0.pinned = [try make.root] }
    },
    Shape("a missing intermediate that the policy supplies") { make in
      try Scene([make.leaf], stores: [make.root]).with {
        $0.pinned = [try make.root]
        $0.trust = Manifest.Trust(intermediates: [try make.intermediate.fingerprint])
        $0.carried = [try make.intermediate]
      }
    },
    Shape("an intermediate in the store") { make in
      try Scene([make.leaf, make.intermediate], stores: [make.intermediate, make.root])
        .with { $0.pinned = [try make.root] }
    },
    Shape("anchors of the policy alone") { make in
      try Scene([make.leaf, make.intermediate, make.crossRoot], stores: [make.root]).with {
        $0.pinned = [try make.otherRoot]
        $0.trust = Manifest.Trust(systemAnchors: false, anchors: [try make.otherRoot.fingerprint])
        $0.carried = [try make.otherRoot]
      }
    },
    Shape("an anchor of the policy besides the system's") { make in
      try Scene([make.leaf, make.intermediate, make.crossRoot], stores: [make.root]).with {
        $0.pinned = [try make.otherRoot]
        $0.trust = Manifest.Trust(anchors: [try make.otherRoot.fingerprint])
        $0.carried = [try make.otherRoot]
      }
    },
    Shape("one certificate and no path") { make in
      try Scene([make.leaf, make.intermediate], stores: [make.otherRoot]).with {
        $0.pinned = [try make.leaf]
        $0.trust = Manifest.Trust(certificate: try make.leaf.fingerprint)
        $0.carried = [try make.leaf]
      }
    },
    Shape("another name") { make in
      try Scene([make.leaf, make.intermediate], stores: [make.root]).with {
        $0.host = "10.0.0.5"
        $0.pinned = [try make.root]
        $0.trust = Manifest.Trust(serverName: try HostName(canonicalising: "example.com"))
      }
    },
    Shape("a failure that is excused beside one that isn't") { make in
      let leaf = try make.leaf("both") {
        $0.notAfter = "2026-01-01"
        $0.alternativeNames = ["DNS:other.test"]
      }
      return try Scene([leaf, make.intermediate], stores: [make.root]).with {
        $0.pinned = [try make.root]
        $0.trust = Manifest.Trust(exceptions: [
          Manifest.Exception(
            failure: .expired, certificate: try leaf.fingerprint, until: try instant("2027-01-01"), reason: "soon")
        ])
      }
    },
    Shape("TLS 1.3 is asked for") { make in
      try Scene([make.leaf, make.intermediate], stores: [make.root]).with {
        $0.answers += [.failure(.alert, alert: 40), $0.answers[0]]
        $0.pinned = [try make.root]
        $0.trust = Manifest.Trust(minimumTLS: .tls13)
      }
    },
    Shape("a denied key") { make in
      try Scene([make.leaf, make.intermediate], stores: [make.root]).with {
        $0.pinned = [try make.root]
        $0.denied = [try make.intermediate]
      }
    },
    Shape("garbage behind the leaf") { make in
      try Scene([], stores: [make.root]).with {
        $0.answers = [.bytes([try make.leaf.der, [1, 2, 3]])]
        $0.pinned = [try make.root]
      }
    },
    Shape("nothing but garbage") { make in
      try Scene([], stores: [make.root]).with {
        $0.answers = [.bytes([[]])]
        $0.pinned = nil
      }
    },
    Shape("more certificates than are looked at") { make in
      try Scene([make.leaf] + Array(repeating: make.intermediate, count: 40), stores: [make.root])
        .with { $0.pinned = [try make.root] }
    },
  ]
}

extension Maker {
  /// The root's key and name in a certificate that has expired.
  var expiredRoot: TestCertificate {
    get throws {
      let root = try root
      return try archive.certificate(
        "expired root",
        .authority("Root").with {
          $0.key = .existing(root)
          $0.notAfter = "2026-01-01"
        })
    }
  }

  /// The root's key and name in another certificate that is valid.
  var twinRoot: TestCertificate {
    get throws {
      let root = try root
      return try archive.certificate(
        "twin root",
        .authority("Root").with {
          $0.key = .existing(root)
          $0.notAfter = "2048-01-01"
        })
    }
  }

  /// The other root's key and name, certified by the root.
  var crossOtherRoot: TestCertificate {
    get throws {
      let other = try otherRoot
      return try archive.certificate(
        "cross other root", .authority("Other Root").with { $0.key = .existing(other) }, by: try root)
    }
  }

  /// The intermediate's key and name, certified by the other root.
  var crossIntermediate: TestCertificate {
    get throws {
      let intermediate = try intermediate
      return try archive.certificate(
        "cross intermediate", .authority("Intermediate").with { $0.key = .existing(intermediate) }, by: try otherRoot)
    }
  }
}
