package import Diagnostics
import OpenSSLKit
package import PinFormat
import PinPolicy
package import PinRelease
import PinRotation
import PinStudies
import PinValidator

/// Reads a signing event, verifies its signatures, and judges its drafts as clients will.
package struct EventInspection {
  typealias DraftFile = (path: String, kind: EventPath, bytes: [UInt8])

  let sources: EventSources
  let instant: Instant
  /// In front of the drafts' paths: the event's folder; nothing for files that the branch adds to those of the base.
  let folder: String
  /// What commits of any branch withdrew.
  let withdrawn: WithdrawnDrafts
  /// The signatures of each draft, by its path in the event's folder.
  var signatures: [String: [DetachedSignature]] = [:]
  /// Why unsafe drafts were built, by the same.
  var reasons: [String: String] = [:]
  /// The bytes of each draft, by its path below ``folder``.
  var files: [DraftFile] = []
  /// Which versions of the drafts are there, and were.
  lazy var versions = DraftVersions(sources, files)
  /// The branch's policy, for each audience.
  var policies: [EventPolicy] = []
  var status: EventStatus

  /// More files than an event has.
  private static let fileLimit = 2_000

  /// Looks at the event of a branch.
  ///
  /// - Parameters:
  ///   - sources: Where it is read from.
  ///   - instant: The instant that counts as now.
  /// - Returns: What is signed, and what is missing.
  /// - Throws: ``WorkFailure`` where git, the keyset or the releases of the base can't be read.
  package static func status(of sources: EventSources, at instant: Instant) throws(WorkFailure) -> EventStatus {
    try status(of: sources, at: instant, WithdrawnDrafts(sources))
  }

  /// The same if it is known what was withdrawn.
  static func status(
    of sources: EventSources, at instant: Instant, _ withdrawn: WithdrawnDrafts
  ) throws(WorkFailure) -> EventStatus {
    var inspection = EventInspection(sources, instant, withdrawn, in: EventPath.folder + "/")
    try inspection.readFiles()
    try inspection.setFinishedAside()
    inspection.policies = try sources.policies(at: sources.branch)
    try inspection.judge()
    try inspection.readTrust()
    if !inspection.status.hasAudiences { inspection.status.nextDraft = inspection.nextDraft() }
    inspection.status.push = try sources.history.push(in: sources.directory)
    return inspection.status
  }

  /// Looks at files that a branch adds to `released` and `keysets`, as at drafts that have their signatures in them.
  static func status(
    ofAdded files: [DraftFile], in sources: EventSources, at instant: Instant, _ withdrawn: WithdrawnDrafts
  ) throws(WorkFailure) -> (status: EventStatus, policies: [EventPolicy]) {
    var inspection = EventInspection(sources, instant, withdrawn, in: "")
    inspection.files = files
    inspection.policies = try sources.policies(at: sources.branch)
    // A release is compiled from the commit that it names, and the branch may have gone on since.
    let stated = files.filter { $0.kind == .manifest }.compactMap {
      try? SignedManifest.unverifiedContent(of: $0.bytes)
    }
    if let first = stated.first, stated.allSatisfy({ $0.provenance.commit == first.provenance.commit }),
      let policies = try sources.policies(of: first.provenance)
    {
      inspection.policies = policies
    }
    try inspection.judge()
    return (inspection.status, inspection.policies)
  }

  /// The path of the next release's draft, if there is one audience.
  private func nextDraft() -> String {
    guard let audience = policies.first?.audience, let walk = try? sources.keysets(for: audience),
      let releases = try? sources.releases(for: audience, by: walk)
    else { return folder + "SERIAL.json" }
    let serial = WithdrawnSerial.next(
      after: releases.line(under: walk.newest).last, under: walk.newest, without: sources.withdrawn(for: audience))
    let isInFolder = sources.hasFolder(audience, for: .manifest) ?? false
    return folder + (isInFolder ? audience + "/" : "") + "\(serial).json"
  }

  private init(_ sources: EventSources, _ instant: Instant, _ withdrawn: WithdrawnDrafts, in folder: String) {
    (self.sources, self.instant, self.withdrawn, self.folder) = (sources, instant, withdrawn, folder)
    status = EventStatus(branch: sources.branch, base: sources.base, missingCommits: sources.history.missing)
    status.commits = sources.history.commits.compactMap(MixedCommit.init)
  }

  // MARK: Files

  /// What was released, and who may sign, only grows, and by nothing else than what the event's drafts come to.
  private mutating func readTrust() throws(WorkFailure) {
    // A branch that is behind lacks what is new on the base, and has to be rebased first.
    guard status.missingCommits == 0 else { return }
    for change in try sources.changes() {
      if [EventPath.folder, "keysets", "released"].contains(change.path), !change.isRemoved {
        status.strays.append(EventStatus.Stray(path: change.path, reason: "it must be a folder"))
      }
      guard ["keysets/", "released/"].contains(where: { change.path.hasPrefix($0) }) else { continue }
      guard change.isAdded else {
        status.strays.append(EventStatus.Stray(path: change.path, reason: "the branch changes or removes it"))
        continue
      }
      guard WithdrawnSerial.serial(change.path.split(separator: "/").last ?? "") == nil,
        !change.path.hasSuffix(EventPath.reason)
      else { continue }
      let draft = status.drafts.first { $0.assembledPath == change.path }
      let bytes = change.content.flatMap { try? sources.history.content($0, limit: InputFile.manifestLimit) }
      let digest = bytes.flatMap(WithdrawnDrafts.digest)
      for index in status.drafts.indices where status.drafts[index].digest == digest {
        status.drafts[index].file = change.path
      }
      if let assembled = draft?.assembled, bytes == assembled { continue }
      // Without a draft, the event is over, and what it came to is the gate's to judge.
      if status.drafts.isEmpty {
        status.isOver = true
        continue
      }
      status.strays.append(
        EventStatus.Stray(
          path: change.path, reason: "the branch adds it, but no draft of the event is assembled to it"))
    }
  }

  private mutating func readFiles() throws(WorkFailure) {
    let event = sources.branch.event
    guard event.files.count <= Self.fileLimit else {
      throw WorkFailure(
        .failed, "'\(EventPath.folder)' has \(event.files.count) files; the limit is \(Self.fileLimit)",
        help: "Keep nothing in it but drafts and their signatures.")
    }
    // An empty file that keeps the folder isn't one of the event's.
    for file in event.files where !(file.path == ".gitkeep" && file.kind == .file(0)) {
      guard let kind = EventPath(file.path) else {
        stray(file.path, "not a draft, a signature or a reason by its name")
        continue
      }
      let limit =
        switch kind {
        case .manifest: InputFile.manifestLimit
        case .keyset: InputFile.keysetLimit
        case .signature: DetachedSignature.maximumBytes
        case .reason: DraftReason.maximumBytes + 1
        }
      let bytes: [UInt8]
      do throws(FileReadError) { bytes = try event.regular(file.path, limit: limit) } catch {
        stray(file.path, error.reason)
        continue
      }
      if case .reason(let draft) = kind {
        guard let text = DraftReason.text(bytes) else {
          stray(file.path, "the reason of an unsafe draft has to be one line of visible text")
          continue
        }
        reasons[draft] = text
        continue
      }
      guard case .signature(let draft, let key) = kind else {
        files.append((file.path, kind, bytes))
        continue
      }
      do throws(FormatError) {
        let detached = try DetachedSignature(reading: bytes)
        guard detached.signature.keyID == key else {
          stray(file.path, "the signature in it is of another key than its name says")
          continue
        }
        signatures[draft, default: []].append(detached)
      } catch {
        stray(file.path, "not a signature: \(error.description)")
      }
    }
    let drafts = Set(files.map(\.path))
    for draft in Set(signatures.keys).union(reasons.keys).subtracting(drafts).sorted() {
      for path in companions(of: draft) { stray(path, "its draft '\(folder)\(draft)' is missing") }
    }
  }

  private mutating func stray(_ path: String, _ reason: String, renamed: String? = nil) {
    let target = renamed.map { folder + $0 }
    status.strays.append(EventStatus.Stray(path: folder + path, reason: reason, target: target))
  }

  // MARK: Drafts

  /// Whether a draft is where its release will be looked for: with those before it, or in a folder of the audience's name
  /// if there are several.
  private mutating func requireName(
    _ path: String, _ name: String, for audience: String, _ content: SignedContent
  ) -> Bool {
    // Where an added file is, is judged with all else that the branch moves.
    guard !folder.isEmpty else { return true }
    let isInFolder = sources.hasFolder(audience, for: content) ?? status.hasAudiences
    let expected = isInFolder ? audience + "/" + name : name
    if path == expected { return true }
    strayDraft(path, "it is for '\(audience)', so its name must be '\(expected)'", renamed: expected)
    return false
  }

  /// A draft that can't be judged, and what belongs to it.
  private mutating func strayDraft(_ path: String, _ reason: String, renamed: String? = nil) {
    stray(path, reason, renamed: renamed)
    let targets = renamed.map { companions(of: path, named: $0) } ?? []
    for (index, companion) in companions(of: path).enumerated() {
      stray(companion, "it belongs to '\(folder)\(path)'", renamed: targets.isEmpty ? nil : targets[index])
    }
  }

  /// What is beside a draft and belongs to it: the folder of its signatures, and its reason; or their names beside a draft
  /// of another name.
  func companions(of draft: String, named name: String? = nil) -> [String] {
    [
      signatures[draft] == nil ? nil : EventPath.signatures(of: name ?? draft),
      reasons[draft] == nil ? nil : DraftReason.path(of: name ?? draft),
    ].compactMap(\.self)
  }

  /// The keyset that verifies the drafts for an audience: the base's, in all its versions.
  struct Authority {
    var walk: KeysetWalk
    var keyring: Keyring
  }

  private mutating func judge() throws(WorkFailure) {
    status.hasAudiences = !policies[0].loaded.policy.audiences.isEmpty
    var keysets: Set<String> = []
    for (path, kind, bytes) in files where kind == .keyset {
      let file: KeysetFile
      do throws(KeysetFileError) { file = try KeysetFile(reading: bytes) } catch {
        strayDraft(path, error.message)
        continue
      }
      let audience = file.keyset.audience
      guard requireName(path, "\(file.keyset.version).keyset.json", for: audience, .keyset) else { continue }
      guard keysets.insert(audience).inserted else {
        strayDraft(
          path,
          folder.isEmpty
            ? "the branch adds another keyset for '\(audience)' too"
            : "another draft of a keyset for '\(audience)' is there")
        continue
      }
      try judge(file, path, bytes)
    }
    var ownership = Ownership(branch: policies[0], base: try sources.policies(at: sources.base)[0])
    for audience in try sources.droppedAudiences() { try drop(audience, &ownership) }
    var audiences: Set<String> = []
    for (path, kind, bytes) in files where kind == .manifest {
      let file: SignableManifest
      do throws(SigningError) { file = try SignableManifest(bytes) } catch {
        strayDraft(path, error.message)
        continue
      }
      let audience = file.manifest.audience
      guard requireName(path, "\(file.manifest.serial).json", for: audience, .manifest) else { continue }
      guard audiences.insert(audience).inserted else {
        strayDraft(
          path,
          folder.isEmpty
            ? "the branch adds another release for '\(audience)' too" : "another draft for '\(audience)' is there")
        continue
      }
      // Until a keyset is merged, nobody can say who may sign what it verifies.
      guard !keysets.contains(audience) else {
        strayDraft(
          path, "the event also has the next keyset for '\(audience)': merge that first, and then build this again")
        continue
      }
      try judge(file, path, &ownership)
    }
    status.owned = ownership.files(status.drafts) { audience in
      (try? authority(for: audience))?.keyring.signers ?? []
    }
  }

  /// Notes that an audience gets no further release, which its clients have owners for.
  private mutating func drop(_ audience: String, _ ownership: inout Ownership) throws(WorkFailure) {
    guard try sources.hasKeyset(audience) else { return }
    let walk = try sources.keysets(for: audience)
    let releases = try sources.releases(for: audience, by: walk)
    guard let last = releases.line(under: walk.newest).last else { return }
    var dropped = EventStatus.DroppedAudience(name: audience, last: last)
    do throws(WorkFailure) { ownership.drop(audience, from: try sources.policy(of: last)) } catch {
      dropped.rejection = error
    }
    status.dropped.append(dropped)
  }

  func authority(for audience: String) throws(WorkFailure) -> Authority {
    let walk = try sources.keysets(for: audience)
    do { return Authority(walk: walk, keyring: try Keyring(walk.newest.keyset)) } catch {
      throw WorkFailure(.failed, error.message)
    }
  }
}
