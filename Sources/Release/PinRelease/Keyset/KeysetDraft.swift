package import Diagnostics
import OpenSSLKit
package import PinFormat
import PinValidator

/// A keyset on its way through the hands of those who sign it.
package struct KeysetDraft {
  package let file: KeysetFile
  /// The version before, as clients have it; nil for a first version.
  package let previous: KeysetFile?

  /// A keyset that was made just now.
  package init(of keyset: Keyset, after previous: KeysetFile?) throws(WorkFailure) {
    do {
      file = try KeysetFile(draft: keyset)
    } catch {
      throw WorkFailure(.failed, "the keyset can't be made: \(error.message)")
    }
    self.previous = previous
  }

  /// A file that came from somebody else.
  ///
  /// - Throws: ``WorkFailure`` where no client would take it after the version before, no matter who signs it.
  package init(_ file: KeysetFile, path: String, after previous: KeysetFiles.Trusted?) throws(WorkFailure) {
    self.file = file
    self.previous = previous?.file
    do throws(KeysetError) {
      try previous?.keyset.check(contentOf: file.keyset)
    } catch {
      throw WorkFailure(
        .refused, "'\(path)' is rejected: \(error.message) [\(error.code)]",
        help: "Make the next version of what clients have: \(Self.next(after: previous?.path)).")
    }
    let wrong = try signatures().invalid
    guard wrong.isEmpty else {
      throw WorkFailure(
        .refused,
        "'\(path)' is rejected: the signature of \(Self.list(wrong)) doesn't fit the signed bytes: one of them was changed "
          + "[invalid-signature]",
        help: "Begin again from the original draft; what was signed is different.")
    }
  }

  /// The command that makes the next version of a file.
  package static func next(after path: String?) -> String {
    "pintle keyset next \(path.map(ShellWord.of) ?? "KEYSET") -o NEXT.json --expires DATE"
  }

  /// What somebody who signs it signs, line by line.
  package var sentences: [String] {
    let keyset = file.keyset
    let title = "version \(keyset.version) of the keyset for '\(VisibleText.of(keyset.audience))'"
    let changes = previous.map { KeysetChanges(from: $0, to: file) } ?? KeysetChanges(of: file)
    return [previous.map { "\(title) changes version \($0.keyset.version):" } ?? "\(title) says:"]
      + changes.sentences.map { "  " + VisibleText.of($0) }
  }

  /// Which signatures it has, and whose it still needs, line by line.
  ///
  /// - Parameter path: Its file; `-` for none.
  /// - Returns: The lines.
  /// - Throws: ``WorkFailure`` where a key of it can't be used.
  package func standing(in path: String) throws(WorkFailure) -> [String] {
    let signatures = try signatures()
    let version = "version \(file.keyset.version)"
    let name = path == "-" ? "the keyset" : VisibleText.of(path)
    if signatures.isComplete {
      let who =
        previous.map { "clients that have version \($0.keyset.version) accept it" } ?? "clients can be shipped with it"
      return ["\(name): \(version), has all required signatures: \(who)"]
    }
    let state = file.signatures.isEmpty ? "a draft that nobody has signed" : "needs more signatures"
    return ["\(name): \(version), \(state)"] + Self.lines(signatures.tallies).map { "  " + $0 }
  }

  /// What each threshold has and lacks; roots that didn't change are reported once.
  package static func lines(_ tallies: [KeysetSignatures.Tally]) -> [String] {
    var (rest, whose) = (tallies, "roots of version")
    if let first = tallies.first, let last = tallies.last, tallies.count == 2, first.isLike(last) {
      (rest, whose) = ([last], "roots of version \(first.version) and of version")
    }
    return rest.map { tally in
      let signed = tally.signed.isEmpty ? "nobody signed" : "signed by \(list(tally.signed))"
      let missing =
        tally.missing == 0
        ? "enough" : "\(counted(tally.missing, "signature")) missing, of \(list(tally.open, joinedBy: "or"))"
      return "\(whose) \(tally.version): \(signed); \(missing)"
    }
  }

  /// Its signatures, and those that each threshold counts.
  package func signatures() throws(WorkFailure) -> KeysetSignatures {
    do {
      return try KeysetSignatures(of: file, after: previous)
    } catch {
      throw WorkFailure(.failed, error.message)
    }
  }

  private func notARoot(_ keyID: SHA256Digest) -> WorkFailure {
    let versions =
      previous.map { "of neither version \($0.keyset.version) nor \(file.keyset.version)" } ?? "of this keyset"
    let member = file.keyring[keyID] ?? previous?.keyring[keyID]
    let key = member.map { "'\($0.name)' signs manifests and" } ?? "the key \(keyID.hex)"
    return WorkFailure(
      .refused,
      "\(key) is \(previous == nil ? "not a root" : "a root") \(versions), so its signature wouldn't count",
      help: "Sign with the key of a root: \(Self.list(Set(roots.map(\.name)).sorted(), joinedBy: "or")).")
  }

  /// Everybody who may sign it.
  package var roots: [Keyring.Member] { (previous?.keyring.roots ?? []) + file.keyring.roots }

  /// `'alice', 'bob' and 'carol'`.
  package static func list(_ names: [String], joinedBy word: String = "and") -> String {
    names.isEmpty ? "nobody" : names.map { "'\($0)'" }.listed(word)
  }

  /// The file with the signatures of the given keys, each of which must be a root's.
  package func signed(by signers: [Signer]) throws(WorkFailure) -> KeysetDraft {
    let ids = Set(roots.map(\.keyID))
    for signer in signers where !signer.keys.contains(where: { ids.contains($0.id) }) {
      throw notARoot(signer.keys[0].id)
    }
    let signed: KeysetFile
    do throws(SignerFailure) {
      signed = try file.signed(by: signers)
    } catch {
      throw WorkFailure(.failed, "the keyset can't be signed: \(error.message)", help: error.help)
    }
    let old = Set(file.signatures.map(\.keyID))
    for signature in signed.signatures where !old.contains(signature.keyID) && !ids.contains(signature.keyID) {
      throw notARoot(signature.keyID)
    }
    return KeysetDraft(file: signed, previous: previous)
  }

  private init(file: KeysetFile, previous: KeysetFile?) {
    self.file = file
    self.previous = previous
  }
}

extension KeysetSignatures.Tally {
  /// True where the same people have signed, and the same are missing.
  fileprivate func isLike(_ other: Self) -> Bool {
    threshold == other.threshold && signed == other.signed && open == other.open
  }
}

extension KeysetFile {
  /// SHA-256 over the signed bytes.
  package func digest() throws(WorkFailure) -> SHA256Digest {
    do { return SHA256Digest(try SHA256.digest(of: signed)) } catch { throw WorkFailure(.failed, error.message) }
  }
}
