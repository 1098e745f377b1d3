package import Diagnostics

extension Rule {
  /// A private signing key that others may read.
  static let signingKeyReadable = Rule(
    code: "P701",
    name: "signing-key-readable",
    severity: .warning,
    title: "A signing key's file can be read by others.",
    rationale: """
      Anybody who can read the private key can sign manifests that clients accept, and so decide which servers they trust.
      `pintle key` makes the file readable by its owner only; a copy, an archive or a checkout may have changed that.
      """,
    failing: Example([
      Example.File(
        path: "terminal.txt",
        text: """
          $ ls -l release.key
          -rw-r--r-- 1 release release 119 Nov 21 09:00 release.key
          """)
    ]),
    passing: Example([
      Example.File(
        path: "terminal.txt",
        text: """
          $ ls -l release.key
          -rw------- 1 release release 119 Nov 21 09:00 release.key
          """)
    ]),
    citation: "NIST SP 800-57 Part 1 Rev. 5, section 6.2.2",
    check: .elsewhere)

  /// What the rule says of a signing key's file.
  ///
  /// The finding is in the key file itself, at its beginning. The file is in the sources by its path only: not even
  /// an excerpt may show what it holds.
  ///
  /// - Parameters:
  ///   - path: The file, as it was named.
  ///   - permissions: The permission bits of the file's mode (`st_mode & 0o777`).
  /// - Returns: The finding and the sources that it points into, or nil where only the owner may read the file.
  package static func signingKeyFinding(path: String, permissions: UInt32) -> (Diagnostic, SourceSet)? {
    guard permissions & 0o077 != 0 else { return nil }
    let start = Position(line: 1, column: 1)
    let finding = Finding(
      at: Place(file: FileID(0), start: start, end: start),
      "signing key '\(path)' can be read or changed by others (mode \(octal(permissions)))",
      help: "Run 'chmod 600' on it; if others may have read it already, make a new key and withdraw this one.")
    return (signingKeyReadable.diagnostic(finding), SourceSet([SourceSet.File(path: path, bytes: [])]))
  }

  private static func octal(_ permissions: UInt32) -> String {
    "0" + String(permissions & 0o777, radix: 8)
  }
}
