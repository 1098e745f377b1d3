import Diagnostics
import OpenSSLKit
import PinPolicy

extension Rule {
  /// A file that says what its certificate is trusted for, where nothing reads that.
  static let ignoredTrustSettings = Rule(
    code: "P340",
    name: "ignored-trust-settings",
    severity: .note,
    title: "A file's trust settings are ignored.",
    rationale: """
      `openssl x509 -trustout` writes a certificate as `TRUSTED CERTIFICATE`, with what it is trusted and rejected for.
      This binds a certificate in `anchors:`: one that is rejected for TLS servers is an error there (P311). A pin is about
      the key alone, and a manifest carries certificates alone, so for other files the settings have no effect.
      """,
    failing: Example(example("example-root-trusted.pem")),
    passing: Example(example("example-root.pem")),
    citation: "docs/policy.md#keys",
    check: .policy { input in
      let policy = input.policy
      let keys = policy.keys.compactMap { key in key.material.map { (key.sourcePlace, $0) } }
      let trusted = input.firstHostsOfTrust.compactMap { policy.hosts[$0].trust }.flatMap { trust in
        trust.intermediateFiles.flatMap { file in file.value.map { (file.place, $0) } }
          + (trust.certificate.map { [($0.place, $0.value)] } ?? [])
          + trust.exceptions.compactMap { exception in exception.material.map { (exception.place, $0) } }
      }
      return (keys + trusted).filter { $0.1.trustSettings != .unsaid }.map { place, material in
        Finding(
          at: place, "the trust settings in \(Wording.quoted(material.path)) are ignored",
          help: "'openssl x509 -in \(material.path)' prints the certificate without them.")
      }
    })

  private static func example(_ file: String) -> String {
    """
    version: 1
    keys:
      example-root: { file: keys/\(file) }
    """
  }
}
