package import Diagnostics
package import PinFormat
import PinPolicy
package import PinRelease
import PinValidator

/// Judges all that a pull request changes, by what its base says: who may sign, what is released, who owns what.
///
/// Whatever isn't known is refused by its name. A file that can't be read is refused, and the others are judged; a base
/// that can't be read ends the judgement.
package struct GateJudgement {
  typealias Change = GitHistory.Change

  let sources: EventSources
  let instant: Instant
  var result: GateResult
  /// The branch's folders of files for clients.
  let released: RepositoryTree
  let keysets: RepositoryTree
  /// Those of the base.
  let oldReleased: RepositoryTree
  let oldKeysets: RepositoryTree
  /// What the branch changes, by what it is.
  private(set) var changes: [(change: Change, kind: GatePath)] = []
  /// What the releases that the branch adds are compiled from, where the branch's policy is another one.
  var addedPolicies: [LoadedPolicy] = []
  /// What commits of any branch withdrew.
  let withdrawn: WithdrawnDrafts
  /// The keys of the base's keysets, by audience, as far as somebody asked.
  var members: [String: [Keyring.Member]] = [:]
  /// What the branch moves.
  private(set) var moves: [SignedContent: GateMoves] = [:]

  /// Judges a branch.
  ///
  /// - Parameters:
  ///   - sources: The branch and its base.
  ///   - instant: The instant that counts as now.
  ///   - ask: Adds what else is known to the question whether the policy is safe to release, as `diff` does.
  /// - Returns: What may be merged, what must still be signed by whom, and what is refused.
  /// - Throws: ``WorkFailure`` where git or the base can't be read, or the base has no release.
  package static func judge(
    _ sources: EventSources, at instant: Instant, _ ask: GateQuestion
  ) throws(WorkFailure) -> GateResult {
    var judgement = try GateJudgement(sources, instant)
    try judgement.judgeFiles()
    try judgement.compare(ask)
    judgement.result.verdicts.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    return judgement.result
  }

  private init(_ sources: EventSources, _ instant: Instant) throws(WorkFailure) {
    (self.sources, self.instant) = (sources, instant)
    result = GateResult(branch: sources.branch, base: sources.base, instant: instant)
    result.branches = try sources.branches()
    result.isBeforeCommit = sources.isBeforeCommit
    withdrawn = try WithdrawnDrafts(sources)
    released = try EventSources.tree("released", of: sources.branch, sources.directory)
    keysets = try EventSources.tree("keysets", of: sources.branch, sources.directory)
    oldReleased = try EventSources.tree("released", of: sources.base, sources.directory)
    oldKeysets = try EventSources.tree("keysets", of: sources.base, sources.directory)
    changes = try sources.changes().map { ($0, GatePath($0.path)) }
    moves[.manifest] = GateMoves(of: .manifest, changes, from: oldReleased, to: released)
    moves[.keyset] = GateMoves(of: .keyset, changes, from: oldKeysets, to: keysets)
  }

  private mutating func judgeFiles() throws(WorkFailure) {
    try requireBegun()
    var drafts: [EventInspection.DraftFile] = []
    var hasEvent = false
    for (change, kind) in changes {
      switch kind {
      case .other: result.counts.other += 1
      case .policy where PolicyDirectory.isTestFile(change.path): judgeTests(change)
      case .policy: result.counts.policy += 1
      case .pipeline: watch(change)
      case .result where change.isRemoved: allow(change.path, "a result that doesn't belong here is removed")
      case .result:
        refuse(
          change.path, "later stages of ci/pins would read it as a result of their own",
          "Remove it, and keep 'out/' in .gitignore.")
      case .placeholder: judgePlaceholder(change)
      case .stray where change.isRemoved: allow(change.path, "a file that doesn't belong here is removed")
      case .stray: refuse(change.path, "no file of this name belongs here", "Remove it, or keep it in another folder.")
      case .event: hasEvent = true
      case .reason(let release): judgeReason(change, of: release)
      case .withdrawal(let folder, let serial): try judgeWithdrawal(change, folder, serial)
      case .release(let folder): try judgeRelease(change, folder, &drafts)
      case .keyset(let folder, let version): try judgeKeyset(change, folder, version, &drafts)
      }
    }
    result.counts.listed = changes.count - result.counts.policy - result.counts.other
    if hasEvent { try judgeEvent() }
    if !drafts.isEmpty { try judgeAdded(drafts) }
    try judgeDropped()
    requireUpToDate()
    try judgeHistory()
    try rankEvent()
  }

  /// Refuses a base without any release, unless somebody says that nothing was released yet.
  private func requireBegun() throws(WorkFailure) {
    let has = { (tree: RepositoryTree, suffix: String) in tree.files.contains { $0.path.hasSuffix(suffix) } }
    guard !sources.isFirst else { return }
    for (tree, folder, suffix) in [(oldKeysets, "keysets", ".keyset.json"), (oldReleased, "released", ".json")]
    where !has(tree, suffix) {
      throw WorkFailure(
        .failed,
        "'\(VisibleText.of(sources.base.name))' has nothing in '\(folder)', so nothing can be compared with it",
        help: "Check the name of the base. If nothing was ever released, somebody who may push to it runs 'pintle gate "
          + "--first-release', and commits the first keyset and the first release there.")
    }
  }

  private mutating func watch(_ change: Change) {
    let what = change.isAdded ? "is new" : change.isRemoved ? "is removed" : "is changed"
    let text = "\(what), and decides what later checks run, or who reviews: read every line"
    result.verdicts.append(GateVerdict(path: change.path, outcome: .watched(text)))
  }

  /// Tests decide nothing for clients; somebody who weakens them has to be seen.
  private mutating func judgeTests(_ change: Change) {
    guard !change.isAdded else { return allow(change.path, "tests of the policy") }
    let what = change.isRemoved ? "is removed" : "is changed"
    result.verdicts.append(
      GateVerdict(path: change.path, outcome: .watched("\(what), and decides what of the policy is tested")))
  }

  private mutating func judgePlaceholder(_ change: Change) {
    let (folder, name) = Self.split(change.path)
    let tree = folder == "released" ? released : folder == "keysets" ? keysets : sources.branch.event
    guard change.isRemoved || tree.kind(name) == .file(0) else {
      return refuse(change.path, "it isn't empty", "A file .gitkeep only keeps an empty folder: empty it.")
    }
    allow(change.path, "keeps a folder")
  }

  /// Files for clients are judged by the newest base.
  private mutating func requireUpToDate() {
    let missing = sources.history.missing
    guard missing > 0 else { return }
    for (change, kind) in changes {
      switch kind {
      case .other, .policy, .pipeline, .result, .placeholder, .stray: continue
      case .release, .reason, .keyset, .withdrawal, .event: break
      }
      guard let index = result.verdicts.firstIndex(where: { $0.path == change.path }) else { continue }
      if case .allowed = result.verdicts[index].outcome {
        result.verdicts[index].outcome = .unsigned(
          "the branch lacks \(counted(missing, "commit")) of '\(sources.base.name)': rebase it, and it is judged again")
      }
    }
  }

  // MARK: Verdicts

  mutating func allow(_ path: String, _ what: String) {
    result.verdicts.append(GateVerdict(path: path, outcome: .allowed(what)))
  }

  mutating func refuse(_ path: String, _ why: String, _ help: String) {
    result.verdicts.append(GateVerdict(path: path, outcome: .refused(why, help: help)))
  }

  /// The folder of a path, and what is below it.
  static func split(_ path: String) -> (folder: String, name: String) {
    let folder = path.prefix { $0 != "/" }
    return (String(folder), String(path.dropFirst(folder.count + 1)))
  }
}
