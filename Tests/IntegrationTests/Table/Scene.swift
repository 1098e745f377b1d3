import TestSupport

/// What one set-up is made of, while it is being made.
struct Scene {
  /// The authorities that all set-ups share.
  struct Authorities: Sendable {
    let pki: TestPKI
    /// What the system's trust store consists of.
    let root: TestCertificate
    let issuing: TestCertificate
    /// A root that nobody trusts.
    let stranger: TestCertificate
    /// A key that no server has.
    let spare: TestCertificate
    /// Knows the names that have addresses of their own; all others of `test` don't exist.
    let names: DnsmasqServer

    init() throws {
      pki = try TestPKI()
      root = try pki.issue(.authority("Test Root"))
      issuing = try pki.issue(.authority("Test Issuing CA"), by: root)
      stranger = try pki.issue(.authority("Unknown Root"))
      spare = try pki.issue(.authority("Spare Root"))
      let two = ["two-addresses", "one-address-unpinned", "one-address-expired", "one-address-down"]
      var records = Dictionary(uniqueKeysWithValues: two.map { ("\($0).test", ["127.0.0.1", "127.0.0.2"]) })
      records["both-families.test"] = ["127.0.0.1", "::1"]
      records["no-address.test"] = []
      records["one-family-unknown.test"] = ["127.0.0.1"]
      // Queries that have no record, such as AAAA, are refused for this name.
      names = try DnsmasqServer(records: records, arguments: ["--server=/one-family-unknown.test/#"])
    }
  }

  let shared: Authorities
  /// The name that clients ask for.
  let host: String
  /// Certificates that the policy may name as `keys/NAME.pem`.
  private(set) var kept: [String: TestCertificate]
  /// Options of `pintle probe`.
  var options: [String] = []
  /// Options of its replay.
  var judgingOptions: [String] = []
  var environment: [String: String] = [:]
  /// The port of the policy's entry, where it isn't 443.
  var policyPort: String?
  /// True where the host's addresses come from a name server or are its name.
  var resolvesHost = false
  /// PEM certificates of the system's trust store; the shared root alone unless it says otherwise.
  var systemStore: [TestCertificate]

  init(host: String, shared: Authorities) {
    self.host = host
    self.shared = shared
    kept = [
      "root": shared.root, "issuing": shared.issuing, "stranger": shared.stranger, "spare": shared.spare,
    ]
    systemStore = [shared.root]
  }

  var pki: TestPKI { shared.pki }

  /// Gives a certificate a name in the policy.
  @discardableResult
  mutating func keep(_ certificate: TestCertificate, as name: String) -> TestCertificate {
    kept[name] = certificate
    return certificate
  }

  /// A leaf for the host, issued by the issuing authority unless another is given, and kept as `leaf`.
  mutating func leaf(
    by issuer: TestCertificate? = nil, as name: String = "leaf",
    _ change: (inout CertificateProfile) -> Void = { _ in }
  ) throws -> TestCertificate {
    let profile = CertificateProfile.leaf(host, names: ["DNS:\(host)"]).with(change)
    return keep(try pki.issue(profile, by: issuer ?? shared.issuing), as: name)
  }

  /// `openssl s_server` with a leaf and what it sends behind it, whatever that is.
  func openssl(
    _ leaf: TestCertificate, _ others: [TestCertificate] = [], _ arguments: [String] = []
  ) throws -> Serving {
    let chain = others.isEmpty ? nil : try pki.bundle(others)
    return .server(try TestServer(certificate: leaf, chain: chain, arguments: arguments))
  }
}

extension Serving {
  /// A site of the shared nginx with one chain.
  static func nginx(_ certificates: TestCertificate...) -> Serving { .nginx([.init(certificates)]) }
}
