import Foundation
import TestSupport
import Testing

/// Default options from a file that `--defaults` or `PINTLE_DEFAULTS` names.
@Suite("Default options")
struct DefaultsTests {
  private static let everything = """
    version: 1
    against: released
    evidence: fleet.json
    trust-store: { java: java.pem }
    format: json
    jobs: 4
    retries: 0
    timeout: 5

    """

  /// An option that no command has: the options from the file are printed before, and nothing is done.
  private static let end = "--no-such-option"

  /// Which command takes what; what isn't here takes nothing.
  private static let taken: [String: Set<String>] = [
    "check": ["evidence", "trust-store", "format"],
    "probe": ["trust-store", "format", "jobs", "retries", "timeout"],
    "diff": ["against", "evidence", "trust-store", "format"],
    "simulate": ["against", "evidence", "trust-store", "format"],
    "rotate": ["against", "evidence", "trust-store", "format"],
    "adoption": ["against", "format"],
    "sign": ["against"], "find": ["format"], "verify": ["format"], "inspect": ["format"],
    "decide": ["format", "timeout"], "pin": ["format", "timeout"], "keys show": ["format"],
    "keyset show": ["format"], "keyset verify": ["format"], "evidence show": ["format"],
    "evidence diff": ["format"], "authorities check": ["format"], "authorities list": ["format"],
    "authorities show": ["format"], "acme check": ["format"],
  ]

  /// Options of the same name that mean something else, or belong to commands that write files.
  private static let others: [String: Set<String>] = [
    "build": ["format"], "sign": ["format"], "keys new": ["format"], "keys rotate": ["format"],
    "keys revoke": ["format"], "keyset init": ["format"], "keyset next": ["format"],
    "keyset sign": ["format", "against"], "keyset show": ["against"], "verify": ["against"], "explain": ["format"],
    "export": ["format"], "import": ["format"], "publish": ["format", "timeout"], "lsp": ["evidence"],
    "decide": ["evidence"], "event status": ["format"], "gate": ["evidence", "format", "trust-store"],
  ]

  /// A command as `--experimental-dump-help` describes it.
  private struct Described: Decodable {
    struct Argument: Decodable {
      struct Name: Decodable { var name: String }
      var names: [Name]?
    }
    var commandName: String
    var arguments: [Argument]?
    var subcommands: [Described]?

    /// The commands below, by their names, each with the names of its options.
    func commands(below path: [String] = []) -> [(String, Set<String>)] {
      let own = (path.joined(separator: " "), Set((arguments ?? []).flatMap { $0.names ?? [] }.map(\.name)))
      return [own] + (subcommands ?? []).flatMap { $0.commands(below: path + [$0.commandName]) }
    }
  }

  @Test("are taken by the commands whose options they are, and by no other")
  func table() throws {
    let place = try Workplace()
    try place.write(Self.everything, to: "elsewhere/defaults.yaml")
    let fields: Set = ["against", "evidence", "trust-store", "format", "jobs", "retries", "timeout"]
    let help = try place.run("pintle --experimental-dump-help").stdout
    struct Dump: Decodable { var command: Described }
    let commands = try JSONDecoder().decode(Dump.self, from: Data(help)).command.commands()
    #expect(commands.count > 30)
    for (command, options) in commands where command.split(separator: " ").first != "help" {
      let result = try place.run("pintle \(command) --verbose --defaults elsewhere/defaults.yaml \(Self.end)")
      let lines = result.stderrText.split(separator: "\n").filter { $0.hasPrefix("pintle: default --") }
      let names = lines.compactMap {
        $0.dropFirst("pintle: default --".count).split(separator: "=").first.map(String.init)
      }
      #expect(Set(names) == Self.taken[command] ?? [], "\(command)")
      #expect(
        options.intersection(fields) == (Self.taken[command] ?? []).union(Self.others[command] ?? []), "\(command)")
      #expect(options.contains("defaults") == (Self.taken[command] != nil), "\(command)")
    }
  }

  /// A policy, a release of it, and evidence.
  private static func scene() throws -> Workplace {
    let place = try Workplace()
    try place.write(
      """
      mkdir srv srv/released
      sed -i 's/2027-03-01/2027-09-01/' fleet/policy.yaml
      pintle build fleet -o srv/released/1.json --sign-key signing/release.key --serial 1 --issued-at 2026-11-01
      pintle evidence merge evidence/shard-1.json evidence/shard-2.json -o srv/fleet.json
      cp fleet/keys/root.pem srv/java.pem
      cat fleet/keys/api.pem fleet/keys/root.pem >chain.pem
      """, to: "script")
    let made = try place.run("sh -e script")
    try #require(made.status == 0, "\(made.stderrText)")
    try place.write(everything, to: "srv/defaults.yaml")
    try place.write("version: 1\nformat: concise\nagainst: nowhere\n", to: "srv/other.yaml")
    return place
  }

  @Test(
    "are as good as the options themselves",
    arguments: [
      ("diff fleet", "--against srv/released --evidence srv/fleet.json --trust-store java=srv/java.pem --format json"),
      (
        "simulate fleet",
        "--against srv/released --evidence srv/fleet.json --trust-store java=srv/java.pem --format json"
      ),
    ])
  func same(command: String, options: String) throws {
    let place = try Self.scene()
    let rest = "--key signing/release.key.pub --at 2026-11-22"
    let long = try place.run("pintle \(command) \(options) \(rest)")
    #expect(long.stdoutText.hasPrefix("{"), "\(long.stderrText)")
    for short in [
      "pintle \(command) --defaults srv/defaults.yaml", "pintle \(command) --defaults=srv/defaults.yaml",
      "PINTLE_DEFAULTS=srv/defaults.yaml pintle \(command)",
    ] {
      let result = try place.run("\(short) \(rest)")
      #expect(result.stdoutText == long.stdoutText, "\(result.stderrText)")
      #expect(result.status == long.status)
    }
    // From any folder: paths are relative to the file.
    let elsewhere = try place.run(
      """
      mkdir x; cd x
      pintle \(command.replacingOccurrences(of: "fleet", with: "../fleet")) --defaults ../srv/defaults.yaml \
        --key ../signing/release.key.pub --at 2026-11-22
      """)
    #expect(elsewhere.status == long.status, "\(elsewhere.stderrText)")
    #expect(elsewhere.stdoutText.hasPrefix("{"))
  }

  /// A command line, and the first characters of what it prints, or of what it complains about.
  @Test(
    "never count against the command line",
    arguments: [
      ("pintle pin fleet/keys/root.pem --defaults srv/defaults.yaml", "{"),
      ("pintle pin fleet/keys/root.pem --defaults srv/defaults.yaml --format text", "# fleet"),
      ("pintle pin fleet/keys/root.pem --format=text --defaults=srv/defaults.yaml", "# fleet"),
      ("pintle pin fleet/keys/root.pem", "# fleet"),
      ("PINTLE_DEFAULTS=srv/defaults.yaml pintle pin fleet/keys/root.pem", "{"),
      ("PINTLE_DEFAULTS= pintle pin fleet/keys/root.pem", "# fleet"),
      ("PINTLE_DEFAULTS=srv/missing.yaml pintle pin fleet/keys/root.pem --defaults srv/defaults.yaml", "{"),
      // A format that the command doesn't have.
      ("pintle pin fleet/keys/root.pem --defaults srv/other.yaml", "# fleet"),
      (
        "pintle diff fleet --defaults srv/other.yaml --against srv/released --key signing/release.key.pub --at 2026-11-22",
        "fleet/policy.yaml:12:3: warning"
      ),
      // Options that can't be combined with the format.
      ("pintle check fleet --defaults srv/defaults.yaml --quiet --at 2026-11-22", ""),
      // After `--` there are no options.
      ("pintle pin --defaults srv/defaults.yaml -- fleet/keys/root.pem", "{"),
      ("pintle diff --help", "OVERVIEW"),
      ("PINTLE_DEFAULTS=srv/missing.yaml pintle diff --help", "OVERVIEW"),
      ("PINTLE_DEFAULTS=srv/missing.yaml pintle keys new a.key | tr 0-9a-f x | cut -c 1-3", "xxx"),
    ])
  func precedence(command: String, begins: String) throws {
    let result = try Self.scene().run(command)
    #expect(result.stdoutText.hasPrefix(begins), "\(result.stdoutText.prefix(80))\(result.stderrText)")
    #expect(!result.stderrText.contains("error"), "\(result.stderrText)")
  }

  @Test("are shown with --verbose, each with its file and line, or with the reason why it isn't used")
  func verbose() throws {
    let result = try Self.scene().run(
      "pintle simulate fleet --verbose --format text --defaults srv/defaults.yaml --key signing/release.key.pub --at 2026-11-22"
    )
    #expect(
      result.stderrText.split(separator: "\n").prefix(4).map(String.init) == [
        "pintle: default --against=srv/released from 'srv/defaults.yaml', line 2: used",
        "pintle: default --evidence=srv/fleet.json from 'srv/defaults.yaml', line 3: used",
        "pintle: default --trust-store=java=srv/java.pem from 'srv/defaults.yaml', line 4: used",
        "pintle: default --format=json from 'srv/defaults.yaml', line 5: not used, because the command line has --format",
      ])
  }

  /// A default that would make the command line wrong is left out, and `--verbose` says why.
  @Test(
    "give way to options that they don't go with",
    arguments: [
      ("sign m.json --without-comparison", "against", "the command line has --without-comparison"),
      ("rotate web --to api --write", "format", "the command line has --write"),
      ("diff fleet --quiet", "format", "the command line has --"),
      ("check fleet --evidence e.json", "evidence", "the command line has --evidence"),
      ("probe --trust-store=a=b.pem", "trust-store", "the command line has --trust-store"),
    ])
  func rivals(command: String, option: String, reason: String) throws {
    let place = try Workplace()
    try place.write(Self.everything, to: "srv/defaults.yaml")
    let said = try place.run("pintle \(command) --verbose --defaults srv/defaults.yaml \(Self.end)").stderrText
    let line = try #require(
      said.split(separator: "\n").first { $0.hasPrefix("pintle: default --\(option)=") }, "\(said)")
    #expect(line.contains(": not used, because \(reason)"), "\(said)")
  }

  @Test("leave stores out where there is nothing to judge with them, and a commit where signatures are needed")
  func withoutUse() throws {
    let place = try Workplace()
    try place.write("version: 1\nagainst: git:main\ntrust-store: { system: s.pem, java: j.pem }\n", to: "srv/d.yaml")
    for (command, line) in [
      ("check", "--trust-store=java=srv/j.pem from 'srv/d.yaml', line 3: not used, because there is no evidence"),
      ("probe", "--trust-store=java=srv/j.pem from 'srv/d.yaml', line 3: used"),
      (
        "probe --no-system-store",
        "--trust-store=system=srv/s.pem from 'srv/d.yaml', line 3: not used, because the command"
      ),
      ("sign m.json", "--against=git:main from 'srv/d.yaml', line 2: not used, because a commit isn't signed"),
      ("diff", "--against=git:main from 'srv/d.yaml', line 2: used"),
    ] {
      let said = try place.run("pintle \(command) --verbose --defaults srv/d.yaml \(Self.end)").stderrText
      #expect(said.contains("pintle: default " + line), "\(command): \(said)")
    }
  }

  @Test(
    "may not give what a pull request is judged by",
    arguments: ["key", "keyset", "authorities", "authorities-keyset", "fail-on", "threshold", "at"])
  func refused(name: String) throws {
    let place = try Workplace()
    try place.write("version: 1\nformat: json\n\(name): x\n", to: "srv/defaults.yaml")
    let result = try place.run("pintle check policies --defaults srv/defaults.yaml")
    #expect(result.status == 64)
    #expect(result.stdoutText == "")
    #expect(result.stderrText.contains("srv/defaults.yaml:3:1: error: '\(name)' can't come from a defaults file"))
    #expect(result.stderrText.contains("Pass it on the command line: --\(name)."))
  }

  @Test(
    "that can't be read say where, and nothing is checked",
    arguments: [
      (
        "version: 1\nagianst: released\n", "srv/defaults.yaml:2:1: error: unknown field 'agianst' in this defaults file"
      ),
      ("version: 1\nagianst: released\n", "Did you mean 'against'?"),
      ("version: 1\njobs: many\n", "srv/defaults.yaml:2:7: error: 'jobs' takes a number from 1 to 4096, not 'many'"),
      ("version: 2\n", "srv/defaults.yaml:1:10: error: "),
      ("version: 1\nagainst: [a]\n", "'against' takes a path, absolute or relative to this file, not a list"),
      ("version: 1\nagainst: a\nagainst: b\n", "srv/defaults.yaml:3:1: error: "),
      ("", "srv/defaults.yaml:1:1: error: "),
    ])
  func unreadable(text: String, message: String) throws {
    let place = try Workplace()
    try place.write(text, to: "srv/defaults.yaml")
    let result = try place.run("pintle check policies --defaults srv/defaults.yaml")
    #expect(result.status == 64)
    #expect(result.stdoutText == "")
    #expect(result.stderrText.contains(message), "\(result.stderrText)")
  }

  @Test("that are too long, or missing, are an error", arguments: ["srv/long.yaml", "srv/missing.yaml", "srv", "-"])
  func missing(path: String) throws {
    let place = try Workplace()
    try place.write("version: 1\n" + String(repeating: "#\n", count: 40_000), to: "srv/long.yaml")
    for command in [
      "pintle pin fleet/keys/root.pem --defaults \(path)", "PINTLE_DEFAULTS=\(path) pintle check policies",
    ] {
      let result = try place.run(command)
      #expect(result.status == 1 || result.status == 64)
      #expect(result.stdoutText == "")
      #expect(result.stderrText.contains("pintle: error: "), "\(result.stderrText)")
    }
  }

  /// A pull request changes the policy's repository, so nothing in it may say what the pull request is judged by.
  @Test(
    "are rejected from where a change of the policy could change them",
    arguments: [
      ("policies/defaults.yaml", "true", "pintle check policies", true),
      ("policies/sub/defaults.yaml", "true", "pintle check policies/web.yaml", true),
      (
        "policies/defaults.yaml", "mkdir policies/sub && mv policies/web.yaml policies/sub",
        "pintle check policies/sub/web.yaml", true
      ),
      ("defaults.yaml", "true", "pintle check policies", false),
      ("defaults.yaml", "git init -q .", "pintle check policies", true),
      ("defaults.yaml", "git init -q . && mkdir x && cd x", "pintle check ../policies", true),
      ("ci/defaults.yaml", "git init -q .", "pintle diff policies --against x", true),
      ("defaults.yaml", "git init -q policies", "pintle check policies", false),
      ("policies-ci/defaults.yaml", "git init -q policies", "pintle check policies", false),
      (
        "policies/link.yaml",
        "mkdir srv && mv policies/link.yaml srv/d.yaml && ln -s ../srv/d.yaml policies/link.yaml",
        "pintle check policies", true
      ),
      ("srv/defaults.yaml", "mkdir x && git init -q x && cp -r policies x && cd x", "pintle check policies", false),
      (
        "srv/link.yaml",
        "mkdir -p srv && echo 'version: 1' >policies/d.yaml && ln -sf ../policies/d.yaml srv/link.yaml",
        "pintle check policies", true
      ),
    ])
  func location(file: String, setup: String, command: String, isRejected: Bool) throws {
    let place = try Workplace()
    try place.write("version: 1\nformat: concise\n", to: file)
    let result = try place.run("\(setup) && PINTLE_DEFAULTS=\(place.path)/\(file) \(command) --at 2026-11-22")
    let says = result.stderrText.contains("together with the policy")
    #expect(says == isRejected, "\(result.stderrText)")
    #expect((result.status == 64) == isRejected, "\(result.stderrText)")
  }
}
