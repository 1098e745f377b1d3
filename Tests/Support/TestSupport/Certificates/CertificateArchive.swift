import Synchronization

/// The certificates of some tests, each made by `openssl` when the first test asks for it.
package final class Archive: Sendable {
  /// The one of the evaluation tests.
  package static let shared: Result<Archive, any Error> = Result { try Archive() }

  package let pki: TestPKI
  private let made = Mutex<[String: TestCertificate]>([:])

  package init() throws {
    pki = try TestPKI()
  }

  /// A certificate by its name in the tests.
  package func certificate(
    _ name: String, _ profile: @autoclosure () -> CertificateProfile, by issuer: TestCertificate? = nil
  ) throws -> TestCertificate {
    if let existing = made.withLock({ $0[name] }) { return existing }
    let new = try pki.issue(profile(), by: issuer)
    // Two tests may have made it at the same time: the first one is kept.
    return made.withLock { made in
      if let existing = made[name] { return existing }
      made[name] = new
      return new
    }
  }
}

/// Names for the certificates that most tests of trust need.
package struct Maker: Sendable {
  package let archive: Archive

  package init() throws {
    self.init(try Archive.shared.get())
  }

  package init(_ archive: Archive) {
    self.archive = archive
  }

  package var root: TestCertificate { get throws { try archive.certificate("root", .authority("Root")) } }
  package var otherRoot: TestCertificate {
    get throws { try archive.certificate("other root", .authority("Other Root")) }
  }

  /// The root's key and name, certified by the other root.
  package var crossRoot: TestCertificate {
    get throws {
      let root = try root
      return try archive.certificate(
        "cross root", .authority("Root").with { $0.key = .existing(root) }, by: try otherRoot)
    }
  }

  package var intermediate: TestCertificate {
    get throws { try archive.certificate("intermediate", .authority("Intermediate", pathLength: 0), by: root) }
  }

  package var otherIntermediate: TestCertificate {
    get throws { try archive.certificate("other intermediate", .authority("Other Intermediate"), by: otherRoot) }
  }

  /// The leaf of `example.com` and of the names one label below it.
  package var leaf: TestCertificate {
    get throws { try leaf("good") { $0.alternativeNames = ["DNS:example.com", "DNS:*.example.com"] } }
  }

  /// A leaf for `example.com` by the intermediate, with something changed.
  package func leaf(
    _ name: String, by issuer: TestCertificate? = nil, _ change: (inout CertificateProfile) -> Void = { _ in }
  ) throws -> TestCertificate {
    let issuer = try issuer ?? intermediate
    return try archive.certificate("leaf: " + name, CertificateProfile.leaf(name).with(change), by: issuer)
  }

  /// An authority below the root, with something changed.
  package func authority(
    _ name: String, by issuer: TestCertificate? = nil, _ change: (inout CertificateProfile) -> Void = { _ in }
  ) throws -> TestCertificate {
    let issuer = try issuer ?? root
    return try archive.certificate("authority: " + name, CertificateProfile.authority(name).with(change), by: issuer)
  }

  /// A certificate that signs itself, with something changed.
  package func selfSigned(_ name: String, _ profile: CertificateProfile) throws -> TestCertificate {
    try archive.certificate("self-signed: " + name, profile)
  }
}
