import ArgumentParser
import Diagnostics
import PinFormat
import PinGate
import PinPolicy
import PinRelease
import PinRules

extension Sign {
  /// Shows what a keyset says or changes, and adds a root's signature to it.
  func signKeyset(_ bytes: [UInt8]) throws {
    let file = try KeysetFiles.keyset(in: bytes, of: self.file)
    try IssueTime.check(file.keyset.issued)
    let apart = detached ? try DetachedFiles(of: self.file) : nil
    let withdrawn = try WithdrawnDrafts(besides: self.file)
    try withdrawn?.refuse(SignedSubject(file), file.digest(), at: self.file)
    let draft = try joined(file, with: apart, without: withdrawn, after: try previous(of: file))
    try draft.present(at: time.instant)
    if !yes, Confirmation.isPossible, !Confirmation.ask("Sign this? Type yes: ") {
      throw CommandFailure(.failed, "not signed: the answer wasn't yes", help: "Nothing was written.")
    }
    let signed = try draft.signing(with: signingKeys)
    let added = signed.file.signatures.filter { !draft.file.signatures.contains($0) }.map(\.keyID)
    try withdrawn?.refuse(
      SignedSubject(file), file.digest(),
      signedBy: draft.roots.filter { added.contains($0.keyID) }.map { ("'\($0.name)'", $0.keyID, $0.publicKey) })
    try requireUnchanged(file)
    if let apart {
      let present = Set(draft.file.signatures)
      try apart.write(signed.file.signatures.filter { !present.contains($0) }, over: file.digest())
    } else {
      try SignatureLoss.prevent(by: signed.file.bytes, .keyset, at: output ?? self.file)
      try Output.write(signed.file.bytes, to: output ?? self.file)
    }
    try signed.sayWhatIsThere(in: output ?? self.file, facts)
  }

  /// The draft with the signatures that are beside it.
  private func joined(
    _ file: KeysetFile, with apart: DetachedFiles?, without withdrawn: WithdrawnDrafts?,
    after previous: KeysetFiles.Trusted?
  ) throws(CommandFailure) -> KeysetDraft {
    let draft = try KeysetDraft(file, path: self.file, after: previous)
    guard let apart else { return draft }
    let keys = draft.roots.map { (name: $0.name, id: $0.keyID, publicKey: $0.publicKey) }
    let counting = try withdrawn?.counting(keys, SignedSubject(file), file.digest()) ?? keys.map(\.id)
    let others = try apart.read(over: file.digest(), of: counting)
    return try KeysetDraft(file.joined(with: others), path: self.file, after: previous)
  }

  /// Refuses to write over a file that somebody else has signed meanwhile.
  private func requireUnchanged(_ file: KeysetFile) throws(CommandFailure) {
    guard self.file != "-", output.map({ InputFile.isSame($0, self.file) }) ?? true else { return }
    guard try Input.read(self.file, limit: .keyset) == file.bytes else {
      throw CommandFailure(
        .failed, "'\(self.file)' isn't what it was when it was shown: somebody changed it meanwhile",
        help: "Nothing was written. Look at it again.")
    }
  }

  private func previous(
    of file: KeysetFile
  ) throws(CommandFailure) -> KeysetFiles.Trusted? {
    let version = file.keyset.version
    if let against = comparison.against {
      guard version > 1 else {
        throw CommandFailure(
          .usage, "'\(self.file)' is version 1: there is no version before it", help: "Remove --against.")
      }
      return try KeysetFiles.trusted(against)
    }
    guard version == 1 else {
      throw CommandFailure(
        .usage, "'\(self.file)' is version \(version): signers are shown what changes since the version before",
        help: "Give the version that clients have: --against \(version - 1).keyset.json.")
    }
    return nil
  }
}
