import OpenSSLKit
import PinFormat
import PinPolicy
import PinProbe
import PinRotation

/// Whether one chain may end at anchors of two releases, as far as certificates are known.
///
/// Keys and names are linked as certificates of authorities link them; signatures aren't verified, because a link too
/// many only leaves a message out.
struct AnchorLinks {
  private var links: [String: [String]] = [:]
  private var nodes: [String: [String]] = [:]

  init(_ facts: RotationFacts) {
    let policy = facts.policy
    let files = policy.keyCertificates.map { Manifest.Certificate(fingerprint: $0.key, der: $0.value) }
    for known in facts.rotation.newest.certificates + policy.certificates + files {
      guard let certificate = try? Certificate(der: known.der), let digest = try? certificate.publicKeyDigest() else {
        continue
      }
      add(
        known.fingerprint, Pin(SHA256Digest(digest)), certificate.subject, certificate.issuer,
        isCA: certificate.isCA)
    }
    for record in facts.input.live?.assessment.certificates.values ?? [:].values {
      guard let pin = record.pin else { continue }
      add(record.fingerprint, pin, record.subject, record.issuer, isCA: record.isCA)
    }
  }

  private mutating func add(
    _ fingerprint: SHA256Digest, _ pin: Pin, _ subject: String, _ issuer: String, isCA: Bool
  ) {
    let own = [pin.description, "name " + subject, "name " + issuer]
    guard nodes.updateValue(own, forKey: "sha256:" + fingerprint.hex) == nil, isCA else { return }
    for (one, other) in zip(own, own.dropFirst()) {
      links[one, default: []].append(other)
      links[other, default: []].append(one)
    }
  }

  /// Whether nothing known leads from the anchors of before to those of after, so that a server's chain that clients of
  /// one release accept is rejected by those of the other.
  func separate(_ change: TrustChange) -> Bool {
    guard change.field == "anchors", !(change.before + change.after).contains("system") else { return false }
    let (before, after) = (change.before.compactMap { nodes[$0] }, change.after.compactMap { nodes[$0] })
    // What isn't known may be linked.
    guard before.count == change.before.count, after.count == change.after.count else { return false }
    var open = before.flatMap(\.self)
    var seen = Set(open)
    while let node = open.popLast() {
      for next in links[node] ?? [] where seen.insert(next).inserted { open.append(next) }
    }
    return seen.isDisjoint(with: after.joined())
  }
}
