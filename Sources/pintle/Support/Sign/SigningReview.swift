import Diagnostics
import PinFormat
import PinPolicy
import PinRotation
import PinRules

/// What somebody is shown before they sign: all that clients would be told, against the last release.
///
/// Every text in it is the builder's, so all of it is made visible; and nothing is left out, however long it is.
struct SigningReview {
  /// What the manifest is compared with.
  enum Comparison {
    /// It says that it is the first release.
    case first
    /// Nothing, though there is a release before it: anybody who signs asked for that.
    case unasked
    case release(Succession)
  }

  let file: SignableManifest
  let comparison: Comparison
  let standings: SignatureStandings

  private var manifest: Manifest { file.manifest }

  func text() -> String {
    [heading() + "\n", ManifestText(manifest: manifest).head() + digest(), warning(), changes(), standings.text()]
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

  /// What two people who sign can read to each other.
  private func digest() -> String { "signed bytes    sha256:\(file.digest.hex)\n" }

  private func warning() -> String {
    manifest.drasticChange == nil
      ? "" : "DRASTIC CHANGE: clients activate it although it pins far less, or blocks servers that they know\n"
  }

  private func changes() -> String {
    switch comparison {
    case .first, .unasked: return ManifestText(manifest: manifest).body() + trust()
    case .release(.again): return ""
    case .release(.after(let release, _)):
      let before = release.manifest
      let changes = ManifestChanges(from: before, to: manifest)
      let groups = ChangeGroup.all(of: changes, from: before, to: manifest, detail: .whole)
      let text = ChangeText(groups: groups, most: (groups: .max, subjects: .max)).text()
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
      for line in words.details(of: entry) where line.field != "report-uris" {
        table.add(VisibleText.of(line.field), VisibleText.of(line.text))
      }
      return "  \(VisibleText.of(entry.label))\n" + table.text(indent: 4)
    }
    return entries.isEmpty ? "" : "\ntrust of entries\n" + entries.joined()
  }
}
