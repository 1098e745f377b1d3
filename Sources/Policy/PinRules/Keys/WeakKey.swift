import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy

extension Rule {
  /// A key that trust evaluation refuses, whatever the pins say.
  static let weakKey = Rule(
    code: "P321",
    name: "weak-key",
    severity: .error,
    title: "A key, or the signature on its certificate, is too weak to be accepted.",
    rationale: """
      Trust evaluation comes before pins, and it rejects RSA keys of less than 2048 bits, curves of less than 256 bits,
      and certificates signed with SHA-1 or MD5, other than the anchor itself. A pin on such a key can never match, so a
      host that has to rely on it is locked out. An entry can require more than these minimums; its own keys must meet
      them, too.
      """,
    failing: Example(
      """
      version: 1
      keys:
        api: { file: keys/weak-rsa.pem }
      """),
    passing: Example(
      """
      version: 1
      keys:
        api: { file: keys/strong-rsa.pem }
      """),
    citation: "NIST SP 800-57 Part 1 Rev. 5, section 5.6.1; NIST SP 800-131A Rev. 2, section 9",
    check: .policy { input in weakKeys(input) + keysBelowOwnMinimum(input) })
}

private func weakKeys(_ input: CheckInput) -> [Finding] {
  // Denying a weak key is a good reason to have it in the policy.
  input.keyFacts.keys(with: .hasFile, without: .isDenied).compactMap { index in
    let key = input.policy.keys[index]
    guard let material = key.material else { return nil }
    if let size = material.algorithm.size(belowRSA: MinimumStrength.rsaBits, ec: MinimumStrength.ecBits) {
      return Finding(
        at: key.sourcePlace, "key '\(key.name.value)' is too weak: \(size)",
        help: "Make a new key, RSA of at least 2048 bits or P-256, and pin that.")
    }
    guard let certificate = material.certificate, !certificate.isSelfIssued, let digest = certificate.signatureDigest,
      ["MD5", "SHA1"].contains(digest.uppercased().filter { $0 != "-" })
    else { return nil }
    return Finding(
      at: key.sourcePlace, "the certificate of key '\(key.name.value)' is signed with \(digest)",
      help: "Use a certificate of this key that is signed with SHA-256 or better; if there is none, pin another key.",
      severity: .warning)
  }
}

private func keysBelowOwnMinimum(_ input: CheckInput) -> [Finding] {
  let policy = input.policy
  return input.hostsWithTrust.compactMap { index in
    let host = policy.hosts[index]
    guard host.mode.value != .off, let trust = host.trust, let set = host.keySet?.value else { return nil }
    let rsa = trust.minimumRSABits
    let ec = trust.minimumECBits
    if rsa == nil, ec == nil { return nil }
    func algorithm(_ member: Policy.KeySet.Member) -> KeyAlgorithm? {
      policy.keys[member.key].pin.flatMap { input.knownKeys.algorithm(of: $0) }
    }
    let weak = policy.keySets[set].members.filter { member in
      guard let algorithm = algorithm(member) else { return false }
      return algorithm.size(belowRSA: MinimumStrength.rsaBits, ec: MinimumStrength.ecBits) == nil
        && algorithm.size(belowRSA: rsa?.value ?? 0, ec: ec?.value ?? 0) != nil
    }
    guard let first = weak.first, let algorithm = algorithm(first),
      let size = algorithm.size(belowRSA: rsa?.value ?? 0, ec: ec?.value ?? 0),
      let place = algorithm.isRSA ? rsa?.place : ec?.place
    else { return nil }
    let others = weak.count > 1 ? "; so \(weak.count == 2 ? "is" : "are") \(weak.count - 1) more of its keys" : ""
    return Finding(
      at: first.place,
      "key '\(policy.keys[first.key].name.value)' is weaker than '\(host.label)' asks for: \(size)\(others)",
      related: [Diagnostic.Related("'\(host.label)' asks for it here", at: place)],
      help: "Lower the minimum of the entry, or give it keys that reach it.")
  }
}

extension KeyAlgorithm {
  fileprivate var isRSA: Bool {
    switch self {
    case .rsa, .rsaPSS: true
    default: false
    }
  }

  /// The key's size in words where it is below a minimum, or nil.
  fileprivate func size(belowRSA rsa: Int, ec: Int) -> String? {
    switch self {
    case .rsa(let bits) where bits < rsa, .rsaPSS(let bits) where bits < rsa:
      "RSA of \(bits) bits, where \(rsa) are needed"
    case .ec(let bits, let curve) where bits < ec: "\(curve) of \(bits) bits, where \(ec) are needed"
    // What the validator counts them as.
    case .ed25519 where ec > 256: "Ed25519 counts as 256 bits, where \(ec) are needed"
    case .ed448 where ec > 448: "Ed448 has 448 bits, where \(ec) are needed"
    default: nil
    }
  }
}
