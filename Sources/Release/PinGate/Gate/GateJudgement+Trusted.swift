import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinRelease
import PinValidator

/// What was released and who may sign only grows.
extension GateJudgement {
  private static let releaseStays =
    "Restore it: clients may have it. To replace a bad release, release the next serial."
  private static let keysetStays = "Restore it: clients need every version, in order."

  mutating func judgeRelease(
    _ change: Change, _ folder: GatePath.Folder, _ drafts: inout [EventInspection.DraftFile]
  ) throws(WorkFailure) {
    let moves = moves[.manifest]
    if try judgeKept(change, .manifest, help: Self.releaseStays) { return }
    guard let bytes = read(change, limit: InputFile.manifestLimit) else { return }
    let file: SignableManifest
    do { file = try SignableManifest(bytes) } catch {
      return refuse(change.path, error.message, "Remove it: only manifests are released.")
    }
    let audience = file.manifest.audience
    if let place = misplaced(audience, folder, .manifest, moves) { return refuse(change.path, place.0, place.1) }
    let released = try releases(for: audience)
    if let copy = released.first(where: { $0.digest == file.digest }) {
      return refuse(
        change.path, "it has the signed bytes of '\(copy.path ?? copy.name)', which is released",
        "Remove it. To add signatures to a release, change that file.")
    }
    if released.isEmpty, !sources.isFirst {
      return refuse(
        change.path, "it is the first release for '\(audience)', and '\(sources.base.name)' has none",
        "A person who may push to the base commits it there, with the audience's keyset: see 'pintle gate "
          + "--first-release'.")
    }
    if let epoch = folder.epoch, let keyset = try? walk(for: audience)?.newest.keyset, epoch != keyset.serialEpoch {
      return refuse(
        change.path, "it is in the folder of epoch \(epoch), and the newest keyset's epoch is \(keyset.serialEpoch)",
        "Move it to the folder of its epoch.")
    }
    drafts.append((change.path, .manifest, bytes))
  }

  mutating func judgeKeyset(
    _ change: Change, _ folder: GatePath.Folder, _ version: Int64, _ drafts: inout [EventInspection.DraftFile]
  ) throws(WorkFailure) {
    if try judgeKept(change, .keyset, help: Self.keysetStays) { return }
    guard let bytes = read(change, limit: InputFile.keysetLimit) else { return }
    let file: KeysetFile
    do { file = try KeysetFile(reading: bytes) } catch {
      return refuse(change.path, error.message, "Remove it: only keysets belong here.")
    }
    let audience = file.keyset.audience
    if let place = misplaced(audience, folder, .keyset, moves[.keyset]) { return refuse(change.path, place.0, place.1) }
    guard file.keyset.version == version else {
      return refuse(
        change.path, "it is version \(file.keyset.version)", "Name it \(file.keyset.version).keyset.json.")
    }
    guard try !sources.hasKeyset(audience) else { return drafts.append((change.path, .keyset, bytes)) }
    guard sources.isFirst else {
      return refuse(
        change.path, "it is the first keyset for '\(audience)': no keyset on '\(sources.base.name)' can verify it",
        "A person who may push to the base compares the ids of its keys, and commits it there: see 'pintle gate "
          + "--first-release'.")
    }
    do throws(WorkFailure) {
      let walk = try sources.keysets(for: audience)
      guard walk.steps.contains(where: { $0.path == change.path }) else {
        return refuse(change.path, "clients would not accept it after the first version", "Remove it.")
      }
      allow(change.path, "keyset for '\(audience)', version \(version): trusted as clients are shipped with it")
    } catch {
      refuse(change.path, error.message, error.help ?? "Make it again.")
    }
  }

  /// Judges why a release that isn't safe was made: it comes and goes with the release, and permits nothing.
  mutating func judgeReason(_ change: Change, of release: String) {
    let isRemoved = change.isRemoved
    guard isRemoved || change.isAdded else {
      return refuse(change.path, "the reason of a release must not be changed", "Restore it.")
    }
    guard changes.contains(where: { $0.change.path == release && $0.change.isRemoved == isRemoved }) else {
      return refuse(
        change.path, "it is \(isRemoved ? "removed" : "added") without its release, '\(release)'",
        isRemoved ? "Restore it." : "Remove it.")
    }
    func bytes(_ release: String, _ tree: RepositoryTree) -> [UInt8]? {
      DraftReason.path(of: String(release.dropFirst("released/".count)))
        .flatMap { try? tree.regular($0, limit: DraftReason.maximumBytes + 1) }
    }
    let move = moves[.manifest]?.targets.first { (isRemoved ? $0.key : $0.value) == release }
    if let (old, new) = move, bytes(old, oldReleased) != bytes(new, released) {
      return refuse(
        change.path, "the release is moved to '\(new)', and its reason isn't, or is another one",
        "Move the reason with it, as it is.")
    }
    guard !isRemoved else { return allow(change.path, "removed with its release") }
    guard let bytes = read(change, limit: DraftReason.maximumBytes + 1) else { return }
    guard DraftReason.text(bytes) != nil else {
      return refuse(
        change.path, "the reason of a release has to be one line of visible text", "Remove it, or write one line.")
    }
    allow(change.path, "the reason given for an unsafe release, \(release); nobody signed it")
  }

  mutating func judgeWithdrawal(
    _ change: Change, _ folder: GatePath.Folder, _ serial: Int64
  ) throws(WorkFailure) {
    guard change.isAdded else {
      return refuse(change.path, "a withdrawal must not be changed or removed", "Restore it, and use a higher serial.")
    }
    guard let reason = read(change, limit: GatePath.withdrawalLimit) else { return }
    guard folder.epoch == nil, folder.audience.map(audiences.contains) ?? true else {
      return refuse(
        change.path, "serials are withdrawn in the folder of an audience's new releases, not here", "Move it there.")
    }
    // In the folder of all, it counts for every audience.
    var isNext = false
    for audience in audiences where folder.audience == nil || folder.audience == audience {
      if let place = misplaced(audience, folder, .manifest, nil) { return refuse(change.path, place.0, place.1) }
      let released = try releases(for: audience)
      guard let keyset = try walk(for: audience)?.newest, !released.isEmpty else { continue }
      if let release = released.last(where: { $0.loaded.serial == serial }) {
        return refuse(
          change.path, "serial \(serial) of '\(audience)' is released, as '\(release.path ?? release.name)'",
          "Remove it. To replace a bad release, release the next serial.")
      }
      let next = WithdrawnSerial.next(
        after: released.line(under: keyset).last, under: keyset, without: sources.withdrawn(for: audience))
      guard serial == next else {
        return refuse(
          change.path, "the next serial of '\(audience)' is \(next), and only that one can be withdrawn",
          "Remove it. To withdraw a draft, name the file \(next)\(WithdrawnSerial.suffix).")
      }
      isNext = true
    }
    guard isNext else {
      return refuse(change.path, "nothing was released before it, so there is no next serial", "Remove it.")
    }
    guard String(decoding: reason, as: UTF8.self).contains(where: { !$0.isWhitespace }) else {
      return refuse(change.path, "it gives no reason", "Write into the file why the serial is withdrawn.")
    }
    guard changes.count == 1 else {
      return refuse(
        change.path, "the branch also changes \(counted(changes.count - 1, "other file"))",
        "Withdraw a serial in a pull request that changes nothing else, because it can't be used again.")
    }
    allow(change.path, "withdraws serial \(serial): nothing is released with it")
  }

  /// Judges a file that the base has, or that is moved; false for a new one.
  private mutating func judgeKept(
    _ change: Change, _ content: SignedContent, help: String
  ) throws(WorkFailure) -> Bool {
    let moves = moves[content]
    if let source = moves?.targets.first(where: { $0.value == change.path })?.key {
      if let why = try objection(toEpochOf: change.path, movedFrom: source) {
        refuse(change.path, why, "Move it to the folder of its epoch.")
      } else {
        allow(change.path, "moved from '\(source)', with the same bytes")
      }
      return true
    }
    guard !change.isAdded else { return false }
    if let target = moves?.targets[change.path] {
      allow(change.path, "moved to '\(target)', with the same bytes")
    } else if let other = moves?.incomplete[change.path] {
      refuse(change.path, "it is moved, and '\(other)' stays", "Move all files of the audience together.")
    } else if change.isRemoved {
      refuse(change.path, "the branch removes it", help)
    } else if let why = try objection(toNewSignatures: change, content) {
      refuse(change.path, why, help)
    } else {
      let versions = versions(of: change.path, content)
      allow(
        change.path,
        versions.map { $0.before == $0.after } ?? false
          ? "its bytes are the same, and its mode changes"
          : "signatures are added, and the signed bytes are the same")
    }
    return true
  }

  /// Why a release doesn't belong in the folder of an epoch; nil where it does, or where the folder isn't that of an epoch.
  private func objection(toEpochOf path: String, movedFrom source: String) throws(WorkFailure) -> String? {
    guard let epoch = GatePath(path).folder(of: .manifest)?.epoch,
      let bytes = try? oldReleased.regular(Self.split(source).name, limit: InputFile.manifestLimit),
      let audience = GateMoves.audience(of: bytes, .manifest)
    else { return nil }
    let own = try releases(for: audience).first { $0.digest == WithdrawnDrafts.digest(bytes) }?.epoch
    return own == epoch ? nil : "its epoch is \(own.map { "\($0)" } ?? "unknown")"
  }

  /// Why a changed file isn't the old one with further valid signatures; nil where it is.
  private func objection(toNewSignatures change: Change, _ content: SignedContent) throws(WorkFailure) -> String? {
    guard let (before, after) = versions(of: change.path, content),
      let one = try? SignatureEnvelope(scanning: before, as: content),
      let other = try? SignatureEnvelope(scanning: after, as: content), before[one.signed] == after[other.signed]
    else { return "the branch changes it" }
    guard one.signatures.allSatisfy(other.signatures.contains) else {
      return "the branch removes or changes a signature"
    }
    let message = SignatureEnvelope.preAuthenticationEncoding(of: Array(before[one.signed]), as: content)
    guard let audience = GateMoves.audience(of: before, content), let walk = try walk(for: audience) else {
      return "the branch changes it"
    }
    for added in other.signatures where !one.signatures.contains(added) {
      let member = walk.member(added.keyID)
      let mayCount = content == .manifest ? member?.isSigner : member?.isRoot
      do {
        guard let member, mayCount == true, try member.signed(message, added.bytes) else {
          return "the branch adds a signature that doesn't count: of the key \(added.keyID.hex)"
        }
      } catch {
        throw WorkFailure(.failed, error.message)
      }
    }
    return nil
  }

  /// A file of the base and of the branch; nil where one of them isn't a file of acceptable size.
  private func versions(of path: String, _ content: SignedContent) -> (before: [UInt8], after: [UInt8])? {
    let name = Self.split(path).name
    let (old, new) = content == .manifest ? (oldReleased, released) : (oldKeysets, keysets)
    guard let before = try? old.regular(name, limit: InputFile.manifestLimit),
      let after = try? new.regular(name, limit: before.count + FormatLimits.releaseBytes)
    else { return nil }
    return (before, after)
  }

  /// Why a new file isn't where its audience's files are, and what to do; nil where it is.
  private func misplaced(
    _ audience: String, _ folder: GatePath.Folder, _ content: SignedContent, _ moves: GateMoves?
  ) -> (String, String)? {
    let root = content == .manifest ? "released" : "keysets"
    let place = "\(root)/\(audience)/"
    if let other = folder.audience, other != audience {
      return ("it is for '\(audience)'", "Keep the files of each audience in the folder of its name: \(place).")
    }
    let isInFolder =
      moves?.audiences.contains(audience) ?? false
      ? true : sources.hasFolder(audience, for: content) ?? (folder.audience != nil)
    if isInFolder, folder.audience == nil {
      return ("the others for '\(audience)' are in \(place)", "Move it there.")
    }
    if !isInFolder, folder.audience != nil {
      return (
        "the base's files are in \(root)/ itself",
        "Put it there. If those are for another audience, first move them to the folder of its name, in a pull request "
          + "of its own."
      )
    }
    return nil
  }

  /// Reads a file of the branch; nil where that is refused, as the verdict then says.
  private mutating func read(_ change: Change, limit: Int) -> [UInt8]? {
    let (folder, name) = Self.split(change.path)
    do throws(FileReadError) {
      return try (folder == "released" ? released : keysets).regular(name, limit: limit)
    } catch {
      refuse(change.path, error.reason, "Remove it.")
      return nil
    }
  }

  // MARK: The base

  /// The audiences of the base and of the branch.
  private var audiences: [String] {
    let policies = [sources.branch, sources.base].flatMap { (try? sources.policies(at: $0)) ?? [] }
    let folders = (oldReleased.files + oldKeysets.files).compactMap { file in
      file.path.contains("/") ? String(file.path.prefix { $0 != "/" }) : nil
    }
    return Set(policies.flatMap(\.audiences) + folders.filter { EpochFolder.epoch($0) == nil }).sorted()
  }

  /// The base's keysets for an audience, or the branch's first; nil where there are none.
  func walk(for audience: String) throws(WorkFailure) -> KeysetWalk? {
    guard try sources.hasKeyset(audience) || sources.isFirst else { return nil }
    return try sources.keysets(for: audience)
  }

  /// The base's releases for an audience.
  func releases(for audience: String) throws(WorkFailure) -> [ReleasedManifest] {
    guard let walk = try walk(for: audience) else { return [] }
    return try sources.releases(for: audience, by: walk)
  }
}
