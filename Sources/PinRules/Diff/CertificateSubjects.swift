import OpenSSLKit
package import PinFormat

/// What certificates are called that trust customisations name by fingerprint.
package struct CertificateSubjects {
  /// Subjects by the fingerprint as a change writes it.
  private var subjects: [String: String] = [:]

  private let detail: ChangeDetail

  private static let mark = "sha256:"
  /// Characters of a fingerprint, enough to tell it from others.
  private static let shown = 16

  /// Takes the certificates that manifests hold.
  package init(of manifests: [Manifest], _ detail: ChangeDetail) {
    self.detail = detail
    for certificate in manifests.flatMap(\.certificates) {
      guard let parsed = try? Certificate(der: certificate.der) else { continue }
      subjects[Self.mark + certificate.fingerprint.hex] = parsed.subject
    }
  }

  /// The text with each fingerprint cut where it is told in brief, and the certificate's subject behind it where that is known.
  func named(_ text: String) -> String {
    text.split(separator: " ", omittingEmptySubsequences: false).map { word in
      guard word.hasPrefix(Self.mark), word.utf8.count == Self.mark.utf8.count + 64 else { return String(word) }
      let subject = subjects[String(word)].map { " (\($0))" } ?? ""
      return (detail == .whole ? String(word) : word.prefix(Self.mark.utf8.count + Self.shown) + "…") + subject
    }.joined(separator: " ")
  }
}
