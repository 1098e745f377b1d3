import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinProbe
import PinRelease
import PinValidator

extension WhyInquiry {
  /// What the servers presented before, as far as a record says.
  private var earlier: (leaf: CertificateRecord, observed: Instant)? {
    guard let before = question.before else { return nil }
    let target = before.targets.first { $0.host.text == question.host && $0.port == question.port }
    let visits = target?.addresses.flatMap(\.visits) ?? []
    // The same key type as now: a server may have one certificate for each.
    let kind = view?.chain.first.flatMap(Self.certificate)?.key.prefix(2)
    var leaves: [(leaf: CertificateRecord, observed: Instant)] = []
    for visit in visits {
      guard let digest = visit.served?.chain.first, let leaf = Self.record(digest, in: before) else { continue }
      leaves.append((leaf, visit.observed))
    }
    return leaves.first { $0.leaf.key.prefix(2) == kind } ?? leaves.first
  }

  private static func record(_ digest: SHA256Digest, in evidence: Evidence) -> CertificateRecord? {
    evidence.certificates.first { $0.fingerprint == digest }.flatMap { certificate($0.der) }
  }

  static func certificate(_ der: [UInt8]) -> CertificateRecord? {
    (try? Certificate(der: der)).map { CertificateRecord($0) }
  }

  /// What is other than in the earlier record, and than in the earlier release.
  mutating func findChanges() {
    if why.cause == .release, let newest,
      let older = question.releases.dropLast().last(where: { release in
        why.affected.contains { $0.release == release.name && !$0.isBlocked }
      })
    {
      let pins = Set(view.map { $0.chain.compactMap { Self.certificate($0)?.pin } } ?? [])
      let kept = Set(newest.manifest.keys.map(\.pin))
      for key in older.manifest.keys where pins.contains(key.pin) && !kept.contains(key.pin) {
        why.changes.append("\(newest.name) no longer has the key '\(key.name)', which the server presents")
      }
      if why.changes.isEmpty {
        why.changes.append("\(newest.name) of \(newest.issued) has another entry or key set for the host")
      }
      return
    }
    guard question.before != nil else {
      if view != nil, [.mismatch, .deniedKey, .untrusted].contains(why.cause) {
        why.notes.append(
          "What did the server present before? Pass --before FILE, an earlier record of 'pintle probe --record FILE'."
        )
      }
      return
    }
    guard let earlier, let now = view?.chain.first.flatMap(Self.certificate) else {
      why.notes.append("The record of --before shows nothing of \(question.label).")
      return
    }
    if earlier.leaf.fingerprint == now.fingerprint {
      why.changes.append("nothing: the server presented the same certificate at \(earlier.observed)")
      return
    }
    let old = earlier.leaf.pin.map { names[$0].map { "'\($0)' " } ?? "" } ?? ""
    if earlier.leaf.pin == now.pin {
      why.changes.append("another certificate of the same key since \(earlier.observed)")
    } else {
      let pin = earlier.leaf.pin?.description ?? "unreadable"
      why.changes.append("the leaf's key; at \(earlier.observed) it was \(old)\(pin)")
    }
    if earlier.leaf.issuer != now.issuer {
      why.changes.append("the issuer; it was \(VisibleText.of(earlier.leaf.issuer))")
    }
    if Set(earlier.leaf.names) != Set(now.names) {
      why.changes.append("the names; they were \(VisibleText.of(earlier.leaf.names.joined(separator: ", ")))")
    }
  }

  /// What speaks for an attack, and what for a renewal.
  mutating func weigh() {
    guard let decision, let served = view?.chain, let now = served.first.flatMap(Self.certificate) else { return }
    var signs: [Why.Sign] = []
    func add(_ kind: Why.Assessment, _ text: String) { signs.append(Why.Sign(speaksFor: kind, text: text)) }
    // Nobody who copies a certificate can end a handshake with it.
    let hasSameKey = view?.provesKey == true && earlier.map { $0.leaf.pin != nil && $0.leaf.pin == now.pin } ?? false
    if hasSameKey, let earlier { add(.renewal, "the server has the same private key as at \(earlier.observed)") }
    var onlyIfStolen = 0
    if let failure = decision.failures.first {
      let (kind, text) = Self.sign(of: failure.code, now)
      if hasSameKey, [.selfSigned, .unknownIssuer].contains(failure.code) {
        onlyIfStolen += 1
        add(
          kind, "no authority that clients trust issued it; with this key, that is an attack only if the key was stolen"
        )
      } else {
        add(kind, text)
      }
    } else if let root = decision.chain?.certificates.last.flatMap(Self.certificate) {
      add(.renewal, "the chain is valid for the host, up to '\(VisibleText.of(root.subject))', which clients trust")
    }
    if case .block(.deniedKey, _) = decision.verdict {
      add(.attack, "somebody has said before that this key must not be trusted")
    } else if let name = now.pin.flatMap({ names[$0] }) {
      add(.renewal, "your releases know the leaf's key: '\(name)'")
    }
    if let earlier {
      if earlier.leaf.issuer == now.issuer {
        add(.renewal, "the issuer is the same as at \(earlier.observed): \(VisibleText.of(now.issuer))")
      } else if hasSameKey {
        onlyIfStolen += 1
        add(.attack, "another authority issued it: \(VisibleText.of(now.issuer)); an attack only if the key was stolen")
      } else {
        add(.attack, "another authority issued it: \(VisibleText.of(now.issuer))")
      }
      if let end = earlier.leaf.notAfter, earlier.leaf.pin != now.pin {
        let days = end.seconds(since: question.instant) / 86_400
        if days <= 45 {
          add(.renewal, "the previous certificate was due: it ends at \(end)")
        } else {
          add(.unclear, "the previous certificate was still valid for \(days) days, so nobody had to renew it yet")
        }
      }
    }
    if let begin = now.notBefore {
      let days = question.instant.seconds(since: begin) / 86_400
      if (0...7).contains(days) { add(.unclear, "the certificate is new: valid from \(begin)") }
    }
    why.signs = signs
    why.hasSameKey = hasSameKey
    func count(_ kind: Why.Assessment) -> Int { signs.count { $0.speaksFor == kind } }
    why.assessment =
      count(.attack) > onlyIfStolen ? .attack : hasSameKey || count(.renewal) >= 2 ? .renewal : .unclear
  }

  /// What a failure of trust evaluation speaks for.
  private static func sign(of code: TrustFailure.Code, _ leaf: CertificateRecord) -> (Why.Assessment, String) {
    if code == .expired || code == .notYetValid {
      return (.unclear, "the certificate's dates are wrong: the usual mistake, or a wrong clock")
    }
    if code == .missingIntermediate {
      return (.unclear, "an intermediate is missing: the usual mistake of a new configuration")
    }
    if code == .nameMismatch {
      let names = VisibleText.of(leaf.names.prefix(3).joined(separator: ", "))
      return (.unclear, "the certificate is for \(names): often a wrong address")
    }
    if code == .selfSigned {
      return (.attack, "the certificate is self-signed: an attacker can make one, and so can a default configuration")
    }
    if [.unknownIssuer, .badSignature, .wrongCertificate, .rejected].contains(code) {
      return (
        .attack, "no authority that clients trust issued it: an attacker or an intercepting proxy can make such a chain"
      )
    }
    return (.unclear, "the chain isn't valid")
  }
}
