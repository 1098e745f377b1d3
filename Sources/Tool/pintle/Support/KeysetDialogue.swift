import Diagnostics
import PinFormat
import PinPolicy
import PinRelease
import PinRules

/// What the rules about keysets say, for anybody who makes, signs or verifies one.
enum KeysetFindings {
  /// Says all findings of a keyset, and of its file if that is known.
  ///
  /// - Returns: True where none is an error.
  static func say(
    of keyset: Keyset, in path: String? = nil, after previous: Keyset?, at instant: Instant
  ) -> Bool {
    let findings = KeysetInput(keyset, in: path, after: previous, at: instant).diagnostics()
    for finding in findings { Console.say(finding) }
    return !findings.contains { $0.severity == .error }
  }
}

extension KeysetDraft {
  /// Says what somebody who signs it signs, and what the rules have against it.
  ///
  /// - Throws: ``CommandFailure`` where a finding is an error.
  func present(at instant: Instant) throws(CommandFailure) {
    for line in sentences { Console.say(line) }
    guard KeysetFindings.say(of: file.keyset, after: previous?.keyset, at: instant) else {
      throw CommandFailure(
        .findings, "the keyset has errors; nothing was written", help: "'pintle explain CODE' explains each of them.")
    }
  }

  /// Writes keysets that were made just now, with the first signatures where there are keys to sign with: one to a file, or
  /// each of several to its audience's folder.
  ///
  /// A file that is there stays as it is: it may be somebody else's draft, with signatures on it. `before` has the file of
  /// each one's previous version, where there is one.
  static func write(
    new drafts: [KeysetDraft], before: [String] = [], to output: String, signedBy keys: SigningKeyOptions,
    _ time: IssueTimeOption, _ facts: FactsOptions
  ) throws(CommandFailure) {
    let known = drafts.flatMap { $0.roots.map(\.publicKey) }
    let signed = keys.isEmpty ? drafts : try signing(drafts, by: keys.signers(known: known))
    guard signed.count > 1 else {
      try Output.write(new: signed[0].file.bytes, to: output)
      try signed[0].sayWhatIsThere(in: output, facts)
      return try signed[0].sayWhoSigns(output, after: before.first, time)
    }
    guard facts.format == .text, output != "-" else {
      throw CommandFailure(
        .usage, "\(output == "-" ? "-o -" : "--format json") is for one keyset, and there are \(signed.count)",
        help: "Make them one by one, or give -o a folder and leave out --format.")
    }
    guard !output.hasSuffix(".json") else {
      throw CommandFailure(
        .usage, "there are \(signed.count) keysets, and '\(output)' isn't a folder",
        help: "Name a folder: each is written to AUDIENCE/N\(KeysetFiles.suffix) in it.")
    }
    var files: [OutputFiles.File] = []
    for draft in signed {
      let keyset = draft.file.keyset
      let name = "\(keyset.audience)/\(keyset.version)\(KeysetFiles.suffix)"
      guard !keyset.audience.contains("/"), !keyset.audience.hasPrefix(".") else {
        throw CommandFailure(
          .usage, "the audience '\(VisibleText.of(keyset.audience))' can't be the name of a folder",
          help: "Make its keyset by itself.")
      }
      try StarterFiles.makeFolders(above: name, in: output)
      files.append(.new(output.hasSuffix("/") ? output + name : "\(output)/\(name)", draft.file.bytes))
    }
    try OutputFiles(files).write()
    for (number, (draft, file)) in zip(signed, files).enumerated() {
      try draft.sayWhatIsThere(in: file.path, facts)
      try draft.sayWhoSigns(file.path, after: before.isEmpty ? nil : before[number], time)
    }
  }

  /// The command for those whose signature is missing.
  private func sayWhoSigns(
    _ path: String, after previous: String?, _ time: IssueTimeOption
  ) throws(CommandFailure) {
    guard path != "-", try !signatures().isComplete else { return }
    let against = previous.map { ["--against", $0] } ?? []
    let words = [path] + against + (time.at?.option ?? []) + ["--sign-key", "KEY"]
    Console.say("  each of them: pintle sign " + words.map(ShellWord.of).joined(separator: " "))
  }

  /// Several keysets, each signed by those who are its roots: each signs one at least, and each of them has a root that signs.
  static func signing(_ drafts: [KeysetDraft], by signers: [Signer]) throws(CommandFailure) -> [KeysetDraft] {
    let shares = drafts.map { draft in
      let ids = Set(draft.roots.map(\.keyID))
      return drafts.count == 1 ? signers : signers.filter { $0.keys.contains { ids.contains($0.id) } }
    }
    let used = Set(shares.joined().flatMap(\.keys))
    let unused = signers.filter { !$0.keys.contains { used.contains($0) } }
    var signed: [KeysetDraft] = []
    for (draft, share) in zip(drafts, shares) {
      // Who isn't a root is refused by name.
      signed.append(try draft.signed(by: share.isEmpty ? signers : share + unused))
    }
    return signed
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
    for line in try standing(in: path) { Console.say(line) }
  }
}
