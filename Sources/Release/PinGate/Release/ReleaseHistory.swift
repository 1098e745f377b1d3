package import Diagnostics
package import PinFormat
import PinPolicy
package import PinRelease
package import PinRotation
import PinRules
package import PinStudies
import PinValidator

/// All that was ever released, audience by audience, and whether it follows from one another.
package struct ReleaseHistory {
  /// What `pintle diff` says of a release as of its issue time, with the releases before it and without evidence.
  package enum Verdict {
    /// There is no release before it.
    case first
    /// Found with the sources that the commit has.
    case recomputed(DiffReport.Verdict, headline: String, errors: [(code: String, message: String)])
    /// Why not; nil where nobody said where the sources are.
    case notChecked(String?)
  }

  package struct Entry {
    package let release: ReleasedManifest
    package let signers: [(keyID: SHA256Digest, name: String?)]
    /// Of the release before it; nil for the first.
    package let changes: ManifestChanges?
    package fileprivate(set) var verdict: Verdict
    /// What its builder said about an unsafe release, which nobody signed; nil if nobody said anything.
    package let whyUnsafe: String?
    /// Why clients, or the sources, contradict it.
    package fileprivate(set) var problems: [WorkFailure]
  }

  /// Sorted by name; the releases of each in order.
  package private(set) var audiences: [(name: String, entries: [Entry])] = []
  /// Files that aren't verified, so that nothing they say counts.
  package private(set) var rejected: [(path: String, failure: WorkFailure)] = []

  /// Reads and verifies a directory of all releases.
  ///
  /// - Parameters:
  ///   - path: The directory.
  ///   - audience: The only one that is asked about; all if nil.
  ///   - sources: The policy directory, in the repository that has the commits that releases name.
  ///   - trust: Whose signatures count in the directory itself (nil), or in an audience's folder.
  /// - Throws: ``WorkFailure`` where something can't be read, or nothing is there.
  package init(
    in path: String, audience: String?, sources: String?, trust: (_ audience: String?) throws(WorkFailure) -> Trust
  ) throws(WorkFailure) {
    var found: [String: (trust: Trust, releases: [ReleasedManifest])] = [:]
    for place in try ReleasedFiles.places(in: path) where audience == nil || [nil, audience].contains(place.audience) {
      let trust = try trust(place.audience ?? audience)
      var rejected: [(path: String, failure: WorkFailure)] = []
      let releases = try ReleasedFiles(trust: trust).directory(place.path) { file, failure throws(WorkFailure) in
        guard failure.kind == .refused else { throw failure }
        rejected.append((file, failure))
      }
      self.rejected += rejected
      for release in releases where audience.map({ $0 == release.loaded.audience }) ?? true {
        found[release.loaded.audience, default: (trust, [])].releases.append(release)
      }
    }
    if let audience, found.isEmpty, rejected.isEmpty {
      throw WorkFailure(
        .failed, "'\(VisibleText.of(path))' has no release for the audience '\(VisibleText.of(audience))'",
        help: "Check the path and the name.")
    }
    for (name, (trust, releases)) in found.sorted(by: { $0.key < $1.key }) {
      audiences.append((name, try Self.entries(of: ReleasedFiles.inOrder(releases), trust, sources)))
    }
  }

  /// All that is wrong.
  package var problems: [WorkFailure] {
    audiences.flatMap { $0.entries.flatMap(\.problems) } + rejected.map(\.failure)
  }

  private static func entries(
    of releases: [ReleasedManifest], _ trust: Trust, _ sources: String?
  ) throws(WorkFailure) -> [Entry] {
    var entries: [Entry] = []
    var isWhole = true
    for (number, release) in releases.enumerated() {
      let manifest = release.manifest
      // The newest keyset says what its own epoch follows.
      let isOfKeyset = release.epoch == trust.keyset?.keyset.serialEpoch
      let earlier = ReleasedFiles.inOrder(Array(releases[..<number]), under: isOfKeyset ? trust.keyset : nil)
      let problems = HistoryProblem.find(
        in: release.record, after: number == 0 ? nil : releases[number - 1].record, isWhole: true)
      if problems.contains(where: { if case .missingRelease = $0 { true } else { false } }) { isWhole = false }
      var whyUnsafe: String?
      var unreadable: [WorkFailure] = []
      do throws(WorkFailure) {
        whyUnsafe = try release.path.flatMap { (path) throws(WorkFailure) in try DraftReason.read(besides: path) }
      } catch {
        unreadable = [error]
      }
      var entry = Entry(
        release: release, signers: trust.signers(release.loaded.signedBy),
        changes: earlier.last.map { ManifestChanges(from: $0.manifest, to: manifest) },
        verdict: !isWhole ? .notChecked("a release before it is missing") : number == 0 ? .first : .notChecked(nil),
        whyUnsafe: whyUnsafe,
        problems: problems.map {
          WorkFailure(.unsafeRotation, code: "release-out-of-order", $0.phrase.message, help: $0.phrase.help)
        } + unreadable)
      if let sources { try entry.recompute(manifest, after: earlier, isWhole, from: sources, trust) }
      entries.append(entry)
    }
    return entries
  }
}

extension ReleaseHistory.Entry {
  /// Compiles the sources again, compares the bytes, and asks `diff`, all as of the issue time.
  fileprivate mutating func recompute(
    _ manifest: Manifest, after released: [ReleasedManifest], _ isWhole: Bool, from sources: String, _ trust: Trust
  ) throws(WorkFailure) {
    guard manifest.provenance.commit != nil else {
      verdict = .notChecked("the manifest names no commit of its sources")
      return
    }
    do throws(WorkFailure) {
      let (policy, name, _) = try PolicySource.commit(reference: nil, directory: sources)
        .load(for: manifest.provenance, audience: manifest.audience)
      try SourceVerification(of: manifest, in: release.loaded.fileBytes, at: release.path ?? release.name)
        .compare(with: policy, name)
      guard isWhole, !released.isEmpty else { return }
      guard let diff = try DiffReport(of: policy, after: released, at: release.issued) else { return }
      let errors = diff.report.diagnostics.filter { $0.severity == .error }.map { ($0.code, $0.message) }
      verdict = .recomputed(diff.verdict, headline: diff.headline, errors: errors)
    } catch {
      guard error.kind == .refused else {
        verdict = .notChecked(error.message)
        return
      }
      var problem = error
      problem.help =
        "To see what differs: pintle verify "
        + ([release.path ?? ""] + trust.options + ["--source", "git::" + sources]).map(ShellWord.of)
        .joined(separator: " ")
      problems.append(problem)
      verdict = .notChecked("the sources that it names don't compile to it")
    }
  }
}
