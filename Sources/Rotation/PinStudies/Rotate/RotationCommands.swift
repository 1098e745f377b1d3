import Diagnostics

/// The arguments of the commands that a rotation's steps name, complete, so that they can be pasted into a shell.
package struct RotationCommands {
  /// Those by which the same is asked again.
  package let rotate: String
  /// Those by which the lockouts of the same policy are shown.
  package let simulate: String
  /// Those by which servers are probed.
  package let probe: String
  private let directory: String
  /// The options that name trust stores.
  private let trust: [String]
  private let threshold: [String]
  private let newest: String?
  /// The folder of all releases, if it was named.
  private let released: String?
  /// The folder that has the releases of each of several audiences; nil where there is one.
  private let folder: String?
  /// Those that say who signed the baseline.
  private let keys: [String]
  /// Those that say what servers present.
  private let evidence: [String]
  /// Those whose signatures a release needs, and how many; nil where one is enough.
  private let signers: (names: [String], threshold: Int)?

  /// - Parameters:
  ///   - arguments: The command line, the program and the command's name first.
  ///   - subject: Of these, the key set or host.
  ///   - directory: The policy directory.
  ///   - keys: The files of public keys that verify what clients have.
  ///   - keyset: The keyset that verifies it.
  ///   - newest: The file of the newest release; nil for a commit.
  ///   - released: The folder of all releases, if it was named.
  ///   - signers: The names of the keyset's signers, and how many of them must sign.
  ///   - several: Of several audiences, the one that was asked about.
  package init(
    _ arguments: [String], about subject: String, directory: String, keys: [String], keyset: String?, newest: String?,
    released: String? = nil, signers: (names: [String], threshold: Int)? = nil,
    several: String? = nil
  ) {
    // Options about the output don't belong in the command that writes the plan.
    var asked = arguments.dropFirst(2).filter { word in
      !["--check", "--write", "--dry-run"].contains(word) && !word.hasPrefix("--format=")
    }
    if let format = asked.firstIndex(of: "--format") { asked.removeSubrange(format..<min(format + 2, asked.endIndex)) }
    rotate = asked.map(ShellWord.of).joined(separator: " ")
    evidence = Self.take(["--evidence"], from: asked)
    trust = Self.take(["--trust-store", "--no-system-store"], from: asked)
    threshold = Self.take(["--threshold"], from: asked)
    if let target = asked.firstIndex(of: "--to") { asked.removeSubrange(target..<min(target + 2, asked.endIndex)) }
    if let place = asked.firstIndex(of: subject) { asked.remove(at: place) }
    simulate = asked.filter { !$0.hasPrefix("--to=") }.map(ShellWord.of).joined(separator: " ")
    self.keys = keys.flatMap { ["--key", $0] } + (keyset.map { ["--keyset", $0] } ?? [])
    self.directory = directory
    self.newest = newest
    self.released = released
    self.signers = signers.flatMap { $0.threshold > 1 ? $0 : nil }
    folder = several.map { _ in released ?? "RELEASES" }
    probe = ([directory] + (several.map { ["--audience", $0] } ?? []) + trust).map(ShellWord.of)
      .joined(separator: " ")
  }

  /// Some options with their values.
  private static func take(_ names: [String], from words: [String]) -> [String] {
    words.indices.flatMap { place -> [String] in
      let word = words[place]
      if names.contains(where: { word.hasPrefix($0 + "=") }) { return [word] }
      guard names.contains(word) else { return [] }
      return word == "--no-system-store" ? [word] : Array(words[place...].prefix(2))
    }
  }

  /// The arguments by which a manifest is built and signed; of several audiences, those of all at once.
  ///
  /// - Parameter isNext: Whether it is the next release, so that what is out now is its baseline.
  /// - Returns: Words for a shell.
  package func build(isNext: Bool) -> String {
    // A draft has no place among what is released.
    let draft = signers == nil ? folder ?? "NEXT.json" : folder == nil ? "NEXT.json" : "NEXT"
    let words =
      [directory, "-o", draft] + (signers == nil ? ["--sign-key", "KEY"] : ["--unsigned"])
      + ["--against", before(isNext)]
    return (words + keys + evidence + trust + ["--issued-at", "now"]).map(ShellWord.of).joined(separator: " ")
  }

  /// Those by which a release that changes many hosts is checked.
  package func diff(isNext: Bool) -> String {
    ([directory, "--against", before(isNext)] + keys + threshold + evidence + trust + ["--allow-mass-change"]).map(
      ShellWord.of
    )
    .joined(separator: " ")
  }

  /// What each signer runs, if a release needs several; of several audiences, the drafts of all at once.
  package func sign(isNext: Bool) -> String? {
    guard let signers else { return nil }
    let file = folder == nil ? "NEXT.json" : "NEXT"
    let words = [file, "--against", before(isNext)] + keys + evidence + trust + ["--sign-key", "KEY"]
    return words.map(ShellWord.of).joined(separator: " ")
      + "   # \(signers.threshold) of \(signers.names.map { VisibleText.of($0) }.joined(separator: ", "))"
  }

  /// What a later release is compared with isn't there yet, but will be in the folder of all releases.
  private func before(_ isNext: Bool) -> String { folder ?? released ?? (isNext ? newest : nil) ?? "NEWEST.json" }
}
