import Foundation

/// Makes real certificates with the `openssl` command line, in a directory of its own.
///
/// Each certificate has its own files and its own `openssl ca` database, so certificates may be issued side by side.
package final class TestPKI: Sendable {
  package let directory: TemporaryDirectory

  package init() throws {
    directory = try TemporaryDirectory()
  }

  /// Issues a certificate; without an issuer it signs itself.
  package func issue(_ profile: CertificateProfile, by issuer: TestCertificate? = nil) throws -> TestCertificate {
    let name = UUID().uuidString
    let certificate = directory.path("\(name).pem")
    let request = directory.path("\(name).csr")
    let configuration = try writeConfiguration(for: profile, name: name)
    let key = try makeRequest(profile, name: name, configuration: configuration, to: request)
    var arguments = ["ca", "-batch", "-notext", "-config", configuration, "-preserveDN", "-utf8"]
    arguments += ["-in", request, "-out", certificate, "-md", profile.digest]
    arguments += ["-startdate", asn1(profile.notBefore), "-enddate", asn1(profile.notAfter)]
    arguments += profile.signatureOptions.flatMap { ["-sigopt", $0] }
    if let issuer {
      arguments += ["-cert", issuer.path, "-keyfile", issuer.keyPath]
    } else {
      arguments += ["-selfsign", "-keyfile", key]
    }
    try runSuccessfully("openssl", arguments)
    let pem = try readFile(certificate)
    return TestCertificate(path: certificate, keyPath: key, pem: pem, der: try der(ofPEM: pem))
  }

  /// Issues several certificates for one name and key, which differ in their end alone.
  package func issueTwins(_ profile: CertificateProfile, count: Int, by issuer: TestCertificate) throws
    -> [TestCertificate]
  {
    let first = try issue(profile, by: issuer)
    let others = try (1..<count).map { number in
      let twin = profile.with {
        $0.key = .existing(first)
        $0.notAfter = "2039-0\(number)-01"
      }
      return try issue(twin, by: issuer)
    }
    return [first] + others
  }

  /// Writes certificates one behind the other into one PEM file and answers its path.
  package func bundle(_ certificates: [TestCertificate]) throws -> String {
    try directory.write(certificates.flatMap(\.pem), to: "\(UUID().uuidString).bundle.pem")
  }

  private func makeRequest(
    _ profile: CertificateProfile, name: String, configuration: String, to request: String
  ) throws -> String {
    let key = directory.path("\(name).key")
    var arguments = ["req", "-new", "-utf8", "-config", configuration, "-subj", profile.subject, "-out", request]
    let ec = ["-newkey", "ec", "-pkeyopt"]
    let new = ["-nodes", "-keyout", key]
    switch profile.key {
    case .p224: arguments += ec + ["ec_paramgen_curve:P-224"] + new
    case .p256: arguments += ec + ["ec_paramgen_curve:P-256"] + new
    case .p384: arguments += ec + ["ec_paramgen_curve:P-384"] + new
    case .secp256k1: arguments += ec + ["ec_paramgen_curve:secp256k1"] + new
    case .rsa(let bits): arguments += ["-newkey", "rsa:\(bits)"] + new
    case .rsaPSS(let bits): arguments += ["-newkey", "rsa-pss", "-pkeyopt", "rsa_keygen_bits:\(bits)"] + new
    case .ed25519: arguments += ["-newkey", "ed25519"] + new
    case .ed448: arguments += ["-newkey", "ed448"] + new
    case .p256Point(let form):
      let plain = try runSuccessfully("openssl", ["ecparam", "-name", "prime256v1", "-genkey", "-noout"])
      try runSuccessfully("openssl", ["pkey", "-ec_conv_form", form, "-out", key], stdin: plain)
      arguments += ["-key", key]
    case .existing(let certificate):
      try runSuccessfully("openssl", arguments + ["-key", certificate.keyPath])
      return certificate.keyPath
    }
    try runSuccessfully("openssl", arguments)
    return key
  }

  private func writeConfiguration(for profile: CertificateProfile, name: String) throws -> String {
    let database = try directory.write("", to: "\(name).index")
    let text = """
      [req]
      distinguished_name = none
      [none]
      [ca]
      default_ca = here
      [here]
      database = \(database)
      new_certs_dir = \(directory.path)
      rand_serial = yes
      unique_subject = no
      policy = any
      x509_extensions = extensions
      [any]
      countryName = optional
      organizationName = optional
      organizationalUnitName = optional
      commonName = optional
      [extensions]
      \(profile.extensionLines.joined(separator: "\n"))

      """
    return try directory.write(text, to: "\(name).cnf")
  }

  private func asn1(_ date: String) -> String { date.filter { $0 != "-" } + "000000Z" }
}

extension TestPKI {
  /// A root, an intermediate, and a leaf for `example.com`: made once for all tests of a process.
  package struct Standard: Sendable {
    package var pki: TestPKI
    package var root: TestCertificate
    package var intermediate: TestCertificate
    package var leaf: TestCertificate
  }

  /// The shared chain, for tests that need no special certificate.
  package static func standard() throws -> Standard { try shared.get() }

  private static let shared: Result<Standard, any Error> = Result {
    let pki = try TestPKI()
    let root = try pki.issue(.authority("Standard Root"))
    let intermediate = try pki.issue(.authority("Standard Intermediate", pathLength: 0), by: root)
    let leaf = try pki.issue(.leaf("example.com", names: ["DNS:example.com", "DNS:*.example.com"]), by: intermediate)
    return Standard(pki: pki, root: root, intermediate: intermediate, leaf: leaf)
  }
}

/// The bytes of the first certificate of a PEM text.
package func der(ofPEM pem: [UInt8]) throws -> [UInt8] {
  let lines = String(decoding: pem, as: UTF8.self).split(separator: "\n")
  let body = lines.drop { !$0.hasPrefix("-----BEGIN") }.dropFirst().prefix { !$0.hasPrefix("-----END") }
  guard let data = Data(base64Encoded: body.joined()), !data.isEmpty else {
    throw RunError.notStarted(program: "PEM", reason: "no block in the text")
  }
  return Array(data)
}
