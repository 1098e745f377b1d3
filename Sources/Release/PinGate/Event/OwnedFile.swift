import Diagnostics
import PinFormat
import PinPolicy
import PinRelease
import PinRotation
import PinRules

/// A policy file with owners that a release changes, and which of them have signed.
package struct OwnedFile: Hashable, Sendable {
  /// Owners of whom one must sign a draft.
  package struct Approval: Hashable, Sendable {
    /// Whose word they are owners by: the branch, the base, the last release.
    package var source: String
    package var owners: [String]
    /// The draft that one of them must sign; nil where no draft has the change.
    package var draft: String?
    /// The owners who have signed it.
    package var by: [String]
    /// Owners that aren't signers of the keyset, and so can't sign.
    package var unknown: [String]
    /// The audience that the file goes together with, for which nobody signs any more; nil for any other file.
    package var gone: String?
  }

  package var path: String
  /// What changes: its text, or entries of it.
  package var reasons: [String]
  package var approvals: [Approval]

  package var isApproved: Bool { approvals.allSatisfy { !$0.by.isEmpty } }
}

/// Finds what a release changes of the files that have owners.
///
/// Owners count as the branch, the base, and the policies of the last releases name them, so that nobody is removed without
/// her signature.
struct Ownership {
  private let branch: EventPolicy
  private let base: EventPolicy
  /// What changes, by path.
  private var changes: [String: Set<String>] = [:]
  /// The audiences that the branch drops, by the paths of the files that say anything for them.
  private var dropped: [String: Set<String>] = [:]
  /// The policies of last releases, by audience.
  private var released: [String: EventPolicy] = [:]

  /// - Parameters:
  ///   - branch: The policy of the branch.
  ///   - base: That of the base.
  init(branch: EventPolicy, base: EventPolicy) {
    (self.branch, self.base) = (branch, base)
    compareTexts(base)
  }

  /// Adds what a draft changes of the last release.
  ///
  /// - Parameters:
  ///   - manifest: The draft.
  ///   - policy: What it is compiled from.
  ///   - last: The last release, and what it was compiled from; nil for a first one, which changes all files of
  ///     its audience.
  mutating func add(_ manifest: Manifest, from policy: EventPolicy, after last: (ReleasedManifest, EventPolicy)?) {
    // Files for others change with the releases of those.
    func concerns(_ path: String) -> Bool {
      [last?.1, policy].compactMap(\.self).contains { side in
        side.owned[path].map { side.loaded.policy.has($0, for: manifest.audience) } ?? false
      }
    }
    guard let (release, before) = last else {
      for path in owned.keys where concerns(path) { note(path, ["nothing was released before"]) }
      return
    }
    released[manifest.audience] = before
    compareTexts(before, where: concerns)
    let (old, new) = (PolicyPlaces(before), PolicyPlaces(policy))
    for (name, pin) in old.pins where new.pins[name] != nil && new.pins[name] != .some(pin) {
      for path in [old.keys[name], new.keys[name]].compactMap(\.self) where concerns(path) {
        note(path, ["key '\(name)'"])
      }
    }
    let answers = AnswerChanges(from: release.manifest, to: manifest)
    for (label, reasons) in answers.before { note(old.hosts[label], reasons) }
    for (label, reasons) in answers.after { note(new.hosts[label], reasons) }
    // No client knows it, but by it `diff` leaves out clients that still run an older release.
    if let window = SettingChange(
      ofWindowFrom: before.loaded.policy.effectiveSettings.clientMaxAge,
      to: policy.loaded.policy.effectiveSettings.clientMaxAge)
    {
      for path in Set(old.hosts.values).union(new.hosts.values) { note(path, ["'\(window.field)'"]) }
    }
  }

  /// Adds that an audience gets no further release: that changes what its clients get, in all files that say anything for
  /// them.
  mutating func drop(_ audience: String, from before: EventPolicy) {
    released[audience] = before
    for side in [base, before] {
      for (path, file) in side.owned where side.loaded.policy.has(file, for: audience) {
        dropped[path, default: []].insert(audience)
      }
    }
  }

  private mutating func note(_ path: String?, _ reasons: Set<String>) {
    guard let path else { return }
    changes[path, default: []].formUnion(reasons)
  }

  /// Changes of the file first, then the entries at which clients get other answers.
  private static func ordered(_ reasons: Set<String>) -> [String] {
    let sorted = reasons.sorted()
    return sorted.filter { !$0.hasPrefix("'") } + sorted.filter { $0.hasPrefix("'") }
  }

  private mutating func compareTexts(_ before: EventPolicy, where concerns: (String) -> Bool = { _ in true }) {
    let (old, new) = (before.texts, branch.texts)
    for path in Set(old.keys).union(new.keys) where concerns(path) {
      if let one = old[path], let other = new[path], FileMeaning.areSame(one, other) { continue }
      note(path, [old[path] == nil ? "the file is new" : new[path] == nil ? "the file is removed" : "its text"])
    }
  }

  private var owned: [String: ParsedFile] {
    ([base] + released.values).reduce(branch.owned) { $0.merging($1.owned) { first, _ in first } }
  }

  /// Finds the files with owners that are changed.
  ///
  /// - Parameters:
  ///   - drafts: The drafts of the event, with the keys that may sign each.
  ///   - signers: Who may sign for an audience, as the base has it.
  /// - Returns: The files in order of path, and for each who has to sign what.
  func files(_ drafts: [EventDraft], _ signers: (String) -> [Keyring.Member]) -> [OwnedFile] {
    let manifests = drafts.filter { $0.content == .manifest }
    // The base doesn't know an audience that is new.
    let built = manifests.map(\.audience)
    let sources =
      [branch, base].map { side in (side, side.audiences + built.filter { !side.audiences.contains($0) }) }
      + released.sorted { $0.key < $1.key }.map { ($0.value, [$0.key]) }
    return owned.keys.sorted().compactMap { path in
      let (reasons, gone) = (changes[path] ?? [], dropped[path] ?? [])
      guard !reasons.isEmpty || !gone.isEmpty else { return nil }
      var approvals: [OwnedFile.Approval] = []
      for (source, audiences) in sources {
        guard let file = source.owned[path] else { continue }
        let owners = file.owners.map(\.value)
        let concerned = audiences.filter { source.loaded.policy.has(file, for: $0) }
        for audience in concerned where gone.contains(audience) {
          add(approval(source.name, owners, of: audience, signers(audience), manifests), to: &approvals)
        }
        let staying = concerned.filter { !gone.contains($0) }
        guard !reasons.isEmpty, !staying.isEmpty else { continue }
        let theirs = manifests.filter { staying.contains($0.audience) }
        for draft in theirs { add(approval(source.name, owners, draft), to: &approvals) }
        if theirs.isEmpty { add(Self.unbuilt(source.name, owners), to: &approvals) }
      }
      if approvals.isEmpty, let file = sources.lazy.compactMap({ $0.0.owned[path] }).first {
        approvals = [Self.unbuilt(branch.name, file.owners.map(\.value))]
      }
      let all = reasons.union(gone.map { "the audience '\($0)' is dropped" })
      return OwnedFile(path: path, reasons: Self.ordered(all), approvals: approvals)
    }
  }

  /// What no draft has, so that nobody can approve it.
  private static func unbuilt(_ source: String, _ owners: [String], of gone: String? = nil) -> OwnedFile.Approval {
    OwnedFile.Approval(source: source, owners: owners, draft: nil, by: [], unknown: [], gone: gone)
  }

  /// Approval of a file that goes together with its audience: the digest of all sources in the draft of another one covers
  /// that, and the owners are the keys that the base's keyset for the audience has under their names.
  private func approval(
    _ source: String, _ owners: [String], of gone: String, _ signers: [Keyring.Member], _ manifests: [EventDraft]
  ) -> OwnedFile.Approval {
    let keys = Dictionary(signers.map { ($0.name, $0.keyID) }) { first, _ in first }
    func members(_ draft: EventDraft) -> [EventDraft.Member] { draft.tallies.flatMap(\.members) }
    func has(_ owner: String, _ draft: EventDraft, signed: Bool) -> Bool {
      members(draft).contains { $0.keyID == keys[owner] && (!signed || $0.hasSigned) }
    }
    let found =
      manifests.first { draft in owners.contains { has($0, draft, signed: true) } }
      ?? manifests.first { draft in owners.contains { has($0, draft, signed: false) } } ?? manifests.first
    guard let draft = found else { return Self.unbuilt(source, owners, of: gone) }
    return OwnedFile.Approval(
      source: source, owners: owners, draft: draft.path, by: owners.filter { has($0, draft, signed: true) },
      unknown: owners.filter { !has($0, draft, signed: false) }, gone: gone)
  }

  /// The same owners of the same draft are listed once.
  private func add(_ approval: OwnedFile.Approval, to approvals: inout [OwnedFile.Approval]) {
    let isListed = approvals.contains { listed in
      (listed.draft, listed.gone, Set(listed.owners)) == (approval.draft, approval.gone, Set(approval.owners))
    }
    if isListed { return }
    approvals.append(approval)
  }

  private func approval(_ source: String, _ owners: [String], _ draft: EventDraft) -> OwnedFile.Approval {
    let members = draft.tallies.flatMap(\.members)
    return OwnedFile.Approval(
      source: source, owners: owners, draft: draft.path,
      by: owners.filter { owner in members.contains { $0.name == owner && $0.hasSigned } },
      unknown: owners.filter { owner in !members.contains { $0.name == owner } })
  }
}

/// Which file each part of a policy is in.
private struct PolicyPlaces {
  var hosts: [String: String] = [:]
  var keys: [String: String] = [:]
  var pins: [String: Pin?] = [:]
  var settings: String?

  init(_ source: EventPolicy) {
    let policy = source.loaded.policy
    var paths: [FileID: String] = [:]
    func path(_ place: Place) -> String {
      if let known = paths[place.file] { return known }
      let path = source.path(place.file)
      paths[place.file] = path
      return path
    }
    // An overlay of another file may name the host: the entry is where it is written.
    var files: [Place: FileID] = [:]
    for file in policy.files {
      for place in file.hosts.lazy.compactMap({ $0.host?.place }) { files[place] = file.id }
    }
    for host in policy.hosts {
      let place = host.written.place
      hosts[host.label] = path(files[place].map { .beginning(of: $0) } ?? place)
    }
    for key in policy.keys {
      keys[key.name.value] = path(key.name.place)
      pins[key.name.value] = .some(key.pin)
    }
    settings = policy.settings.map { path($0.place) }
  }
}
