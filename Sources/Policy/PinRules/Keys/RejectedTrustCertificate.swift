import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinProbe
package import PinValidator

extension Rule {
  /// A certificate of `trust` with which clients accept no chain.
  static let rejectedTrustCertificate = Rule(
    code: "P331",
    name: "rejected-trust-certificate",
    severity: .error,
    title: "Clients reject every chain that uses a certificate from `trust`.",
    rationale: """
      `check` runs the validator that clients run. Can this anchor or intermediate issue a certificate for the host that
      clients accept? Do they accept the one of `certificate:`? If not, each connection that relies on it fails, in
      `report-only` too. The format of an anchor isn't checked, only its restrictions are. The format of an intermediate
      is checked. Each name in `probe:` is checked like the host.

      It is a warning if the entry names another certificate that clients accept, or the system's anchors, and if the
      certificate becomes valid within a day: then release after that.

      A certificate that ends while clients may still use this release (`client-max-age`) is reported as well, if the entry
      names no other one. Of an anchor and of `certificate:` the clients have exactly these bytes, so no renewal helps.
      """,
    failing: Example(example(intermediate: "sha1-intermediate")),
    passing: Example(example(intermediate: "example-intermediate")),
    citation: "docs/validation.md#anchors",
    check: .policy { input in input.trustFaults.compactMap { finding($0, input) } })

  private static func example(intermediate: String) -> String {
    """
    version: 1
    keys:
      example-root: { file: keys/example-root.pem }
      api-spare: { file: keys/api-spare.csr }
    hosts:
      - host: api.example.com
        keys: { active: [example-root], backup: [api-spare] }
        trust:
          anchors: [keys/example-root.pem]
          intermediates: [keys/\(intermediate).pem]
          reason: issued by our own CA, whose servers leave the intermediate out
    """
  }
}

private func finding(_ fault: TrustFault, _ input: CheckInput) -> Finding? {
  guard case .rejected(let failure) = fault.kind else { return nil }
  let hosts = fault.hosts(in: input.policy)
  if fault.isUnexamined(failure) {
    let isAnchor = fault.role != .intermediate
    let isReported = fault.certificate.flatMap { input.knownKeys.unverified($0, isAnchor: isAnchor) } != nil
    return isReported || fault.isLater ? nil : fault.unexamined(fault.name, failure)
  }
  guard !fault.isLater else { return ending(fault, hosts, input) }
  return Finding(
    at: fault.place, "clients reject \(fault.name) for \(hosts): \(fault.clause(failure))", help: fault.help(failure),
    severity: fault.hasAlternative || isValidSoon(failure, fault, input.instant) ? .warning : nil)
}

/// A certificate that ends while clients may still use a release of now.
private func ending(_ fault: TrustFault, _ hosts: String, _ input: CheckInput) -> Finding {
  let end = fault.certificate?.certificate.map { " at \($0.notAfter)" } ?? ""
  let age = Wording.duration(input.policy.effectiveSettings.clientMaxAge)
  let help =
    switch fault.role {
    case .intermediate: "Add the certificate that replaces it to 'intermediates:', or have servers send that one."
    case .certificate:
      "Name it and the certificate that replaces it in 'anchors:', in place of 'certificate:', until the servers have the "
        + "new one."
    case .anchor, .key: "Add the certificate that replaces it to 'anchors:'."
    }
  // A new certificate for the same key helps only where servers can send it. A release that repairs something isn't stopped.
  let isMild = fault.role == .intermediate || !input.raisesAnnouncements
  return Finding(
    at: fault.place,
    "\(fault.name) expires\(end), and clients may use this release for \(hosts) for \(age): they then reject every "
      + "chain", help: help, severity: isMild ? .warning : nil)
}

/// Whether it takes less than a day until the certificate is valid.
private func isValidSoon(_ failure: TrustFailure, _ fault: TrustFault, _ instant: Instant) -> Bool {
  guard failure.code == .notYetValid, let begin = fault.certificate?.certificate?.notBefore else { return false }
  return begin < instant.adding(seconds: 86_400)
}

extension TrustFault {
  /// Whether only the libcrypto in use can't verify it, which says nothing of clients.
  package func isUnexamined(_ failure: TrustFailure) -> Bool {
    if failure.isOfThisLibrary { return true }
    // libcrypto says nothing more of a leaf's key that it can't read.
    guard failure.code == .other, case .mlDSA(let parameters) = certificate?.algorithm else { return false }
    return !parameters.isVerified
  }

  /// A certificate of which the libcrypto in use can't say what clients make of it.
  func unexamined(_ name: String, _ failure: TrustFailure) -> Finding {
    Finding(
      at: place, "\(name) could not be evaluated: \(failure.message)", help: TrustFailure.helpForThisLibrary,
      severity: .warning)
  }

  /// What is wrong, with the rule that says so.
  package func clause(_ failure: TrustFailure) -> String {
    switch failure.code {
    case .expired:
      let end = certificate?.certificate.map { "it expired at \($0.notAfter)" } ?? failure.message
      return end + " (RFC 5280 section 4.1.2.5)"
    case .notYetValid:
      let start = certificate?.certificate.map { "it is not valid before \($0.notBefore)" } ?? failure.message
      return start + " (RFC 5280 section 4.1.2.5)"
    case .notAnAuthority:
      return "its basicConstraints don't say CA:TRUE, or its keyUsage lacks keyCertSign "
        + "(RFC 5280 sections 4.2.1.9 and 4.2.1.3)"
    case .wrongUsage: return "its Extended Key Usage lacks serverAuth (RFC 5280 section 4.2.1.12)"
    case .pathTooLong:
      return "an authority above it allows fewer authorities below itself "
        + "(pathLenConstraint, RFC 5280 section 4.2.1.9)"
    case .nameConstraints: return "the name constraints above exclude the host (RFC 5280 section 4.2.1.10)"
    case .weakSignature where failure.certificate == 0: return "'signatures:' doesn't accept what its key can sign"
    case .badSignature: return "its signature isn't that of its issuer's key (RFC 5280 section 6.1.3)"
    case .nameMismatch: return "its subjectAltName doesn't cover the host (RFC 6125 section 6.4)"
    default: return failure.message
    }
  }

  func help(_ failure: TrustFailure) -> String {
    switch failure.code {
    case .expired: return "Name the certificate that has replaced it."
    case .notYetValid: return "Name a certificate that is valid now as well, or release after that time."
    case .wrongUsage:
      return
        "Reissue it for the same key, with serverAuth or without an Extended Key Usage; the key's pin stays the same."
    case .weakKey:
      return "Replace this certificate and its key, or excuse 'weak-key' for it in 'exceptions:' until a date."
    case .weakSignature where failure.certificate == 0:
      return "Add the family of its signatures to 'signatures:', or name another certificate."
    case .weakSignature: return "Reissue it for the same key, signed with SHA-256; the key's pin stays the same."
    case .pathTooLong:
      return "Name the intermediate in 'anchors:' in place of the authority above it, "
        + "or reissue that one with a longer path."
    case .nameConstraints: return "Name a certificate authority that may issue for this host."
    case .badSignature:
      return "Name the certificate that the CA in 'anchors:' issued, not another one of the same name."
    case .nameMismatch: return "Name the host in 'server-name:', or use 'certificate:' in place of 'anchors:'."
    case .malformed, .notAnAuthority:
      guard role != .certificate else { return "Have the server's certificate issued again, with another key." }
      return
        "Reissue it for the same key with 'basicConstraints = critical, CA:TRUE', 'keyUsage = critical, keyCertSign, "
        + "cRLSign', 'subjectKeyIdentifier = hash' and 'authorityKeyIdentifier = keyid'; the key's pin stays the same."
        + (role == .intermediate && failure.code == .malformed
          ? " Or name it in 'anchors:', where the format isn't checked." : "")
    default: return "Try the chain with 'pintle decide', which says more."
    }
  }
}
