import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinValidator

/// A keyset on its way through the hands of those who sign it.
struct KeysetDraft {
  let file: KeysetFile
  /// The version before, as clients have it; nil for a first version.
  let previous: KeysetFile?

  /// A keyset that was made just now.
  init(of keyset: Keyset, after previous: KeysetFile?) throws(CommandFailure) {
    do {
      file = try KeysetFile(draft: keyset)
    } catch {
      throw CommandFailure(.failed, "the keyset can't be made: \(error.message)")
    }
    self.previous = previous
  }

  /// A file that came from somebody else.
  ///
  /// - Throws: ``CommandFailure`` where no client would take it after the version before, no matter who signs it.
  init(_ file: KeysetFile, path: String, after previous: KeysetFiles.Trusted?) throws(CommandFailure) {
    self.file = file
    self.previous = previous?.file
    do throws(KeysetError) {
      try previous?.keyset.check(contentOf: file.keyset)
    } catch {
      throw CommandFailure(
        .refused, "'\(path)' is rejected: \(error.message) [\(error.code)]",
        help: "Make the next version of what clients have: pintle keyset next.")
    }
    let wrong = try signatures().invalid
    guard wrong.isEmpty else {
      throw CommandFailure(
        .refused,
        "'\(path)' is rejected: the signature of \(Self.list(wrong)) doesn't fit the signed bytes: one of them was changed "
          + "[invalid-signature]",
        help: "Begin again from the original draft; what was signed is different.")
    }
  }

  /// Says what somebody who signs it signs, and what the rules have against it.
  ///
  /// - Throws: ``CommandFailure`` where a finding is an error.
  func present(at instant: Instant) throws(CommandFailure) {
    let keyset = file.keyset
    let title = "version \(keyset.version) of the keyset for '\(VisibleText.of(keyset.audience))'"
    if let previous {
      Console.say("\(title) changes version \(previous.keyset.version):")
    } else {
      Console.say("\(title) says:")
    }
    let changes = previous.map { KeysetChanges(from: $0, to: file) } ?? KeysetChanges(of: file)
    for sentence in changes.sentences { Console.say("  " + VisibleText.of(sentence)) }
    guard KeysetFindings.say(of: keyset, after: previous?.keyset, at: instant) else {
      throw CommandFailure(
        .findings, "the keyset has errors; nothing was written", help: "'pintle explain CODE' says more of each.")
    }
  }

  /// Writes a keyset that was made just now, with the first signatures where there are keys to sign with.
  ///
  /// A file that is there stays as it is: it may be somebody else's draft, with signatures on it.
  func write(new output: String, signedBy keys: SigningKeyOptions, _ facts: FactsOptions) throws(CommandFailure) {
    let signed = keys.isEmpty ? self : try signing(with: keys)
    try Output.write(new: signed.file.bytes, to: output)
    try signed.sayWhatIsThere(in: output, facts)
  }

  /// Shows which signatures a file has, and whose it still needs.
  func sayWhatIsThere(in path: String, _ facts: FactsOptions) throws(CommandFailure) {
    let signatures = try signatures()
    try facts.write(
      text: nil,
      json: Facts.text("keyset-draft") { writer in
        writer.member("file", path)
        if let previous { writer.keyset("before", previous) }
        writer.keyset("keyset", file)
        writer.signatures(of: file, after: previous, signatures)
      })
    let version = "version \(file.keyset.version)"
    let name = path == "-" ? "the keyset" : VisibleText.of(path)
    if signatures.isComplete {
      let who =
        previous.map { "clients that have version \($0.keyset.version) take it" } ?? "clients can be shipped with it"
      Console.say("\(name): \(version), signed as it must be: \(who)")
      return
    }
    Console.say(
      "\(name): \(version), \(file.signatures.isEmpty ? "a draft that nobody has signed" : "not signed by enough yet")")
    for line in Self.lines(signatures.tallies) { Console.say("  " + line) }
  }

  /// What each threshold has and lacks; roots that didn't change are reported once.
  static func lines(_ tallies: [KeysetSignatures.Tally]) -> [String] {
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

  private func signatures() throws(CommandFailure) -> KeysetSignatures {
    do {
      return try KeysetSignatures(of: file, after: previous)
    } catch {
      throw CommandFailure(.failed, error.message)
    }
  }

  private func notARoot(_ keyID: SHA256Digest) -> CommandFailure {
    let versions =
      previous.map { "of neither version \($0.keyset.version) nor \(file.keyset.version)" } ?? "of this keyset"
    let member = file.keyring[keyID] ?? previous?.keyring[keyID]
    let key = member.map { "'\($0.name)' signs manifests, it" } ?? "the key \(keyID.hex)"
    return CommandFailure(
      .refused,
      "\(key) is \(previous == nil ? "no root" : "a root") \(versions): its signature would count for nothing",
      help: "Sign with the key of a root: \(Self.list(Set(roots.map(\.name)).sorted(), joinedBy: "or")).")
  }

  /// Everybody who may sign it.
  private var roots: [Keyring.Member] { (previous?.keyring.roots ?? []) + file.keyring.roots }

  /// `'alice', 'bob' and 'carol'`.
  static func list(_ names: [String], joinedBy word: String = "and") -> String {
    let quoted = names.map { "'\($0)'" }
    guard quoted.count > 1, let last = quoted.last else { return quoted.first ?? "nobody" }
    return quoted.dropLast().joined(separator: ", ") + " \(word) " + last
  }

  /// The file with the signatures of the given keys, each of which must be a root's.
  func signing(with keys: SigningKeyOptions) throws(CommandFailure) -> KeysetDraft {
    let ids = Set(roots.map(\.keyID))
    let signers = try keys.signers(known: roots.map(\.publicKey))
    for signer in signers where !signer.keys.contains(where: { ids.contains($0.id) }) {
      throw notARoot(signer.keys[0].id)
    }
    let signed: KeysetFile
    do throws(SignerFailure) {
      signed = try file.signed(by: signers)
    } catch {
      throw CommandFailure(.failed, "the keyset can't be signed: \(error.message)", help: error.help)
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
