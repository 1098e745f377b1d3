import Diagnostics
import PinFormat
import PinPolicy
package import PinRelease
import PinRotation
import PinStudies

/// What somebody is shown before they sign: all that clients would be told, against the last release.
///
/// Every text in it is the builder's, so all of it is made visible; and nothing is left out, however long it is.
package struct SigningReview {
  package let file: SignableManifest
  package let comparison: SigningCeremony.Comparison
  /// Nil if there is no release before it.
  package let verdict: ReleaseVerdict?
  /// Why its builder says that it should be released although it isn't safe.
  package let whyUnsafe: String?
  package let standings: SignatureStandings
  /// What the manifest says of itself, and of its hosts and keys.
  package let head: String
  package let body: String

  package init(
    file: SignableManifest, comparison: SigningCeremony.Comparison, verdict: ReleaseVerdict?,
    standings: SignatureStandings, whyUnsafe: String?, head: String, body: String
  ) {
    self.file = file
    self.comparison = comparison
    self.verdict = verdict
    self.standings = standings
    self.whyUnsafe = whyUnsafe
    self.head = head
    self.body = body
  }

  private var manifest: Manifest { file.manifest }

  package func text() -> String {
    [heading() + "\n", judgement(), head + digest(), warning(), changes(), standings.text()]
      .filter { !$0.isEmpty }.joined(separator: "\n")
  }

  /// `to be signed: production serial 8, after serial 7 of …: 42 host entries, 1 changed`.
  private func heading() -> String {
    let subject = "to be signed: \(VisibleText.of(manifest.audience)) serial \(manifest.serial)"
    let hosts = counted(manifest.hosts.count, "host entry", plural: "host entries")
    switch comparison {
    case .first: return subject + ", which says that it is the first release: \(hosts)"
    case .unasked: return subject + ", compared with nothing: \(hosts)"
    case .release(.again(let release)):
      return subject + ", which is released already with these signed bytes, issued \(release.issued)"
    case .release(.after(let release, let isNext)):
      let gap = isNext ? "" : ", which is NOT the release before it"
      let changes = ManifestChanges(from: release.manifest, to: manifest)
      return subject + ", compared with \(release.name) of \(release.issued)\(gap): \(changes.counts)"
    }
  }

  /// Whether it is safe, before everything else, and why it is released if it isn't.
  private func judgement() -> String {
    let verdict = self.verdict.map { VisibleText.of($0.headline) + "\n" + $0.errors() } ?? ""
    return verdict + (whyUnsafe.map { "\(EventDraft.unsafeTitle): \(VisibleText.of($0))\n" } ?? "")
  }

  /// What two people who sign can read to each other.
  private func digest() -> String { "signed bytes    sha256:\(file.digest.hex)\n" }

  private func warning() -> String {
    manifest.drasticChange == nil
      ? "" : "DRASTIC CHANGE: clients activate it although it pins far less, or blocks servers that they know\n"
  }

  private func changes() -> String {
    switch comparison {
    case .first, .unasked: return body + trust()
    case .release(.again): return ""
    case .release(.after(let release, _)):
      let before = release.manifest
      let changes = ManifestChanges(from: before, to: manifest)
      let groups = ChangeGroup.all(of: changes, from: before, to: manifest, detail: .whole)
      let text = ChangeText(
        groups: groups, check: verdict?.check ?? .none, most: (groups: .max, subjects: .max)
      ).text()
      let keys = KeyTableChanges(from: before, to: manifest).text()
      guard !text.isEmpty || !keys.isEmpty else { return "nothing changes for clients but the dates\n" }
      return [text, keys].filter { !$0.isEmpty }.joined(separator: "\n")
    }
  }

  /// What each entry's own trust is, which the table of hosts has in a few words.
  private func trust() -> String {
    let words = ChangeWords(certificates: CertificateSubjects(of: [manifest], .whole), detail: .whole)
    let entries = manifest.hosts.filter { $0.trust != nil }.map { entry in
      var table = Table()
      for line in words.trust(of: entry) {
        table.add(VisibleText.of(line.field), VisibleText.of(line.text))
      }
      return "  \(VisibleText.of(entry.label))\n" + table.text(indent: 4)
    }
    return entries.isEmpty ? "" : "\ntrust of entries\n" + entries.joined()
  }
}

/// What two manifests call their keys, and why they deny them: what a comparison of hosts, which goes by pins, leaves
/// out.
struct KeyTableChanges {
  /// One line each: what goes, what comes, and what a name stands for now.
  let lines: [String]

  init(from before: Manifest, to after: Manifest) {
    let old = Dictionary(before.keys.map { ($0.name, $0) }) { first, _ in first }
    let new = Dictionary(after.keys.map { ($0.name, $0) }) { first, _ in first }
    var lines = before.keys.filter { new[$0.name] == nil }.map { "- " + Self.words($0) }
    lines += after.keys.filter { old[$0.name] == nil }.map { "+ " + Self.words($0) }
    for key in after.keys {
      guard let was = old[key.name], was != key else { continue }
      lines.append("- " + Self.words(was))
      lines.append("+ " + Self.words(key))
    }
    self.lines = lines
  }

  /// `api-2027 (sha256/…, leaf)`, with the reason of a key that is denied.
  private static func words(_ key: Manifest.Key) -> String {
    let position = key.position.map { ", " + $0.rawValue } ?? ""
    let denied = key.denied.map { ", denied: " + $0 } ?? ""
    return VisibleText.of("\(key.name) (\(key.pin)\(position))\(denied)")
  }

  func text() -> String {
    lines.isEmpty ? "" : "keys of the manifest\n" + lines.map { "  " + $0 + "\n" }.joined()
  }
}
