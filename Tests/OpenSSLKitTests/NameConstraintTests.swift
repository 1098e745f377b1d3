import OpenSSLKit
import TestSupport
import Testing

/// Excluded names, against every host that a leaf's names match.
@Suite struct NameConstraintTests {
  static let names = [
    "example.com", "*.example.com", "api.example.com", "API.Example.com", "*.api.example.com", "a.b.example.com",
    "xexample.com",
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
          authority.nameConstraintFault(of: leaf, asLeaf: true) == (isIn ? .excluded : nil),
          "\(name) with \(subtree) excluded")
        #expect(authority.nameConstraintFault(of: leaf, asLeaf: false) == nil)
      }
    }
  }

  /// A name under a constraint of its kind has to be one; the vectors `name-constraints` have further ones.
  @Test(
    arguments: [
      ("DNS:com", nil), ("DNS:*", "DNS"), ("DNS:*.", "DNS"), ("DNS:*.example.com.", "DNS"),
      ("DNS:a@example.com", "DNS"),
      ("email:a.b@example.com", nil), ("email:.a@example.com", "email"), ("email:a.@example.com", "email"),
      ("email:a@*.example.com", "email"),
    ] as [(String, String?)])
  func rejectsNamesThatCantBeCompared(name: String, invalidBelow: String?) throws {
    let pki = try TestPKI.standard().pki
    let leaf = try Certificate(der: try pki.issue(.leaf("leaf", names: ["DNS:other.test", name])).der)
    for kind in ["DNS", "email"] {
      let profile = CertificateProfile.authority("Excluding \(kind)").with {
        $0.nameConstraints = "critical,excluded;\(kind):example.net"
      }
      let authority = try Certificate(der: try pki.issue(profile).der)
      let isInvalid = kind == invalidBelow
      #expect(authority.nameConstraintFault(of: leaf, asLeaf: true) == (isInvalid ? .invalidNameBelow : nil))
      #expect(authority.permits(leaf, asLeaf: false) == !isInvalid)
    }
  }
}
