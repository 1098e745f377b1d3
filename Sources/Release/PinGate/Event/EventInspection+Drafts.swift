import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinRelease
import PinRotation
import PinStudies
import PinValidator

extension EventInspection {
  /// Sets drafts aside that the base has released: they don't stop the next ones.
  mutating func setFinishedAside() throws(WorkFailure) {
    for (path, kind, bytes) in files {
      guard let place = try placeOnBase(kind, bytes) else { continue }
      files.removeAll { $0.path == path }
      let all = [path] + companions(of: path)
      (signatures[path], reasons[path]) = (nil, nil)
      for one in all {
        status.finished.append(EventStatus.Stray(path: folder + one, reason: "released as '\(place)'"))
      }
    }
  }

  /// Where the base has what a draft is of.
  private func placeOnBase(_ kind: EventPath, _ bytes: [UInt8]) throws(WorkFailure) -> String? {
    switch kind {
    case .manifest:
      guard let draft = try? SignableManifest(bytes), try sources.hasKeyset(draft.manifest.audience) else { return nil }
      let walk = try sources.keysets(for: draft.manifest.audience)
      return try sources.releases(for: draft.manifest.audience, by: walk).first { $0.digest == draft.digest }?.path
    case .keyset:
      guard let draft = try? KeysetFile(reading: bytes), try sources.hasKeyset(draft.keyset.audience) else {
        return nil
      }
      let steps = try sources.keysets(for: draft.keyset.audience).steps
      return steps.first { (try? KeysetFile(reading: $0.trusted.fileBytes))?.signed == draft.signed }?.path
    case .signature, .reason: return nil
    }
  }

  /// Adds a draft of a keyset.
  mutating func judge(_ draft: KeysetFile, _ path: String, _ bytes: [UInt8]) throws(WorkFailure) {
    let authority = try authority(for: draft.keyset.audience)
    let (newest, step) = (authority.walk.newest, authority.walk.steps[authority.walk.steps.count - 1])
    let previous: KeysetFile
    do { previous = try KeysetFile(reading: newest.fileBytes) } catch { throw WorkFailure(.failed, error.message) }
    let digest = try draft.digest()
    let whole = folder + path
    var found = EventDraft(
      path: whole, content: .keyset, audience: draft.keyset.audience, number: draft.keyset.version, digest: digest,
      summary: "after version \(newest.version): "
        + KeysetChanges(from: previous, to: draft).sentences.joined(separator: "; "),
      command: "pintle sign \(ShellWord.of(whole))\(detached) --against \(ShellWord.of(step.path)) "
        + "--sign-key YOUR.key")
    let message = SignatureEnvelope.preAuthenticationEncoding(of: draft.signed, as: .keyset)
    let roots = previous.keyring.roots + draft.keyring.roots
    let counted = try sort(
      path, draft.signatures, message, among: roots, named: [draft.keyring, previous.keyring], &found)
    let file = draft.joined(with: counted)
    do throws(WorkFailure) {
      try requireNotWithdrawn(digest, whole, SignedSubject(draft))
      try IssueTime.check(draft.keyset.issued, at: instant, of: whole)
      let checked = try KeysetDraft(file, path: whole, after: (previous, newest, step.path))
      for (tally, keyring) in zip(try checked.signatures().tallies, [previous.keyring, draft.keyring]) {
        found.tallies.append(
          EventDraft.Tally(
            role: .root, keyset: tally.version, threshold: tally.threshold,
            members: keyring.roots.map { root in
              EventDraft.Member(name: root.name, keyID: root.keyID, hasSigned: tally.signed.contains(root.name))
            }))
      }
      if try checked.signatures().isComplete {
        var walk = authority.walk
        do { try walk.take(folder.isEmpty ? bytes : file.bytes, path: whole) } catch {
          throw WorkFailure(.refused, "'\(whole)' is rejected: \(error.error.message) [\(error.error.code)]")
        }
        found.assembled = file.bytes
      }
    } catch {
      found.rejection = error
    }
    status.drafts.append(found)
  }

  /// Adds a draft of a manifest, and what it changes of the files that have owners.
  mutating func judge(
    _ draft: SignableManifest, _ path: String, _ ownership: inout Ownership
  ) throws(WorkFailure) {
    let manifest = draft.manifest
    let authority = try authority(for: manifest.audience)
    let keyset = authority.walk.newest
    let releases = try sources.releases(for: manifest.audience, by: authority.walk)
    let last = releases.line(under: keyset).last { $0.digest != draft.digest }
    let withdrawnSerials = sources.withdrawn(for: manifest.audience)
    let next = WithdrawnSerial.next(after: last, under: keyset, without: withdrawnSerials)
    let whole = folder + path
    let against = releases.isEmpty ? "" : "--against \(ShellWord.of(Self.folder(of: releases[0].path ?? "released/")))"
    var found = EventDraft(
      path: whole, content: .manifest, audience: manifest.audience, number: manifest.serial, digest: draft.digest,
      summary: last.map { "after \($0.name): " + ManifestChanges(from: $0.manifest, to: manifest).counts }
        ?? "a first release: \(counted(manifest.hosts.count, "host entry", plural: "host entries"))",
      command: [
        "pintle sign", ShellWord.of(whole) + detached, "--keyset",
        ShellWord.of(Self.folder(of: authority.walk.steps[0].path)), against, "--sign-key YOUR.key",
      ].filter { !$0.isEmpty }.joined(separator: " "))
    found.whyUnsafe = reasons[path]
    if last != nil, manifest.serial > next {
      let isOne = manifest.serial - next == 1
      let skipped =
        "it skips " + (isOne ? "serial \(next), which" : "the serials \(next) to \(manifest.serial - 1), which")
        + " can't be used later"
      found.skipped = skipped
      found.summary += "; " + skipped
    }
    let message = SignatureEnvelope.preAuthenticationEncoding(of: draft.signedBytes)
    let signers = authority.keyring.signers
    let counting = try sort(
      path, draft.signatures, message, among: signers, named: [authority.keyring], &found)
    let signed = Set(counting.map(\.keyID))
    found.tallies = [
      EventDraft.Tally(
        role: .signer, keyset: keyset.version, threshold: keyset.keyset.signers.threshold,
        members: signers.map {
          EventDraft.Member(name: $0.name, keyID: $0.keyID, hasSigned: signed.contains($0.keyID))
        })
    ]
    do throws(WorkFailure) {
      let other = WithdrawnSerial.next(max(next, manifest.serial &+ 1), without: withdrawnSerials)
      try requireNotWithdrawn(draft.digest, whole, SignedSubject(draft), next: other)
      try requireTaken(draft, whole, keyset, after: releases)
      try compare(draft, whole, last, &ownership)
      if found.tallies[0].missing == 0 {
        let bytes = SignatureEnvelope.encode(signed: draft.signedBytes, signatures: counting)
        _ = try VerifiedFile.load(folder.isEmpty ? draft.file : bytes, of: whole, by: keyset, signedWith: nil)
        found.assembled = bytes
      }
    } catch {
      found.rejection = error
    }
    status.drafts.append(found)
  }

  /// Refuses what clients would reject, no matter who signs it.
  private func requireTaken(
    _ draft: SignableManifest, _ path: String, _ trusted: TrustedKeyset, after releases: [ReleasedManifest]
  ) throws(WorkFailure) {
    func refusal(_ message: String, _ help: String?) -> WorkFailure {
      WorkFailure(.refused, "'\(path)' is rejected: \(message)", help: help)
    }
    if let rejection = trusted.keyset.rejection(of: draft.manifest, at: instant) {
      throw refusal(rejection.message, rejection.help)
    }
    if sources.withdrawn(for: draft.manifest.audience).contains(draft.manifest.serial) {
      throw refusal(
        "serial \(draft.manifest.serial) was withdrawn on '\(sources.base.name)'",
        "Build it again, with the next serial.")
    }
    try IssueTime.check(draft.manifest.issued, at: instant, of: path)
    guard instant < draft.manifest.expires else {
      throw refusal("it expired \(draft.manifest.expires)", "Build it again.")
    }
    guard !releases.isEmpty else {
      guard draft.manifest.previous == nil else {
        throw refusal(
          "it names a release before it, and '\(sources.base.name)' has none for '\(draft.manifest.audience)'",
          "Commit all released manifests to '\(sources.base.name)', as released/SERIAL.json.")
      }
      return
    }
    do {
      _ = try Succession.find(
        of: draft.loaded, digest: draft.digest, after: releases, under: trusted, allowsGap: false)
    } catch {
      throw refusal(error.message, error.help)
    }
  }

  /// Refuses bytes that a commit withdrew: those who signed them don't stand by that any more.
  private func requireNotWithdrawn(
    _ digest: SHA256Digest, _ path: String, _ subject: SignedSubject, next: Int64? = nil
  ) throws(WorkFailure) {
    guard let commit = withdrawn.drafts[digest]?.last?.commit else { return }
    // A hook judges a commit that no branch has.
    let isThis = commit == sources.branch.id
    let short = commit.prefix(10)
    throw WorkFailure(
      .refused,
      "'\(path)' is rejected: \(isThis ? "this commit" : "the commit \(short)") removed or replaced the draft, and so "
        + "withdrew it",
      help: isThis
        ? "Add the release and remove its draft in one commit: amend or squash the commits that do it."
        : WithdrawnDrafts.help(for: subject, next: next, after: commit))
  }

  private var detached: String { folder.isEmpty ? "" : " --detached" }

  /// Compiles the branch's policy, and refuses a draft that isn't what it says: its review would be of something else.
  private func compare(
    _ draft: SignableManifest, _ path: String, _ last: ReleasedManifest?, _ ownership: inout Ownership
  ) throws(WorkFailure) {
    let audience = draft.manifest.audience
    guard let policy = policies.first(where: { $0.audience == audience }) else {
      throw WorkFailure(
        .refused, "'\(path)' is rejected: the policy of '\(sources.branch.name)' has no audience '\(audience)'",
        help: "Build it from the policy of the branch.")
    }
    do throws(WorkFailure) {
      let before = try last.map { (release) throws(WorkFailure) in (release, try sources.policy(of: release)) }
      ownership.add(draft.manifest, from: policy, after: before)
    } catch {
      throw WorkFailure(.refused, "'\(path)' is rejected: \(error.message)", help: error.help)
    }
    do throws(WorkFailure) {
      try SourceVerification(of: draft, at: path).compare(with: policy.loaded, "git:" + sources.branch.name)
    } catch {
      var failure = error
      if error.code != "other-bytes" {
        failure.help = "Build it again from the policy of the branch, or restore the policy that it was built from."
      }
      throw failure
    }
  }

  private static func folder(of path: String) -> String {
    path.split(separator: "/").dropLast().joined(separator: "/")
  }
}
