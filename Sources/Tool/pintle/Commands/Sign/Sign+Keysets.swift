import Diagnostics
import PinFormat
import PinGate
import PinPolicy
import PinRelease

extension Sign {
  /// A keyset that was looked at, to be signed.
  private struct KeysetTurn {
    let path: String
    let file: KeysetFile
    /// With the signatures beside it.
    let draft: KeysetDraft
    let apart: DetachedFiles?
    let withdrawn: WithdrawnDrafts?
  }

  /// Shows what each keyset says or changes, and adds a root's signature to all of them, or to none.
  func signKeysets(_ drafts: [Draft]) throws {
    let turns = try drafts.map(turn)
    try refuseTwo(
      turns.map {
        ($0.path, "version \($0.file.keyset.version) of the keyset for '\(VisibleText.of($0.file.keyset.audience))'")
      })
    for (number, turn) in turns.enumerated() {
      say(turn.path, number, of: turns.count)
      try turn.draft.present(at: time.instant)
      try ask(number, of: turns.count)
    }
    let signers = try signingKeys.signers(known: turns.flatMap { $0.draft.roots.map(\.publicKey) })
    let signed = try KeysetDraft.signing(turns.map(\.draft), by: signers)
    for (turn, signed) in zip(turns, signed) {
      let added = signed.file.signatures.filter { !turn.draft.file.signatures.contains($0) }.map(\.keyID)
      try turn.withdrawn?.refuse(
        SignedSubject(turn.file), turn.file.digest(),
        signedBy: turn.draft.roots.filter { added.contains($0.keyID) }.map { ("'\($0.name)'", $0.keyID, $0.publicKey) })
      try requireUnchanged(turn)
    }
    var files: [OutputFiles.File] = []
    for (turn, signed) in zip(turns, signed) {
      if let apart = turn.apart {
        let present = Set(turn.draft.file.signatures)
        files += try apart.files(signed.file.signatures.filter { !present.contains($0) }, over: turn.file.digest())
      } else {
        files.append(try file(signed.file.bytes, .keyset, for: turn.path))
      }
    }
    try write(files)
    for (turn, signed) in zip(turns, signed) { try signed.sayWhatIsThere(in: output ?? turn.path, facts) }
    guard turns.contains(where: { $0.withdrawn != nil }) else { return }
    for draft in signed where try !draft.signatures().isComplete { return }
    Self.sayAssemble()
  }

  private func turn(_ draft: Draft) throws -> KeysetTurn {
    let file = try KeysetFiles.keyset(in: draft.bytes, of: draft.path)
    try IssueTime.check(file.keyset.issued, rehearsedAt: time.at)
    let apart = detached ? try DetachedFiles(of: draft.path) : nil
    let withdrawn = try WithdrawnDrafts(besides: draft.path)
    try withdrawn?.refuse(SignedSubject(file), file.digest(), at: draft.path)
    return KeysetTurn(
      path: draft.path, file: file, draft: try joined(file, at: draft.path, with: apart, without: withdrawn),
      apart: apart, withdrawn: withdrawn)
  }

  /// The draft with the signatures that are beside it.
  private func joined(
    _ file: KeysetFile, at path: String, with apart: DetachedFiles?, without withdrawn: WithdrawnDrafts?
  ) throws(CommandFailure) -> KeysetDraft {
    let previous = try previous(of: file, at: path)
    let draft = try KeysetDraft(file, path: path, after: previous)
    guard let apart else { return draft }
    let keys = draft.roots.map { (name: $0.name, id: $0.keyID, publicKey: $0.publicKey) }
    let counting = try withdrawn?.counting(keys, SignedSubject(file), file.digest()) ?? keys.map(\.id)
    let others = try apart.read(over: file.digest(), of: counting)
    return try KeysetDraft(file.joined(with: others), path: path, after: previous)
  }

  /// Refuses to write over a file that somebody else has signed meanwhile.
  private func requireUnchanged(_ turn: KeysetTurn) throws(CommandFailure) {
    guard turn.path != "-", output.map({ InputFile.isSame($0, turn.path) }) ?? true else { return }
    guard try Input.read(turn.path, limit: .keyset) == turn.file.bytes else {
      throw CommandFailure(
        .failed, "'\(turn.path)' isn't what it was when it was shown: somebody changed it meanwhile",
        help: "Nothing was written. Look at it again.")
    }
  }

  /// The version that clients have; of a folder, that of the file's audience.
  private func previous(of file: KeysetFile, at path: String) throws(CommandFailure) -> KeysetFiles.Trusted? {
    let version = file.keyset.version
    if let against = comparison.against {
      guard version > 1 else {
        throw CommandFailure(
          .usage, "'\(path)' is version 1: there is no version before it", help: "Remove --against.")
      }
      guard InputFile.isFolder(against) else { return try KeysetFiles.trusted(against) }
      let folder = AudienceFolder.path(in: against, file.keyset.audience)
      let name = "\(version - 1)\(KeysetFiles.suffix)"
      guard InputFile.isRegular("\(folder)/\(name)") else {
        throw CommandFailure(
          .usage, "'\(VisibleText.of(folder))' has no \(name), the version before '\(path)'",
          help: "Give the keyset that clients have, or its folder: --against keysets/\(name).")
      }
      return try KeysetFiles.trusted("\(folder)/\(name)")
    }
    guard version == 1 else {
      throw CommandFailure(
        .usage, "'\(path)' is version \(version): signers are shown what changes since the version before",
        help: "Give the version that clients have: --against \(version - 1).keyset.json.")
    }
    return nil
  }
}
