import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinValidator

/// Who has to change what about the certificate that failed: its place in the path says so.
extension TrustTrouble {
  /// What to do; `leaf` where the certificate is the server's own.
  func remedy(leaf: String) -> String {
    if let leaveOut { return leaveOut }
    guard let place = failure.certificate, place > 0 else { return leaf }
    let name = record.map { "'\(CertificateText.name($0))'" } ?? "this certificate"
    if isRoot {
      return isOwnAnchor
        ? "Replace \(name) in this entry's 'anchors:'. Reissuing the server's certificate doesn't help."
        : "Have the server present a chain to another root. Reissuing its certificate under \(name) doesn't help."
    }
    guard isServed else {
      return "Replace \(name) where it comes from: this entry's 'intermediates:' or 'anchors:', or the trust store."
    }
    return
      "Have the server send its CA's current certificate of \(name) in place of this one. The server's own certificate "
      + "can stay if the CA's key is the same."
  }

  /// True where the certificate that failed is the root that the path ends in.
  var isRoot: Bool {
    failure.certificate.map { $0 > 0 && $0 == chain.count - 1 && record?.isSelfSigned ?? false } ?? false
  }

  /// True where the entry names the certificate that failed as its anchor.
  private var isOwnAnchor: Bool {
    failure.fingerprint.map { trust?.anchors.contains($0) ?? false } ?? false
  }

  /// What the server may stop sending, so that clients take a path that is valid; nil where that wouldn't do.
  var leaveOut: String? {
    var needless: [SHA256Digest] = []
    var valid: LiveTarget.Judged?
    for judged in judged {
      guard let (certificate, path) = wayRound(judged) else { return nil }
      if !needless.contains(certificate) { needless.append(certificate) }
      valid = valid ?? path
    }
    guard let end = valid?.path.chain.last, !needless.isEmpty, needless.count <= 2 else { return nil }
    let names = needless.map { fingerprint in
      let issuer = facts.record(fingerprint).map { ", issued by '\(CertificateText.name(in: $0.issuer))'" } ?? ""
      return "'\(facts.name(fingerprint))' (\(CertificateText.short(fingerprint))\(issuer))"
    }
    return "Have the server stop sending \(names.joined(separator: " and ")). Clients then take the path to "
      + "'\(facts.name(end))', which is valid; nothing has to be reissued."
  }

  /// A served certificate without which a path couldn't have been taken, and a valid path that does without it.
  private func wayRound(_ judged: LiveTarget.Judged) -> (SHA256Digest, LiveTarget.Judged)? {
    let served = target.served[judged.visit].report.chain
    for other in target.judged
    where other.visit == judged.visit && other.cell[.store] == judged.cell[.store] && other.path.failures.isEmpty {
      // Clients have the last certificate of a path themselves.
      let needless = judged.path.chain.dropFirst().dropLast().first {
        served.contains($0) && !other.path.chain.contains($0)
      }
      if let needless { return (needless, other) }
    }
    return nil
  }
}
