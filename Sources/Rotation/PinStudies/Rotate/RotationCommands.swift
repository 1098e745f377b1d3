import Diagnostics

/// The arguments of the commands that a rotation's steps name, complete, so that they can be pasted into a shell.
package struct RotationCommands {
  /// Those by which the same is asked again.
  package let rotate: String
  /// Those by which servers are probed.
  package let probe: String
  private let directory: String
  private let newest: String?
  /// The folder that has the releases of each of several audiences; nil where there is one.
  private let folder: String?
  /// Those that say who signed the baseline.
  private let keys: [String]

  /// - Parameters:
  ///   - arguments: The command line, the program and the command's name first.
  ///   - directory: The policy directory.
  ///   - keys: The files of public keys that verify what clients have.
  ///   - keyset: The keyset that verifies it.
  ///   - newest: The file of the newest release; nil for a commit.
  ///   - several: Of several audiences, the one that was asked about, and the folder of all releases if it was named.
  package init(
    _ arguments: [String], directory: String, keys: [String], keyset: String?, newest: String?,
    several: (audience: String, folder: String?)? = nil
  ) {
    // Options about the output don't belong in the command that writes the plan.
    var asked = arguments.dropFirst(2).filter { word in
      !["--check", "--write", "--dry-run"].contains(word) && !word.hasPrefix("--format=")
    }
    if let format = asked.firstIndex(of: "--format") { asked.removeSubrange(format..<min(format + 2, asked.endIndex)) }
    rotate = asked.map(ShellWord.of).joined(separator: " ")
    self.keys = keys.flatMap { ["--key", $0] } + (keyset.map { ["--keyset", $0] } ?? [])
    self.directory = directory
    self.newest = newest
    folder = several.map { $0.folder ?? "RELEASES" }
    probe = ([directory] + (several.map { ["--audience", $0.audience] } ?? [])).map(ShellWord.of).joined(separator: " ")
  }

  /// The arguments by which a manifest is built and signed; of several audiences, those of all at once.
  ///
  /// - Parameter isNext: Whether it is the next release, so that what is out now is its baseline.
  /// - Returns: Words for a shell.
  package func build(isNext: Bool) -> String {
    let released = isNext ? newest : nil
    let words = [
      directory, "-o", folder ?? "NEXT.json", "--sign-key", "release.key", "--against",
      folder ?? released ?? "NEWEST.json",
    ]
    return (words + keys + ["--issued-at", "now"]).map(ShellWord.of).joined(separator: " ")
  }
}
