import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinRelease

extension Rule {
  /// A trust exception that can't change any answer.
  static let exceptionUnused = Rule(
    code: "P408",
    name: "exception-unused",
    severity: .warning,
    title: "A trust exception can have no effect.",
    rationale: """
      An exception that excuses nothing helps nobody and looks like a hole: the certificate is valid as it
      is, another certificate is the only one accepted, or the check that it excuses isn't made. Often it names the wrong
      certificate, and the server that it was meant for is still blocked.
      """,
    failing: Example(
      """
      version: 1
      keys:
        example-root: { file: keys/example-root.pem }
        api: { file: keys/api.pem }
      hosts:
        - host: api.example.com
          keys: { active: [api], backup: [example-root] }
          trust:
            exceptions:
              - failure: expired
                certificate: keys/api.pem
                until: 2026-12-15
                reason: the renewal is late
      """),
    passing: Example(
      """
      version: 1
      keys:
        example-root: { file: keys/example-root.pem }
        legacy: { file: keys/legacy.pem }
      hosts:
        - host: legacy.example.com
          keys: { active: [legacy], backup: [example-root] }
          trust:
            exceptions:
              - failure: expired
                certificate: keys/legacy.pem
                until: 2026-12-15
                reason: the renewal is late
      """),
    citation: "Apple, TN2232, Trust Exceptions",
    check: .policy(unusedExceptions))
}

private func unusedExceptions(_ input: CheckInput) -> [Finding] {
  var names = KnownCertificateNames()
  return input.trustGroups.flatMap { group -> [Finding] in
    let host = input.policy.hosts[group[0]]
    guard let trust = host.trust else { return [] }
    return trust.exceptions.indices.compactMap { index in
      let exception = trust.exceptions[index]
      guard input.instant < exception.until.value else { return nil }
      let failure = exception.failure.value.rawValue
      let reason =
        reasonInEntry(exception, at: index, of: trust)
        ?? reasonInCertificate(exception, host, input.instant, &names)
      // An exception in 'defaults' is used if any entry needs it.
      guard let reason,
        group.dropFirst().allSatisfy({
          let other = input.policy.hosts[$0]
          return reasonInEntry(exception, at: index, of: trust) != nil
            || reasonInCertificate(exception, other, input.instant, &names) != nil
        })
      else { return nil }
      return Finding(
        at: exception.place, "the exception '\(failure)' of '\(host.label)' has no effect: \(reason)",
        help: "Remove it, or name the right failure and certificate.",
        fixes: input.deletingItem("the exception", at: exception.place, .suggested))
    }
  }
}

/// What the entry itself says against an exception.
private func reasonInEntry(_ exception: Policy.Trust.Exception, at index: Int, of trust: Policy.Trust) -> String? {
  if let only = trust.certificate?.value.certificate {
    if only.fingerprint != exception.certificate { return "the entry accepts another certificate only" }
    switch exception.failure.value {
    case .nameMismatch, .wrongUsage, .weakSignature:
      return "with one accepted certificate, this isn't checked"
    case .expired, .notYetValid, .weakKey: break
    }
  }
  let isCovered = trust.exceptions.indices.contains { other in
    let earlier = trust.exceptions[other]
    guard earlier.failure.value == exception.failure.value, earlier.certificate == exception.certificate else {
      return false
    }
    // If two exceptions excuse the same failure, the one that ends first applies.
    return (earlier.until.value, other) < (exception.until.value, index)
  }
  return isCovered ? "another one for the same failure ends first" : nil
}

/// What the certificate says against an exception: only what is certain, a usage isn't known here.
private func reasonInCertificate(
  _ exception: Policy.Trust.Exception, _ host: Policy.HostEntry, _ instant: Instant,
  _ names: inout KnownCertificateNames
) -> String? {
  guard let certificate = exception.material?.certificate else { return nil }
  switch exception.failure.value {
  case .expired where exception.until.value <= certificate.notAfter:
    return "the certificate is valid until \(certificate.notAfter)"
  case .notYetValid where certificate.notBefore <= instant:
    return "the certificate is valid since \(certificate.notBefore)"
  case .nameMismatch
  where !host.coversSubdomains && names[certificate].cover(host.trust?.serverName?.value ?? host.host):
    return "the certificate names the host"
  case .weakKey where exception.material.map { isStrong($0.algorithm, for: host) } ?? false:
    return "the certificate's key is strong enough"
  case .weakSignature where host.trust?.signatures.isEmpty ?? true:
    return isStrongDigest(certificate.signatureDigest) ? "the certificate's signature is strong enough" : nil
  default: return nil
  }
}

private func isStrong(_ algorithm: KeyAlgorithm, for host: Policy.HostEntry) -> Bool {
  switch algorithm {
  case .rsa(let bits), .rsaPSS(let bits): bits >= host.trust?.minimumRSABits?.value ?? MinimumStrength.rsaBits
  case .ec(let bits, _): bits >= host.trust?.minimumECBits?.value ?? MinimumStrength.ecBits
  case .ed25519, .ed448, .mlDSA: true
  case .other: false
  }
}

private func isStrongDigest(_ digest: String?) -> Bool {
  digest.map { ["SHA256", "SHA384", "SHA512"].contains($0) } ?? true
}
