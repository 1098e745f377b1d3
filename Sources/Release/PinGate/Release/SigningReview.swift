package import Diagnostics
import PinFormat
import PinPolicy
package import PinRelease
import PinRotation
import PinStudies

/// What somebody is shown before they sign: all that clients would be told, against the last release.
///
/// Every text in it is the builder's, so all of it is made visible; and nothing is left out, however long it is. Entries
/// are shown as one only if all that is signed of them is the same, and each of them is named.
package struct SigningReview {
  package let file: SignableManifest
  package let comparison: SigningCeremony.Comparison
  /// Nil if there is no release before it.
  package let verdict: ReleaseVerdict?
  /// Why its builder says that it should be released although it isn't safe.
  package let whyUnsafe: String?
  package let standings: SignatureStandings
  /// Whether each entry is shown by itself.
  package let isFull: Bool

  package init(
    file: SignableManifest, comparison: SigningCeremony.Comparison, verdict: ReleaseVerdict?,
    standings: SignatureStandings, whyUnsafe: String?, isFull: Bool
  ) {
    self.file = file
    self.comparison = comparison
    self.verdict = verdict
    self.standings = standings
    self.whyUnsafe = whyUnsafe
    self.isFull = isFull
  }

  private var manifest: Manifest { file.manifest }

  /// - Throws: ``WorkFailure`` where it isn't complete, which only a mistake in this program can cause.
  package func text() throws(WorkFailure) -> String {
    let head = ManifestText(manifest: manifest).head()
    return [heading() + "\n", judgement(), head + digest(), warning(), try changes(), standings.text()]
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
    let owners = self.verdict?.owners() ?? ""
    return verdict + owners + (whyUnsafe.map { "\(EventDraft.unsafeTitle): \(VisibleText.of($0))\n" } ?? "")
  }

  /// What two people who sign can read to each other.
  private func digest() -> String { "signed bytes    sha256:\(file.digest.hex)\n" }

  private func warning() -> String {
    manifest.drasticChange == nil
      ? "" : "DRASTIC CHANGE: clients activate it although it pins far less, or blocks servers that they know\n"
  }

  private func changes() throws(WorkFailure) -> String {
    switch comparison {
    case .first, .unasked:
      let text = ManifestText(manifest: manifest, joins: !isFull)
      try Self.requireComplete(text.listedHosts, of: manifest.hosts.map(ManifestText.name))
      return text.body() + text.trustText()
    case .release(.again): return ""
    case .release(.after(let release, _)):
      let before = release.manifest
      let changes = ManifestChanges(from: before, to: manifest)
      var groups = ChangeGroup.all(of: changes, from: before, to: manifest, detail: .whole)
      if isFull { groups = groups.flatMap(\.each) }
      let listed = groups.filter(\.isOfEntries).flatMap { FoldedNames.names(in: ChangeText.lines(of: $0)) }
      try Self.requireComplete(listed, from: before, to: manifest)
      let text = ChangeText(groups: groups, check: verdict?.check ?? .none, isWhole: true).text()
      let tables = TableChanges(from: before, to: manifest).text()
      guard !text.isEmpty || !tables.isEmpty else { return "nothing changes for clients but the dates\n" }
      return [text, tables].filter { !$0.isEmpty }.joined(separator: "\n")
    }
  }

  /// Requires that each entry was listed once that isn't in both manifests with the same signed values.
  static func requireComplete(
    _ listed: [String], from before: Manifest, to after: Manifest
  ) throws(WorkFailure) {
    let (old, new) = (SignedEntries(before.hosts, in: after), SignedEntries(after.hosts, in: after))
    let names = Set(listed)
    let known = Set(before.hosts.map(\.label)).union(after.hosts.map(\.label))
    let changed = known.filter { old[$0] != new[$0] || names.contains($0) }
    try requireComplete(listed, of: Array(changed))
  }

  static func requireComplete(_ listed: [String], of entries: [String]) throws(WorkFailure) {
    guard listed.sorted() != entries.sorted() else { return }
    throw WorkFailure(
      .failed, "not signed: \(entries.count) entries must be shown, and what is shown has \(listed.count)",
      help: "This is a mistake in pintle: report it. '--full' shows each entry by itself.")
  }
}

extension ChangeGroup {
  /// A change for each subject.
  fileprivate var each: [ChangeGroup] {
    guard isOfEntries else { return [self] }
    return subjects.map { subject in
      var change = self
      change.subjects = [subject]
      return change
    }
  }
}

/// What is signed of each entry, apart from its host and port, by its label.
struct SignedEntries {
  private var bytes: [String: [UInt8]] = [:]

  /// All entries that are compared are written into the same manifest.
  init(_ entries: [Manifest.HostEntry], in frame: Manifest) {
    guard let host = (frame.hosts.first ?? entries.first)?.host else { return }
    var alone = frame
    (alone.keys, alone.keySets, alone.certificates) = ([], [], [])
    for entry in entries {
      var terms = entry
      (terms.host, terms.port) = (host, nil)
      alone.hosts = [terms]
      bytes[entry.label] = alone.signedBytes()
    }
  }

  subscript(label: String) -> [UInt8]? { bytes[label] }
}
