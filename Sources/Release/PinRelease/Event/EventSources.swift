package import Diagnostics
package import PinFormat
package import PinPolicy
import PinValidator

/// Where one side of a comparison is: a commit of a repository, or a folder on disk.
package enum RepositoryPlace: Hashable, Sendable {
  /// What names the commit.
  case commit(String)
  case folder(String)

  /// Reads `REF`, or a folder: `.`, `./FOLDER`, `../FOLDER` or `/FOLDER`, none of which can name a commit.
  package init(_ text: String) {
    let isFolder = text == "." || text == ".." || ["./", "../", "/"].contains { text.hasPrefix($0) }
    self = isFolder ? .folder(text) : .commit(text)
  }
}

/// What a branch is judged by: two commits of a repository, or two folders.
///
/// Of commits, nothing is read from the working tree.
/// Who may sign and what is released is what the base says, which the branch can't change.
package struct EventSources {
  /// One of the two sides.
  package struct Branch {
    /// As it was named, a commit's id shortened.
    package var name: String
    package var place: RepositoryPlace
    /// The commit's id; a folder's path.
    package var id: String
    /// In front of its paths, from the root of its repository: `FOLDER/`; nothing for a folder on disk.
    package var prefix: String
    /// Its drafts and signatures.
    package var event: RepositoryTree
    /// The first digits of the commit's id, as people write them.
    package var short: String { isCommit ? String(id.prefix(10)) : id }
    /// How a sentence about it begins.
    package var title: String { place == .commit(id) ? "this commit" : name }
    var isCommit: Bool { if case .commit = place { true } else { false } }
  }

  package let directory: String
  package let branch: Branch
  package let base: Branch
  package let history: GitHistory
  /// Whether a base without keysets or releases is accepted: a person begins there.
  package let isFirst: Bool
  /// Whether the branch is a commit that a hook made, which takes the place of the checked-out branch.
  package let isBeforeCommit: Bool
  /// Folders that may have the policies that releases were compiled from: digests say which.
  private let further: [String]
  private let keysets: RepositoryTree
  private let released: RepositoryTree

  /// Reads what the two commits have, but no draft.
  ///
  /// - Parameters:
  ///   - directory: The repository, or the folder of it that has `policies`, `keysets`, `released` and `event`.
  ///   - branch: What names the event's branch.
  ///   - base: What names the branch that it is merged into.
  /// - Throws: ``WorkFailure`` where git doesn't have them.
  package init(_ directory: String, branch: String, base: String) throws(WorkFailure) {
    try self.init(directory, branch: .commit(branch), base: .commit(base))
  }

  /// The same of commits or folders; folders have no history.
  package init(
    _ directory: String, branch: RepositoryPlace, base: RepositoryPlace, isFirst: Bool = false, further: [String] = [],
    isBeforeCommit: Bool = false
  ) throws(WorkFailure) {
    self.directory = directory
    self.isFirst = isFirst
    self.further = further
    self.isBeforeCommit = isBeforeCommit
    let (head, headCommit) = try Self.side(directory, branch)
    let (foundation, baseCommit) = try Self.side(directory, base)
    (self.branch, self.base) = (head, foundation)
    if let baseCommit {
      history = try GitHistory(of: headCommit ?? baseCommit, notIn: baseCommit, directory: directory)
    } else {
      history = .none
    }
    keysets = try Self.tree("keysets", of: self.base, directory)
    released = try Self.tree("released", of: self.base, directory)
  }

  private static func side(
    _ directory: String, _ place: RepositoryPlace
  ) throws(WorkFailure) -> (branch: Branch, event: GitCommit?) {
    switch place {
    case .commit(let reference):
      let event = try GitCommit(of: directory, at: reference, folder: EventPath.folder)
      let prefix = String(event.path.dropLast(EventPath.folder.utf8.count))
      let name = reference == event.id ? String(event.id.prefix(10)) : reference
      return (
        Branch(name: name, place: place, id: event.id, prefix: prefix, event: RepositoryTree(event)), event
      )
    case .folder(let path):
      guard InputFile.isFolder(path) else {
        throw WorkFailure(.failed, "'\(VisibleText.of(path))' is not a folder")
      }
      let event = try RepositoryTree(folder: path + "/" + EventPath.folder)
      return (Branch(name: path, place: place, id: path, prefix: "", event: event), nil)
    }
  }

  /// A folder of a side; without files where it isn't there.
  package static func tree(
    _ folder: String, of branch: Branch, _ directory: String
  ) throws(WorkFailure) -> RepositoryTree {
    switch branch.place {
    case .commit: RepositoryTree(try GitCommit(of: directory, at: branch.id, folder: folder))
    case .folder(let path): try RepositoryTree(folder: path + "/" + folder)
    }
  }

  /// All that the branch changes: since it left the base, if the base has gone on.
  package func changes() throws(WorkFailure) -> [GitHistory.Change] {
    guard case .commit = branch.place, case .commit = base.place else { return try changesOnDisk() }
    return try history.changes(from: history.origin ?? base.id, to: branch.id, directory: directory)
  }

  private func changesOnDisk() throws(WorkFailure) -> [GitHistory.Change] {
    func tree(_ side: Branch) throws(WorkFailure) -> RepositoryTree {
      switch side.place {
      case .commit: RepositoryTree(try GitCommit(of: directory, at: side.id))
      case .folder(let path): try RepositoryTree(folder: path)
      }
    }
    let (old, new) = (try tree(base), try tree(branch))
    var changes: [GitHistory.Change] = []
    for path in Set(old.files.map(\.path)).union(new.files.map(\.path)).sorted() {
      do throws(FileReadError) {
        if try old.isSame(path, in: new) { continue }
      } catch {
        throw WorkFailure(.failed, "'\(VisibleText.of(path))' can't be read: \(error.reason)")
      }
      changes.append(
        GitHistory.Change(
          path: path, isAdded: old.kind(path) == nil, isRemoved: new.kind(path) == nil, content: nil))
    }
    return changes
  }

  /// All versions of an audience's keyset, as the base has them, the first of which is trusted as clients trust it.
  package func keysets(for audience: String) throws(WorkFailure) -> KeysetWalk {
    if let read = known.keysets[audience] { return read }
    if let walk = try Self.walk(for: audience, in: keysets, named: "the base") {
      known.keysets[audience] = walk
      return walk
    }
    if isFirst {
      let branch = try Self.tree("keysets", of: branch, directory)
      if let walk = try Self.walk(for: audience, in: branch, named: "the branch") { return walk }
    }
    throw WorkFailure(
      .failed, "'\(VisibleText.of(base.name))' has no keyset for '\(VisibleText.of(audience))', so nobody may sign",
      help: "Commit all versions there as keysets/N.keyset.json: the first one is what clients are shipped with.")
  }

  private static func walk(
    for audience: String, in keysets: RepositoryTree, named name: String
  ) throws(WorkFailure) -> KeysetWalk? {
    // A folder without a version doesn't hide the files beside it.
    let own = KeysetFiles.versions(among: Self.names(of: keysets, in: audience))
    let (folder, names) = own.isEmpty ? ("", Self.names(of: keysets, in: nil)) : (audience + "/", own)
    let versions = KeysetFiles.versions(among: names).map { "keysets/" + folder + $0 }
    guard !versions.isEmpty else { return nil }
    return try KeysetFiles.walk(versions, audience: nil) { path throws(WorkFailure) in
      try Self.read(keysets, path, below: "keysets/", limit: InputFile.keysetLimit, of: name)
    }
  }

  /// Whether the base has a keyset for an audience.
  package func hasKeyset(_ audience: String) throws(WorkFailure) -> Bool {
    let places = [audience, nil].map { KeysetFiles.versions(among: Self.names(of: keysets, in: $0)) }
    return places.contains { !$0.isEmpty }
  }

  /// The paths of the base's releases, or of its keysets.
  package func trusted(_ content: SignedContent) -> [String] {
    content == .keyset ? keysets.files.map { "keysets/" + $0.path } : released.files.map { "released/" + $0.path }
  }

  /// Whether an audience's keysets or releases are in a folder of its name; nil where the base has none.
  package func hasFolder(_ audience: String, for content: SignedContent) -> Bool? {
    let (tree, suffix) = content == .keyset ? (keysets, KeysetFiles.suffix) : (released, ".json")
    func has(_ folder: String?) -> Bool { Self.names(of: tree, in: folder).contains { $0.hasSuffix(suffix) } }
    return has(audience) ? true : has(nil) ? false : nil
  }

  /// The releases for an audience in the order in which clients take them; none where nothing was released for it.
  package func releases(for audience: String, by walk: KeysetWalk) throws(WorkFailure) -> [ReleasedManifest] {
    if let read = known.releases[audience] { return read }
    let files = ReleasedFiles(trust: Trust(walk))
    var found: [ReleasedManifest] = []
    for folder in [nil, audience] {
      let names = Self.names(of: released, in: folder).filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.sorted()
      guard !names.isEmpty else { continue }
      let place = "released" + (folder.map { "/" + $0 } ?? "")
      found += try files.directory(place, of: names) { path throws(WorkFailure) in
        try Self.read(released, path, below: "released/", limit: InputFile.manifestLimit, of: "the base")
      }
    }
    let releases = ReleasedFiles.inOrder(found.filter { $0.loaded.audience == audience }, under: walk.newest)
    known.releases[audience] = releases
    return releases
  }

  /// The serials of an audience that were withdrawn, as the base has them.
  package func withdrawn(for audience: String) -> Set<Int64> {
    let folder = audience + "/"
    return Set(
      released.files.compactMap { file in
        guard case .file = file.kind else { return nil }
        let name = file.path.hasPrefix(folder) ? file.path.dropFirst(folder.count) : file.path[...]
        return WithdrawnSerial.serial(name)
      })
  }

  /// Whether the base has a commit.
  package func isOnBase(_ commit: String) throws(WorkFailure) -> Bool {
    try GitHistory.isPart(commit, of: base.id, directory: directory)
  }

  /// How many branches are read for withdrawals; nil of folders, which have no history.
  package func branches() throws(WorkFailure) -> Int? {
    guard case .commit = base.place else { return nil }
    return try GitHistory.branches(directory)
  }

  /// The audiences for which the branch's policy makes no manifest any more.
  package func droppedAudiences() throws(WorkFailure) -> [String] {
    let kept = try policies(at: branch)[0].audiences
    return try policies(at: base)[0].audiences.filter { !kept.contains($0) }
  }

  /// The policy as the branch or the base has it, for each of its audiences; never none.
  package func policies(at branch: Branch) throws(WorkFailure) -> [EventPolicy] {
    try policies(at: branch.isCommit ? .commit(branch.id) : branch.place, named: branch.name)
  }

  /// The policy of the commit that a manifest names, if that commit is part of the branch; nil where it isn't.
  package func policies(of provenance: Manifest.Provenance) throws(WorkFailure) -> [EventPolicy]? {
    guard let id = provenance.commit, case .commit = branch.place,
      try GitHistory.isPart(id, of: branch.id, directory: directory)
    else { return nil }
    return try? policies(at: .commit(id), named: String(id.prefix(10)))
  }

  /// The branch's policy for each of its audiences, whose findings name files from the repository's root.
  package func branchPolicies() throws(WorkFailure) -> [LoadedPolicy] {
    let tree = try Self.tree("policies", of: branch, directory)
    return try CommitPolicy.loadEach(tree, named: branch.name, root: branch.prefix + "policies/")
  }

  /// More commits than change a policy between two releases.
  private static let searchLimit = 1_000

  /// The policy that a release was compiled from, by which owners are known: that of any commit of the base or the branch.
  ///
  /// Who committed it doesn't matter: signers signed its digest.
  ///
  /// - Throws: ``WorkFailure`` where it isn't found: its owners aren't known then.
  package func policy(of release: ReleasedManifest) throws(WorkFailure) -> EventPolicy {
    let name = release.path ?? release.name
    if let found = known.sources[name] { return try found.get() }
    let result: Result<EventPolicy, WorkFailure>
    do throws(WorkFailure) { result = .success(try search(release)) } catch { result = .failure(error) }
    known.sources[name] = result
    return try result.get()
  }

  private func search(_ release: ReleasedManifest) throws(WorkFailure) -> EventPolicy {
    var places = further.map(RepositoryPlace.folder)
    if case .folder = base.place {
      places.append(base.place)
    } else {
      places.append(.commit(base.id))
      places += [release.manifest.provenance.commit].compactMap(\.self).map(RepositoryPlace.commit)
      for side in [base, branch] where side.isCommit {
        places += try GitHistory.commits(
          changing: "policies", in: side.id, limit: Self.searchLimit, directory: directory
        ).map(RepositoryPlace.commit)
      }
    }
    for place in places {
      // A commit that the repository doesn't have, or that has no policy, isn't the one.
      let found = (try? read(place, named: release.name)) ?? []
      if let policy = found.first(where: { $0.isSource(of: release) }) { return policy }
    }
    let digest = release.manifest.provenance.sources.hex
    let isInGit = base.isCommit
    throw WorkFailure(
      .refused,
      "the policy that \(release.name) was compiled from isn't "
        + (isInGit ? "in the history of '\(base.name)'" : "in '\(base.name)'") + ", so its owners aren't known",
      help: (isInGit
        ? "Restore 'policies' as they were then in one commit of the branch, and change them in the next one"
        : "Pass --sources with a folder whose 'policies' are those") + " (sources sha256:\(digest)).")
  }

  /// What was read: policies by the places that have them (that of the base is often that of many releases), and the
  /// base's keysets and releases by audience.
  private final class Known {
    var keysets: [String: KeysetWalk] = [:]
    var releases: [String: [ReleasedManifest]] = [:]
    var policies: [RepositoryPlace: Result<[EventPolicy], WorkFailure>] = [:]
    /// By the paths of releases.
    var sources: [String: Result<EventPolicy, WorkFailure>] = [:]
  }
  private let known = Known()

  private func policies(at place: RepositoryPlace, named name: String) throws(WorkFailure) -> [EventPolicy] {
    let result: Result<[EventPolicy], WorkFailure>
    if let read = known.policies[place] {
      result = read
    } else {
      do throws(WorkFailure) { result = .success(try read(place, named: name)) } catch { result = .failure(error) }
      known.policies[place] = result
    }
    return try result.get().map { $0.named(name) }
  }

  private func read(_ place: RepositoryPlace, named name: String) throws(WorkFailure) -> [EventPolicy] {
    let tree: RepositoryTree
    var root = VisibleText.of(name) + ":"
    switch place {
    case .commit(let id):
      let commit = try GitCommit(of: directory, at: id, folder: "policies")
      tree = RepositoryTree(commit)
      root += commit.path.isEmpty ? "" : commit.path + "/"
    case .folder(let path):
      tree = try RepositoryTree(folder: path + "/policies")
      root = VisibleText.of(path) + "/policies/"
    }
    return try CommitPolicy.loadEach(tree, named: name, root: root).map {
      EventPolicy($0, name: name, root: root.utf8.count)
    }
  }

  /// The names in a folder of what was listed, and in its folders of epochs.
  private static func names(of tree: RepositoryTree, in folder: String?) -> [String] {
    let prefix = folder.map { $0 + "/" } ?? ""
    return tree.files.lazy.map(\.path).filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
      .filter { name in
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 1 || parts.count == 2 && EpochFolder.epoch(parts[0]) != nil
      }
  }

  private static func read(
    _ tree: RepositoryTree, _ path: String, below prefix: String, limit: Int, of side: String
  ) throws(WorkFailure) -> [UInt8] {
    do {
      return try tree.regular(String(path.dropFirst(prefix.count)), limit: limit)
    } catch {
      throw WorkFailure(.failed, "'\(VisibleText.of(path))' of \(side) can't be read: \(error.reason)")
    }
  }
}

/// The policy of a commit, with the paths of its files in the repository.
package struct EventPolicy {
  package let loaded: LoadedPolicy
  /// What messages call it.
  package private(set) var name: String
  private let root: Int

  /// `root` is how many bytes of a path are in front of those in the folder `policies`.
  init(_ loaded: LoadedPolicy, name: String, root: Int) {
    (self.loaded, self.name, self.root) = (loaded, name, root)
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

  /// Whether a release was compiled from it.
  ///
  /// The digest leaves paths out, so the same contents under other names have it too. A policy file that isn't read as one
  /// there would lose its owners, so all hosts of the release must be among what is read.
  func isSource(of release: ReleasedManifest) -> Bool {
    guard audience == release.loaded.audience, loaded.policy.isComplete,
      loaded.policy.sourcesDigest == release.manifest.provenance.sources
    else { return false }
    let hosts = Set(loaded.policy.hosts.map(\.label))
    return release.manifest.hosts.allSatisfy { hosts.contains($0.label) }
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
