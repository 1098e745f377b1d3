import OpenSSLKit
import TestSupport
import Testing

/// Excluded names, against every host that a leaf's names match.
@Suite struct NameConstraintTests {
  static let names = [
    "example.com", "*.example.com", "api.example.com", "API.Example.com", "*.api.example.com", "a.b.example.com",
    "w*.example.com", "xexample.com",
  ]
  static let excluded = [
    "example.com", ".example.com", "api.example.com", ".api.example.com", "v1.api.example.com", "com", "xample.com",
    "API.EXAMPLE.com", "b.example.com", "example.org",
  ]
  /// At least one host for each name and subtree that have one in common.
  static let hosts =
    ["xexample.com"] + ["", "api.", "v1.api.", "x.v1.api.", "a.b.", "b.", "www."].map { $0 + "example.com" }

  @Test func excludesWhatAnyHostOfTheLeafIsIn() throws {
    let pki = try TestPKI.standard().pki
    let leaves = try Self.names.map { name in
      (name, try Certificate(der: try pki.issue(.leaf("leaf", names: ["DNS:other.test", "DNS:\(name)"])).der))
    }
    for subtree in Self.excluded {
      let profile = CertificateProfile.authority("Excluding").with {
        $0.nameConstraints = "critical,excluded;DNS:example.net,excluded;DNS:\(subtree)"
      }
      let authority = try Certificate(der: try pki.issue(profile).der)
      let base = (subtree.hasPrefix(".") ? String(subtree.dropFirst()) : subtree).lowercased()
      for (name, leaf) in leaves {
        let isIn = Self.hosts.contains { host in
          leaf.covers(.dns(host)) && (host == base || host.hasSuffix("." + base))
        }
        #expect(
          authority.nameConstraintFault(of: leaf) == (isIn ? .excluded : nil), "\(name) with \(subtree) excluded")
      }
    }
  }
}
