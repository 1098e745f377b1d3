package import Diagnostics
package import PinFormat
import PinValidator

/// What a signing event is judged by, as two commits of a repository have it: nothing is read from the working tree.
///
/// Who may sign and what is released is what the base says, which the branch can't change.
package struct EventSources {
  /// A branch's newest commit.
  package struct Branch {
    /// As it was named.
    package var name: String
    /// The commit's folder of drafts and signatures.
    package var event: GitCommit
    package var id: String { event.id }
    /// The first digits of the commit's id, as people write them.
    package var short: String { String(id.prefix(10)) }
  }

  package let directory: String
  package let branch: Branch
  package let base: Branch
  package let history: GitHistory
  private let keysets: GitCommit
  private let released: GitCommit

  /// Reads what the two commits have, but no draft.
  ///
  /// - Parameters:
  ///   - directory: The repository, or the folder of it that has `policies`, `keysets`, `released` and `event`.
  ///   - branch: What names the event's branch.
  ///   - base: What names the branch that it is merged into.
  /// - Throws: ``WorkFailure`` where git doesn't have them.
  package init(_ directory: String, branch: String, base: String) throws(WorkFailure) {
    self.directory = directory
    self.branch = Branch(name: branch, event: try GitCommit(of: directory, at: branch, folder: EventPath.folder))
    self.base = Branch(name: base, event: try GitCommit(of: directory, at: base, folder: EventPath.folder))
    history = try GitHistory(of: self.branch.event, notIn: self.base.event, directory: directory)
    keysets = try GitCommit(of: directory, at: self.base.id, folder: "keysets")
    released = try GitCommit(of: directory, at: self.base.id, folder: "released")
  }

  /// The base's keysets and releases that the branch changes or removes: what the next event would be judged by.
  package func changedTrust() throws(WorkFailure) -> [String] {
    var changed: [String] = []
    for (folder, base) in [("keysets", keysets), ("released", released)] {
      let branch = try GitCommit(of: directory, at: branch.id, folder: folder)
      changed += base.files.map(\.path).filter { !base.has($0, like: branch) }.map { folder + "/" + $0 }
    }
    return changed
  }

  /// All versions of an audience's keyset, as the base has them, the first of which is trusted as clients trust it.
  package func keysets(for audience: String) throws(WorkFailure) -> KeysetWalk {
    let own = Self.names(of: keysets, in: audience)
    let (folder, names) = own.isEmpty ? ("", Self.names(of: keysets, in: nil)) : (audience + "/", own)
    let versions = KeysetFiles.versions(among: names).map { "keysets/" + folder + $0 }
    guard !versions.isEmpty else {
      throw WorkFailure(
        .failed, "'\(VisibleText.of(base.name))' has no keyset for '\(VisibleText.of(audience))', so nobody may sign",
        help: "Commit all versions there as keysets/N.keyset.json: the first one is what clients are shipped with.")
    }
    return try KeysetFiles.walk(versions, audience: nil) { path throws(WorkFailure) in
      try Self.read(keysets, path, below: "keysets/", limit: InputFile.keysetLimit)
    }
  }

  /// Whether an audience's keysets or releases are in a folder of its name; nil where the base has none.
  package func hasFolder(_ audience: String, for content: SignedContent) -> Bool? {
    let (commit, suffix) = content == .keyset ? (keysets, KeysetFiles.suffix) : (released, ".json")
    func has(_ folder: String?) -> Bool { Self.names(of: commit, in: folder).contains { $0.hasSuffix(suffix) } }
    return has(audience) ? true : has(nil) ? false : nil
  }

  /// The releases for an audience in order of serial; none where nothing was released for it.
  package func releases(for audience: String, by walk: KeysetWalk) throws(WorkFailure) -> [ReleasedManifest] {
    let files = ReleasedFiles(trust: Trust(walk))
    var found: [ReleasedManifest] = []
    for folder in [nil, audience] {
      let names = Self.names(of: released, in: folder).filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.sorted()
      guard !names.isEmpty else { continue }
      let place = "released" + (folder.map { "/" + $0 } ?? "")
      found += try files.directory(place, of: names) { path throws(WorkFailure) in
        try Self.read(released, path, below: "released/", limit: InputFile.manifestLimit)
      }
    }
    return found.filter { $0.loaded.audience == audience }.sorted { ($0.serial ?? 0) < ($1.serial ?? 0) }
  }

  /// The policy as the branch or the base has it, for each of its audiences; never none.
  package func policies(at branch: Branch) throws(WorkFailure) -> [EventPolicy] {
    try policies(at: branch.id, named: branch.name)
  }

  /// The policy that a release was compiled from, found by the digest of its sources; nil where git doesn't have it.
  package func policy(of release: ReleasedManifest) throws(WorkFailure) -> EventPolicy? {
    let provenance = release.manifest.provenance
    var ids: [String] = [base.id]
    if let commit = provenance.commit { ids.append(commit) }
    if let path = release.path?.dropFirst("released/".count),
      let commit = try GitHistory.lastChange(of: String(path), in: released, directory: directory)
    {
      ids.append(commit)
    }
    for id in ids {
      // A commit that the repository doesn't have, or that has no policy, isn't the one.
      let found = (try? policies(at: id, named: release.name)) ?? []
      if let policy = found.first(where: {
        $0.audience == release.loaded.audience && $0.loaded.policy.sourcesDigest == provenance.sources
      }) {
        return policy
      }
    }
    return nil
  }

  /// Policies by the commits that have them: that of the base is often that of many releases.
  private final class Known {
    var policies: [String: Result<[EventPolicy], WorkFailure>] = [:]
  }
  private let known = Known()

  private func policies(at id: String, named name: String) throws(WorkFailure) -> [EventPolicy] {
    let result: Result<[EventPolicy], WorkFailure>
    if let read = known.policies[id] {
      result = read
    } else {
      do throws(WorkFailure) {
        let commit = try GitCommit(of: directory, at: id, folder: "policies")
        result = .success(try CommitPolicy.loadEach(commit, named: name).map { EventPolicy($0, name: name, commit) })
      } catch {
        result = .failure(error)
      }
      known.policies[id] = result
    }
    return try result.get().map { $0.named(name) }
  }

  /// The names in a folder of what was listed, or in all of it.
  private static func names(of commit: GitCommit, in folder: String?) -> [String] {
    let prefix = folder.map { $0 + "/" } ?? ""
    return commit.files.lazy.map(\.path).filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
      .filter { !$0.contains("/") }
  }

  private static func read(
    _ commit: GitCommit, _ path: String, below prefix: String, limit: Int
  ) throws(WorkFailure) -> [UInt8] {
    do {
      return try commit.regular(String(path.dropFirst(prefix.count)), limit: limit)
    } catch {
      throw WorkFailure(.failed, "'\(VisibleText.of(path))' of the base can't be read: \(error.reason)")
    }
  }
}

/// The policy of a commit, with the paths of its files in the repository.
package struct EventPolicy {
  package let loaded: LoadedPolicy
  /// What messages call it.
  package private(set) var name: String
  private let root: Int

  init(_ loaded: LoadedPolicy, name: String, _ commit: GitCommit) {
    self.loaded = loaded
    self.name = name
    // Paths in it begin with the reference, a colon and the folder's own path.
    root = VisibleText.of(name).utf8.count + 1 + (commit.path.isEmpty ? 0 : commit.path.utf8.count + 1)
  }

  func named(_ name: String) -> EventPolicy {
    var policy = self
    policy.name = name
    return policy
  }

  /// Its audience; nil where the policy doesn't say it.
  package var audience: String? { loaded.policy.settings?.audience?.value }

  /// All audiences of the policy that it is one of.
  package var audiences: [String] {
    loaded.policy.audiences.isEmpty ? [audience].compactMap(\.self) : loaded.policy.audiences
  }

  /// A file's path, from the folder that has `policies`.
  package func path(_ file: FileID) -> String {
    "policies/" + String(Substring(loaded.policy.sources[file].path.utf8.dropFirst(root)))
  }

  /// What each file says, by its path.
  package var texts: [String: [UInt8]] {
    Dictionary(loaded.policy.sources.ids.map { (path($0), loaded.policy.sources[$0].bytes) }) { first, _ in first }
  }

  /// The files that name owners, by their paths.
  package var owned: [String: ParsedFile] {
    Dictionary(loaded.policy.files.filter { !$0.owners.isEmpty }.map { (path($0.id), $0) }) { first, _ in first }
  }
}

extension Policy {
  /// Whether a file says anything for an audience; a slice has hosts of its whole.
  package func has(_ file: ParsedFile, for audience: String) -> Bool {
    let audiences = files.lazy.compactMap(\.settings).first?.audiences ?? []
    let whole = audiences.first { $0.name.value == audience }?.sliceOf?.value ?? audience
    return file.audiences.isEmpty || file.audiences.contains { $0.value == whole }
  }
}
