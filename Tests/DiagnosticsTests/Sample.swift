import Diagnostics

/// Builds small reports about texts.
struct Sample {
  /// A report of findings in one file, `policy.yaml`.
  static func report(
    _ text: String, _ findings: [Diagnostic], path: String = "policy.yaml", suppressed: [Report.Suppressed] = []
  ) -> Report {
    report(bytes: Array(text.utf8), findings, path: path, suppressed: suppressed)
  }

  static func report(
    bytes: [UInt8], _ findings: [Diagnostic], path: String = "policy.yaml", suppressed: [Report.Suppressed] = []
  ) -> Report {
    Report(
      diagnostics: findings, suppressed: suppressed, sources: SourceSet([.init(path: path, bytes: bytes)]),
      rules: [missingBackup, expired],
      tool: .init(name: "pintle", version: "1.2.3"), instant: "2026-11-21T00:00:00Z")
  }

  /// A report of everything that a format has to cope with, text that means harm among it.
  static let everything: Report = {
    let policy = """
      version: 1
      keys:
      \t所有者: "🔑 e\u{301}" # \u{1B}]0;title\u{7}
      hosts:
        - host: api.example.com
          keys: public-web
      """
    return Report(
      diagnostics: [
        finding(
          5, 5, 6, 21, "key set 'public-web' has no backup key", help: "Add a key to 'backup:'.",
          citation: "RFC 7469 section 4.3", related: [.init("its only key", at: place(3, 2, 3, 5))], witness: lockedOut,
          fixes: [addBackup]),
        finding(
          1, 1, 1, 8, file: 1, code: "P403", severity: .warning,
          "100%, [a](b): {c} | `d` <e> & \"f\" 'g' @team #12 ::error::\u{1B}[2J\r\n]]>\u{202E}",
          help: "First.\nThen, second: 50%.", witness: hostile),
        finding(70, 3, 70, 1, file: 1, code: "P999", severity: .note, "behind the end"),
        finding(1, 1, 1, 1, file: 9, code: "P999", severity: .note, "nowhere"),
      ],
      suppressed: [
        .init(
          finding(6, 7, 6, 11, code: "P403", severity: .warning, "an entry has expired"),
          reason: "moved | \"soon\"", until: "2027-01-15T00:00:00Z")
      ],
      sources: SourceSet([
        .init(path: "policies/a: 100% ü,b.yaml", bytes: Array(policy.utf8)),
        .init(path: "policies/z`|.yaml", bytes: Array("version: 1\r\n".utf8)),
        .init(path: "policies/zz.yaml", bytes: []),
      ]),
      rules: [missingBackup, expired], tool: .init(name: "pintle", version: "1.2.3"), instant: "2026-11-21T00:00:00Z")
  }()

  static let missingBackup = RuleInfo(
    code: "P313", name: "missing-backup", title: "A key set that hosts use has no backup key.", severity: .error,
    rationale: "A backup lets a server change keys at once.", citation: "RFC 7469 section 4.3")

  static let expired = RuleInfo(
    code: "P403", name: "expired", title: "A host entry has expired.", severity: .warning,
    rationale: "It protects nothing.", citation: "Pintle: two clocks")

  /// A finding from line and column to line and column, the end exclusive.
  static func finding(
    _ startLine: Int, _ startColumn: Int, _ endLine: Int, _ endColumn: Int, file: Int = 0, code: String = "P313",
    severity: Severity = .error, _ message: String = "wrong", help: String = "", citation: String = "",
    related: [Diagnostic.Related] = [], witness: Witness? = nil, fixes: [Fix] = []
  ) -> Diagnostic {
    Diagnostic(
      code: code, severity: severity, message: message,
      place: place(startLine, startColumn, endLine, endColumn, file: file), related: related, help: help,
      citation: citation, witness: witness, fixes: fixes)
  }

  /// A fix that inserts, replaces and removes, in two files.
  static let addBackup = Fix(
    "add 'spare' to {backup}", .suggested,
    edits: [
      .init(replacing: place(6, 21, 6, 21), with: "\n    \u{301}backup: [\"spare\"]\u{2028}"),
      .init(replacing: place(1, 10, 1, 11, file: 1), with: "2"),
      .init(replacing: place(5, 5, 6, 1), with: ""),
    ])

  /// A witness with everything that one can have.
  static let lockedOut = Witness(
    client: "serial 6", serial: 6, released: "2026-09-01T00:00:00Z", kind: "mozilla", host: "api.example.com:443",
    instant: "2026-12-01T00:00:00Z", until: "2027-02-19T00:00:00Z", place: "192.0.2.1",
    chain: [
      .init(position: "leaf", pin: "sha256/AAAA", name: "api-2027"),
      .init(position: "intermediate", pin: nil, name: nil),
      .init(position: "root", pin: "sha256/BBBB", name: nil),
    ], reason: "none of the entry's pins matches the validated chain")

  /// A witness with little, in text that means harm.
  static let hostile = Witness(
    client: "`x` | <b> @team #12", serial: nil, released: "100%", kind: nil, host: "{h}\u{1B}[2J\n::error::",
    instant: "1", until: nil, place: nil, chain: [], outcome: .admitted, reason: "[a](b) ]]>\u{202E}")

  static func place(_ startLine: Int, _ startColumn: Int, _ endLine: Int, _ endColumn: Int, file: Int = 0) -> Place {
    Place(
      file: FileID(file), start: Position(line: startLine, column: startColumn),
      end: Position(line: endLine, column: endColumn))
  }
}
