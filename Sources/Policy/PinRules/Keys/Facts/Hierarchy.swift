import PinPolicy

/// Which of the policy's certificates issued which, by key identifiers or, where there are none, by names
/// (RFC 5280 sections 4.2.1.1, 4.2.1.2 and 4.1.2.4).
///
/// A hint between honest files, not a validated path.
struct Hierarchy: Sendable {
  private let keys: [Policy.Key]
  private var keysWithIdentifier: [[UInt8]: [Int]] = [:]
  private var keysWithSubject: [String: [Int]] = [:]

  init(_ policy: Policy, _ facts: KeyFacts) {
    keys = policy.keys
    for index in facts.keys(with: .isCA) {
      guard let material = keys[index].material, let certificate = material.certificate else { continue }
      if let identifier = certificate.subjectKeyIdentifier { keysWithIdentifier[identifier, default: []].append(index) }
      if let subject = material.subject { keysWithSubject[subject, default: []].append(index) }
    }
  }

  /// The keys of the policy that issued a key's certificate; empty for a root and for what isn't known.
  func issuers(of key: Int) -> [Int] {
    guard let certificate = keys[key].material?.certificate, !certificate.isSelfIssued else { return [] }
    if let identifier = certificate.authorityKeyIdentifier { return keysWithIdentifier[identifier] ?? [] }
    return keysWithSubject[certificate.issuer] ?? []
  }

  /// True where the certificates of two keys name one issuer.
  func haveOneIssuer(_ left: Int, _ right: Int) -> Bool {
    guard let left = keys[left].material?.certificate, let right = keys[right].material?.certificate else {
      return false
    }
    if let one = left.authorityKeyIdentifier, let other = right.authorityKeyIdentifier { return one == other }
    return left.issuer == right.issuer
  }

  /// The keys above a key, as far up as the policy's files lead.
  func ancestors(of key: Int) -> Set<Int> {
    var found: Set<Int> = []
    var next = issuers(of: key)
    while let current = next.popLast() {
      if found.insert(current).inserted { next += issuers(of: current) }
    }
    return found
  }

  /// True where a key is another CA key than a given one.
  func isOtherCA(_ key: Int, than other: Int) -> Bool {
    keys[key].material?.certificate?.isCA == true && keys[key].pin != keys[other].pin
  }

  /// True where a key's certificate is self-signed and a given one's is another certificate of that key.
  func isRoot(_ key: Int, ofSameKeyAs other: Int) -> Bool {
    keys[key].material?.certificate?.isSelfIssued == true && keys[key].pin == keys[other].pin
  }

  /// The organisation at the top of a CA certificate, as far up as the policy's files lead; nil for any other key.
  func organization(above key: Int) -> String? {
    guard keys[key].material?.certificate?.isCA == true else { return nil }
    var current = key
    var seen: Set<Int> = [key]
    // Two CAs may have certified each other: don't follow them forever.
    while let issuer = issuers(of: current).first, seen.insert(issuer).inserted { current = issuer }
    guard let certificate = keys[current].material?.certificate else { return nil }
    return CertificateSubject(certificate.issuer).first("O") ?? certificate.issuer
  }
}
