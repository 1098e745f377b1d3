import Diagnostics
import OpenSSLKit
package import PinFormat
import PinRelease
import PinRotation

/// One thing that a change does, as people read it: a field of a policy and what becomes of it.
///
/// The text may hold what somebody wrote into a policy; anybody who shows it makes it harmless.
package struct ChangeLine: Hashable {
  /// The name in a policy.
  package var field: String
  package var text: String

  /// By its bytes: two texts that only look alike aren't told as one.
  package static func == (left: ChangeLine, right: ChangeLine) -> Bool {
    left.field == right.field && left.text.utf8.elementsEqual(right.text.utf8)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(Array(text.utf8)) }
}

/// How many details of a change to show.
package enum ChangeDetail {
  /// Pins and fingerprints cut to what tells them from others, the first of many names: for people who review.
  case brief
  /// All of it, since anybody who puts a signature under it can ask nobody what was left out.
  case whole
}

/// Changes of entries in words.
package struct ChangeWords {
  let certificates: CertificateSubjects
  let detail: ChangeDetail

  package init(certificates: CertificateSubjects, detail: ChangeDetail) {
    self.certificates = certificates
    self.detail = detail
  }

  /// The lines of a field that differs.
  func lines(_ change: EntryChange) -> [ChangeLine] {
    switch change.field {
    case .value(let field, let before, let after):
      // A date that is missing says more than `none`.
      let words = [before, after].map { field == .expires && $0 == .none ? "never" : $0.words }
      return [ChangeLine(field: field.rawValue, text: words.joined(separator: " -> "))]
    case .keys(let keys): return lines(keys)
    case .trust(let trust): return lines(trust)
    }
  }

  /// What ``KeySetWords`` leave out of an entry: its other fields, and its trust.
  func details(of entry: Manifest.HostEntry) -> [ChangeLine] {
    let others = EntryField.allCases.filter { !KeySetWords.fields.contains($0) && !entry[$0].items.isEmpty }
    return others.map { ChangeLine(field: $0.rawValue, text: entry[$0].words) } + trust(of: entry)
  }

  /// What differs of an entry that its changes don't tell: what changes nothing for clients, such as the name of its key
  /// set, and what a change of the mode hides.
  func others(from old: Manifest.HostEntry, to new: Manifest.HostEntry, besides told: [EntryChange]) -> [ChangeLine] {
    var fields: Set<EntryField> = []
    var trusts: Set<String> = []
    for change in told {
      switch change.field {
      case .value(let field, _, _): fields.insert(field)
      case .trust(let trust): trusts.insert(trust.field)
      case .keys: break
      }
    }
    let values = EntryField.allCases.filter { !fields.contains($0) && old[$0] != new[$0] }
      .map { ChangeLine(field: $0.rawValue, text: "\(old[$0].words) -> \(new[$0].words)") }
    let trust = TrustComparison(from: old.trust ?? Manifest.Trust(), to: new.trust ?? Manifest.Trust()).changes
    return values
      + trust.filter { change in
        guard case .trust(let trust) = change.field else { return false }
        return !trusts.contains(trust.field)
      }.flatMap(lines)
  }

  /// How an entry's trust evaluation differs from the system's.
  package func trust(of entry: Manifest.HostEntry) -> [ChangeLine] {
    TrustComparison(from: Manifest.Trust(), to: entry.trust ?? Manifest.Trust()).changes.flatMap(lines)
  }

  private func lines(_ keys: KeysChange) -> [ChangeLine] {
    func lines(_ keys: [Manifest.Key], _ words: (Manifest.Key) -> String) -> [ChangeLine] {
      keys.map { ChangeLine(field: "keys", text: words($0)) }
    }
    return lines(keys.removed) { "- \(name($0))" } + lines(keys.added) { "+ \(name($0))" }
      + lines(keys.repositioned) { key in
        "\(name(key)) may stand \(key.position == nil ? "anywhere" : "only there") now"
      }
      + lines(keys.activated) { "\(name($0)) is active now, was a backup" }
      + lines(keys.retired) { "\(name($0)) is a backup now, was active" }
  }

  private func lines(_ trust: TrustChange) -> [ChangeLine] {
    let field = "trust " + trust.field
    let before = trust.before.map(certificates.named)
    let after = trust.after.map(certificates.named)
    guard before.count + after.count > 2 || trust.field == "exceptions" else {
      return [ChangeLine(field: field, text: "\(Self.list(before)) -> \(Self.list(after))")]
    }
    return before.filter { !after.contains($0) }.map { ChangeLine(field: field, text: "- " + $0) }
      + after.filter { !before.contains($0) }.map { ChangeLine(field: field, text: "+ " + $0) }
  }

  private static func list(_ items: [String]) -> String { items.isEmpty ? "none" : items.joined(separator: ", ") }

  /// A key by its name, its pin and its position: `a (sha256/C5+lpZ7t…, root)`.
  func name(_ key: Manifest.Key) -> String {
    let position = key.position.map { ", " + $0.rawValue } ?? ""
    let pin = key.pin.description
    return "\(key.name) (\(detail == .whole ? pin : pin.prefix(15) + "…")\(position))"
  }
}

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

  /// The text with each fingerprint cut if it should be brief, and followed by the certificate's subject if known.
  package func named(_ text: String) -> String {
    text.split(separator: " ", omittingEmptySubsequences: false).map { word in
      guard word.hasPrefix(Self.mark), word.utf8.count == Self.mark.utf8.count + 64 else { return String(word) }
      let subject = subjects[String(word)].map { " (\($0))" } ?? ""
      return (detail == .whole ? String(word) : word.prefix(Self.mark.utf8.count + Self.shown) + "…") + subject
    }.joined(separator: " ")
  }
}
