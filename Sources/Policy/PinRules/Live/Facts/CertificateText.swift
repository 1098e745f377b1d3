import Diagnostics
import PinFormat
import PinPolicy
package import PinProbe

/// Certificates as messages name them.
///
/// What is written in one is the server's text, so it is cut and made visible.
package enum CertificateText {
  /// The common name, else the subject, else the beginning of the fingerprint; without quotes.
  package static func name(_ record: CertificateRecord) -> String {
    if let name = record.commonName, !name.isEmpty { return shown(name) }
    return record.subject.isEmpty ? short(record.fingerprint) : shown(record.subject)
  }

  /// `sha256:1a2b3c4d…`.
  static func short(_ fingerprint: SHA256Digest) -> String { "sha256:\(fingerprint.hex.prefix(8))…" }

  /// A text from a server without quotes around it: cut where it is long, and with all of it to be seen.
  static func shown(_ text: String, most: Int = 64) -> String {
    let cut = text.unicodeScalars.count > most
    return VisibleText.of(String(String.UnicodeScalarView(text.unicodeScalars.prefix(most)))) + (cut ? "…" : "")
  }

  /// The common name in an RFC 4514 text, or all of it where there is none.
  static func name(in distinguishedName: String) -> String {
    shown(CertificateSubject(distinguishedName).first("CN") ?? distinguishedName)
  }

  /// What a path calls its certificate: `certificate`, `intermediate 'X'`, `root 'X'`.
  static func role(_ place: Int, of chain: [SHA256Digest], _ record: CertificateRecord?) -> String {
    guard place > 0 else { return "certificate" }
    let isLast = place == chain.count - 1 && (record?.isSelfSigned ?? false)
    let title = record.map { " '\(name($0))'" } ?? ""
    return (isLast ? "root" : "intermediate") + title
  }
}

extension CertificateRecord {
  /// Which names it has in place of the one that a client asks for, in a clause.
  package func coverage(of asked: String) -> String {
    if names.isEmpty, !uris.isEmpty {
      return
        "its only names are URIs: \(Wording.list(uris.map { CertificateText.shown($0) })). A server is accepted by a DNS "
        + "name or an address"
    }
    if names.isEmpty {
      let common = commonName.map { ": the common name '\(CertificateText.shown($0))' doesn't count" } ?? ""
      return "it names no host in its Subject Alternative Name\(common)"
    }
    // The same text in a name of the other kind: an address isn't found among DNS names.
    if names.contains(asked) { return "it has '\(asked)' as a DNS name, but not as an iPAddress" }
    return "it covers \(Wording.list(names.map { CertificateText.shown($0) }))"
  }
}

extension LiveFacts {
  func record(_ fingerprint: SHA256Digest?) -> CertificateRecord? {
    fingerprint.flatMap { assessment.certificates[$0] }
  }

  /// A certificate by name, where its record is there.
  func name(_ fingerprint: SHA256Digest) -> String {
    record(fingerprint).map { CertificateText.name($0) } ?? CertificateText.short(fingerprint)
  }
}
