import Foundation
import TestSupport
import Testing

/// `--rules FILE`: programs of the user's own, whatever they answer and however they end.
@Suite("Rules of one's own")
struct OwnRulesTests {
  /// A rules file in `ci` with one program, whose code is X101 or X102.
  private static func place(_ program: String, _ more: String = "", named name: String = "check.py") throws -> Workplace
  {
    let place = try Workplace()
    try place.write(
      "version: 1\nrules:\n  - exec: [python3, \(name)]\n    codes: { X101: our hosts, X102: our dates }\n" + more,
      to: "ci/rules.yaml")
    try place.write("import json, os, sys, time\n" + program, to: "ci/check.py")
    return place
  }

  private static func answering(_ findings: String) throws -> Workplace {
    try place("json.load(sys.stdin)\nprint(json.dumps({'version': 1, 'findings': [\(findings)]}))")
  }

  private static func finding(_ pointer: String, _ message: String = "no", _ severity: String = "error") -> String {
    "{'code': 'X101', 'severity': '\(severity)', 'message': '\(message)', 'pointer': '\(pointer)'}"
  }

  private static func check(_ place: Workplace, _ options: String = "") throws -> RunResult {
    try place.run("pintle check policies --at 2026-11-21 --rules ci/rules.yaml \(options)")
  }

  struct Hostile: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var program: String
    var says: String
  }

  /// Each is an error that names the program.
  @Test(
    "whatever a program does is an error within its limits",
    arguments: [
      Hostile(testDescription: "endless", program: "time.sleep(1000)", says: "took more than 1 second and was ended"),
      Hostile(
        testDescription: "endless, and deaf to signals",
        program: "import signal\nsignal.signal(15, signal.SIG_IGN)\nwhile True: time.sleep(1)",
        says: "took more than 1 second and was ended"),
      Hostile(
        testDescription: "huge", program: "while True: print('x' * 65536)", says: "wrote more than 1048576 bytes"),
      Hostile(
        testDescription: "huge on standard error", program: "while True: print('x' * 65536, file=sys.stderr)",
        says: "wrote more than 1048576 bytes"),
      Hostile(testDescription: "silent", program: "", says: "its answer can't be read"),
      Hostile(testDescription: "not JSON", program: "print('fine')", says: "its answer can't be read"),
      Hostile(
        testDescription: "JSON and more", program: "print('{\"version\": 1, \"findings\": []} ok')",
        says: "its answer can't be read"),
      Hostile(
        testDescription: "talk on standard error",
        program: "print('\\x1b[2Jhello', file=sys.stderr)\nprint('{\"version\": 1, \"findings\": []}')",
        says: "its answer can't be read"),
      Hostile(testDescription: "a list", program: "print('[]')", says: "its answer is a list, not an object"),
      Hostile(testDescription: "no findings", program: "print('{\"version\": 1}')", says: "no list 'findings'"),
      Hostile(
        testDescription: "another version", program: "print('{\"version\": 2, \"findings\": []}')",
        says: "no 'version' 1"),
      Hostile(
        testDescription: "a field twice", program: "print('{\"version\": 1, \"findings\": [], \"findings\": []}')",
        says: "its answer can't be read"),
      Hostile(
        testDescription: "an unknown field",
        program: "print('{\"version\": 1, \"findings\": [], \"\\\\u001b[2J\": 1}')",
        says: "its answer has the field '<U+001B>[2J', which doesn't exist"),
      Hostile(
        testDescription: "too many findings",
        program: "print(json.dumps({'version': 1, 'findings': [\(finding("/audiences/0"))] * 1001}))",
        says: "it reported 1001 findings; the limit is 1000"),
      Hostile(
        testDescription: "failing", program: "raise ValueError('\\x1b[31mred')",
        says: "status 1: ValueError: <U+001B>[31mred"),
      Hostile(testDescription: "killed", program: "os.kill(os.getpid(), 11)", says: "was ended by signal 11"),
      Hostile(testDescription: "stopped", program: "os.kill(os.getpid(), 19)", says: "took more than 1 second"),
      Hostile(
        testDescription: "grandchildren that keep the pipe open",
        program:
          "import subprocess\nopen('other', 'w').write(str(subprocess.Popen(['sleep', '1000']).pid))\nsys.exit(3)",
        says: "failed with status 3"),
    ])
  func hostile(_ hostile: Hostile) throws {
    let place = try Self.place("open('pid', 'w').write(str(os.getpid()))\n" + hostile.program, "    timeout: 1\n")
    let result = try Self.check(place)
    #expect(result.status == 1, "\(result.stdoutText)\(result.stderrText)")
    #expect(result.stdout.isEmpty)
    let said = result.stderrText
    #expect(said.contains("pintle: error: 'python3 check.py' (ci/rules.yaml:3)"), "\(said)")
    #expect(said.contains(hostile.says), "\(said)")
    #expect(!said.contains("\u{1B}"))
    for file in ["ci/pid", "ci/other"] where file == "ci/pid" || hostile.testDescription.hasPrefix("grand") {
      #expect(try SigningCommandTests.isGone(try place.read(file)), "\(file)")
    }
  }

  @Test(
    "an invalid finding is an error",
    arguments: [
      (finding("/audiences/0/hosts/99"), "the pointer '/audiences/0/hosts/99' of finding 1 doesn't lead"),
      (finding("/audiences/0/hosts/00"), "doesn't lead to a value"),
      (finding("/audiences/0/hosts/-1"), "doesn't lead to a value"),
      (finding("/audiences/0/hosts/0/\\x1b[2J"), "/<U+001B>[2J' of finding 1 doesn't lead"),
      (finding("/audiences/1"), "doesn't lead to a value"),
      (finding("audiences/0"), "doesn't lead to a value"),
      (finding("/audiences/0/~2"), "doesn't lead to a value"),
      (finding("/tool/name"), "doesn't lead to a value"),
      (finding("/audiences/0", "no", "fatal"), "'severity' of finding 1 is not error, warning or note"),
      (finding("/audiences/0", ""), "'message' of finding 1 is missing"),
      (finding("/audiences/0", String(repeating: "x", count: 2_001)), "not a text of 1 to 2000 bytes"),
      (finding("/audiences/0").replacing("X101", with: "P313"), "has the code 'P313', which 'codes:'"),
      (finding("/audiences/0").replacing("X101", with: "X103"), "has the code 'X103', which 'codes:'"),
      (finding("/audiences/0") + ", 7", "finding 2 is a number, not an object"),
      (finding("/audiences/0").replacing("'code'", with: "'line': 1, 'code'"), "has the field 'line'"),
    ])
  func lies(_ findings: String, _ says: String) throws {
    let result = try Self.check(try Self.answering(findings))
    #expect(result.status == 1 && result.stdout.isEmpty)
    #expect(result.stderrText.contains("'python3 check.py' (ci/rules.yaml:3)"), "\(result.stderrText)")
    #expect(result.stderrText.contains(says), "\(result.stderrText)")
    #expect(!result.stderrText.contains("\u{1B}"))
  }

  @Test("a program needn't read its input, and what it leaves running isn't waited for")
  func leavesRunning() throws {
    let place = try Self.place(
      """
      import subprocess
      subprocess.Popen(["sleep", "1000"])
      # This one leaves the process group, and keeps the pipe.
      subprocess.Popen(["sleep", "25"], start_new_session=True)
      print('{"version": 1, "findings": []}')
      """)
    let begun = ContinuousClock.now
    let result = try Self.check(place)
    #expect(result.status == 0, "\(result.stderrText)")
    #expect(ContinuousClock.now - begun < .seconds(20))
  }

  @Test("messages can't steer a terminal, a log or a page", arguments: ["text", "json", "github", "sarif", "markdown"])
  func cleaned(_ format: String) throws {
    let place = try Self.answering(Self.finding("/audiences/0/hosts/0", "a\\x1b[2J\\n::error::b\u{202E}"))
    let result = try Self.check(place, "--format \(format)")
    #expect(result.status == 2)
    #expect(!result.stdoutText.contains("\u{1B}") && !result.stdoutText.contains("\u{202E}"))
    #expect(!result.stdoutText.split(separator: "\n").contains { $0.hasPrefix("::error::b") })
    #expect(result.stdoutText.contains("U+001B"), "\(result.stdoutText)")
  }

  @Test("the pointer says the line: a value, what is around one without a place, and what an entry has from its file")
  func places() throws {
    let pointers = [
      "/audiences/0/hosts/0", "/audiences/0/hosts/0/key-set", "/audiences/0/hosts/0/expires", "/audiences/0/keys/0/pin",
      "/audiences/0/manifest/limits/max-lifetime",
      "/audiences/0/hosts/0/include-subdomains", "/audiences/0/key-sets/0/active/0",
    ]
    let place = try Self.place(
      """
      policy = json.load(sys.stdin)
      pointers = \(pointers)
      print(json.dumps({"version": 1, "findings": [{"code": "X102", "severity": "warning", "message": p, "pointer": p}
        for p in pointers]}))
      """)
    let text = try place.run("pintle policy policies --format json").stdoutText
    let json = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let audience = try #require((json["audiences"] as? [[String: Any]])?.first)
    let host = try #require((audience["hosts"] as? [[String: Any]])?.first)
    let written = try #require(host["places"] as? [String: String])
    let result = try Self.check(place, "--format concise")
    for (pointer, field) in [
      ("/audiences/0/hosts/0", "host"), ("/audiences/0/hosts/0/expires", "expires"),
      ("/audiences/0/hosts/0/key-set", "key-set"),
    ] {
      let line = try #require(written[field])
      #expect(result.stdoutText.contains("\(line): warning: \(pointer) [X102]"), "\(line)\n\(result.stdoutText)")
    }
    // A limit that nobody wrote, too: what is around it has a place.
    #expect(result.stdoutText.split(separator: "\n").count { $0.contains("[X102]") } == pointers.count)
    #expect(result.status == 0)
    #expect(try Self.check(place, "--fail-on warning").status == 2)
  }

  @Test("a suppression with an end suppresses them, and is reported if nothing needs it or nobody has the code")
  func suppressions() throws {
    let place = try Self.answering(Self.finding("/audiences/0/hosts/0", "no"))
    let line = try Self.check(place, "--format concise").stdoutText.split(separator: "\n")
      .first { $0.contains("[X101]") }.map(String.init)
    let parts = try #require(line).split(separator: ":")
    func allow(_ code: String) throws {
      _ = try place.run(
        "sed -i '\(parts[1])s/ *#.*//; \(parts[1])s/$/  # pintle:allow \(code) until 2027-01-01: settled/' \(parts[0])")
    }
    try allow("X101")
    let result = try Self.check(place)
    #expect(result.status == 0 && result.stdoutText.contains("suppressed"), "\(result.stdoutText)\(result.stderrText)")
    let later = try place.run("pintle check policies --at 2027-01-02 --rules ci/rules.yaml --format concise")
    #expect(later.status == 2 && later.stdoutText.contains("[X101]"))
    // Without the rules file, nobody knows whether it is needed.
    #expect(!(try place.run("pintle check policies --at 2026-11-21").stdoutText.contains("P410")))
    try allow("X102")
    #expect(try Self.check(place).stdoutText.contains("no finding of X102 begins on this line"))
    try allow("X999")
    #expect(try Self.check(place).stdoutText.contains("there is no rule X999"))
  }

  @Test("rules that couldn't be asked are an error of the policy")
  func unreadPolicy() throws {
    let place = try Self.answering("")
    _ = try place.run("printf 'odd: 1  # pintle:allow P105 until 2027-01-01: no\\n' >>policies/web.yaml")
    let result = try Self.check(place)
    #expect(result.status == 2)
    #expect(
      result.stdoutText.contains("so the rules of 'ci/rules.yaml' were not checked [X000]"), "\(result.stdoutText)")
    // Also if another file is asked about.
    let other = try place.run("pintle check policies/manifest.yaml --at 2026-11-21 --rules ci/rules.yaml")
    #expect(other.status == 2 && other.stdoutText.contains("were not checked [X000]"), "\(other.stdoutText)")
    // A suppression of a rule that couldn't be asked isn't wrong.
    _ = try place.run("printf '# pintle:allow X101 until 2027-01-01: no\\n' >>policies/web.yaml")
    #expect(try !Self.check(place).stdoutText.contains("there is no rule X101"))
  }

  @Test("several audiences are checked by one run, and a finding of some names them")
  func audiences() throws {
    let place = try Self.place(
      """
      open("runs", "a").write("x")
      policy = json.load(sys.stdin)
      found = [f"/audiences/{n}/hosts/{m}" for n, audience in enumerate(policy["audiences"])
               for m, host in enumerate(audience["hosts"]) if audience["audience"] == "staging"]
      print(json.dumps({"version": 1, "findings": [
        {"code": "X101", "severity": "error", "message": "not here", "pointer": p} for p in found]}))
      """)
    _ = try place.run(
      "sed -i 's/audience: test/audiences: { production: {}, staging: { development: true } }/' policies/manifest.yaml")
    let result = try Self.check(place, "--format concise")
    #expect(result.stdoutText.contains("not here (for 'staging') [X101]"), "\(result.stdoutText)\(result.stderrText)")
    #expect(try place.read("ci/runs") == "x")
  }

  @Test("a rules file with mistakes is reported line by line, and nothing of it runs")
  func brokenFile() throws {
    let place = try Self.place("open('ran', 'w')")
    try place.write(
      """
      version: 1
      rules:
        - exec: python3 check.py
          codes: { X101: a, P101: b, X000: c }
        - exec: [python3, check.py]
          timeout: 0
          codes: { X101: a }
          shell: true
      """, to: "ci/rules.yaml")
    let result = try Self.check(place)
    #expect(result.status == 1)
    for says in ["3:11", "4:23", "4:32", "6:14", "7:14", "8:5"] {
      #expect(result.stderrText.contains("ci/rules.yaml:\(says): error"), "\(says)\n\(result.stderrText)")
    }
    #expect((try? place.read("ci/ran")) == nil)
  }

  @Test("a rules file among the policy's files is refused, by whatever name")
  func insidePolicy() throws {
    let place = try Self.answering("")
    _ = try place.run(
      "mkdir policies/ci; cp ci/* policies/ci; mv policies/ci/rules.yaml policies/ci/rules; ln -s policies/ci inner")
    for path in ["policies/ci/rules", "inner/rules", "ci/../policies/ci/rules"] {
      let result = try place.run("pintle check policies --at 2026-11-21 --rules \(path)")
      #expect(result.status == 64, "\(path): \(result.stdoutText)")
      #expect(result.stderrText.contains("people who change the policy may change its rules"), "\(result.stderrText)")
    }
    // Also if the policy's own files are elsewhere below, or a link of the policy leads out.
    _ = try place.run(
      """
      mkdir policies/x policies/y; mv policies/*.yaml policies/keys policies/x; cp ci/* policies/y
      ln -s ../ci/rules.yaml policies/link.conf; ln -s ../ci policies/z
      """)
    for path in ["policies/y/rules.yaml", "policies/link.conf", "policies/z/rules.yaml", "$PWD/policies/z/rules.yaml"] {
      let result = try place.run("pintle check policies --at 2026-11-21 --rules \(path)")
      #expect(result.status == 64, "\(path): \(result.stdoutText)\(result.stderrText)")
    }
    let here = try place.run("cd policies && pintle check . --at 2026-11-21 --rules y/rules.yaml")
    #expect(here.status == 64, "\(here.stdoutText)\(here.stderrText)")
  }

  @Test("a program that isn't there is named")
  func missingProgram() throws {
    let place = try Self.answering("")
    _ = try place.run("sed -i 's/python3/no-such-program/' ci/rules.yaml")
    let result = try Self.check(place)
    #expect(result.status == 1)
    #expect(
      result.stderrText.contains("can't start 'no-such-program': there is none on the path (ci/rules.yaml:3)"),
      "\(result.stderrText)")
  }
}
