import Foundation
import TestSupport
import Testing

/// The formats of `pintle diff` that programs and pull requests take.
@Suite("The formats of a diff")
struct DiffFormatTests {
  /// A folder with a policy, two releases of it, and another policy for each scene.
  private static func workplace(_ scene: Scene) throws -> Workplace {
    let place = try Workplace()
    let script = """
      mkdir released
      sed -i 's/2027-03-01/2027-09-01/' fleet/policy.yaml
      pintle build fleet -o released/1.json --sign-key signing/release.key --serial 1 --issued-at 2026-08-01
      pintle build fleet -o released/2.json --sign-key signing/release.key --against released/1.json \\
        --issued-at 2026-11-01
      pintle evidence merge evidence/shard-1.json evidence/shard-2.json -o fleet.json
      cd fleet
      \(scene.script)
      """
    try place.write(script, to: "script")
    let result = try place.run("sh -e script")
    try #require(result.status == 0, "\(result.stderrText)")
    return place
  }

  struct Scene: CustomTestStringConvertible, Sendable {
    /// The name of its fixture.
    var testDescription: String
    /// What is done to the policy.
    var script: String
    var arguments = "--against released --key signing/release.key.pub --evidence fleet.json"
  }

  static let scenes = [
    Scene(testDescription: "nothing", script: "true"),
    Scene(
      testDescription: "dropped",
      script: """
        sed -i 's/active: .api., backup: .api-next./active: [api-next], backup: [spare]/' policy.yaml
        sed -i 's#^  root:.*#&\\n  spare: { pin: sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=, custody: a safe, created: 2026-09-01 }#' policy.yaml
        """),
    Scene(
      testDescription: "suppressed",
      script: """
        sed -i 's/  - host: mail.*/  - host: mail.example.com # pintle:allow P606 until 2027-01-15: moved to another team/
          s/keys: { active: .root., backup: .api-next. }/mode: report-only\\n    &/' policy.yaml
        """),
    Scene(
      testDescription: "everything",
      script: """
        cat >manifest.yaml <<END
        version: 1
        manifest: { audience: test, on-stale: unpinned, refresh-after: 12h, expires-after: 20d, unpinned-hosts: deny }
        END
        cat >policy.yaml <<END
        version: 1
        keys:
          api: { file: keys/api.pem }
          api-next: { file: keys/api-next.pem, denied: "lost in the post" }
          root: { file: keys/root.pem, position: root }
          other: { pin: sha256/h6801m+z8v3zbgkRHpq6L29Esgfzhj89C1SyUCOQmqU=, custody: a safe, created: 2026-09-01 }
        hosts:
          - host: api.example.com
            keys: { active: [root], backup: [api, other] }
            require: any
            include-subdomains: true
            expires: 2027-02-01
            on-expiry: block
            report-uris: [https://pins.example.net/reports]
            trust:
              minimum-rsa-bits: 3072
              minimum-tls: "1.3"
              server-name: api.internal.example.com
              reason: an appliance
          - host: a.api.example.com
            port: 8443
            mode: off
            reason: an appliance that is replaced in spring
          - { host: a.example.net, mode: report-only, expires: 2027-02-01, on-expiry: report-only, keys: { active: [root], backup: [other] }, report-uris: [https://pins.example.net/reports] }
        END
        """),
    // Findings of families other than rotation.
    Scene(
      testDescription: "further",
      script: """
        sed -i 's/^manifest:/&\\n  clients: [full-chain, leaf-only]/' manifest.yaml
        echo '  - { host: new.example.com, keys: { active: [root], backup: [api-next] } }' >>policy.yaml
        """),
    Scene(
      testDescription: "commit",
      script: """
        cd ..
        export GIT_AUTHOR_DATE=2026-11-20T00:00:00Z GIT_COMMITTER_DATE=2026-11-20T00:00:00Z
        git init -q -b main .
        git add fleet
        git -c user.name=Tester -c user.email=tester@example.com commit -q -m first
        sed -i 's/on-expiry: report-only/on-expiry: block/' fleet/policy.yaml
        """,
      arguments: "--against git:main"),
  ]

  private static let fixtures = TranscriptTests.folder.deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures/diffs/valid")

  /// These files are also checked with `schemas/diff.schema.json`.
  @Test("in JSON is what the fixture says, wherever and when it is made", arguments: scenes)
  func json(scene: Scene) throws {
    let place = try Self.workplace(scene)
    let command = "pintle diff fleet \(scene.arguments) --at 2026-11-22 --format json"
    let output = try place.run(command).stdoutText
    let file = Self.fixtures.appending(path: scene.testDescription + ".json")
    if ProcessInfo.processInfo.environment["PINTLE_RECORD"] == "1" {
      try output.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try output == String(contentsOf: file, encoding: .utf8))
    #expect(try place.run("TZ=Asia/Tokyo " + command + " -o again.json").stdoutText == "")
    #expect(try place.read("again.json") == output)
  }

  @Test("every fixture is made by a scene")
  func fixturesAreMade() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.fixtures.path())
    #expect(Set(names) == Set(Self.scenes.map { $0.testDescription + ".json" }))
  }

  @Test("in SARIF has the findings as results, and what else there is to look at as notes")
  func sarif() throws {
    let scene = try #require(Self.scenes.first { $0.testDescription == "dropped" })
    let result = try Self.workplace(scene).run("pintle diff fleet \(scene.arguments) --at 2026-11-22 --format sarif")
    #expect(result.status == 3)
    let log = try JSONDecoder().decode(Log.self, from: Data(result.stdout))
    #expect(log.runs.map { $0.results.map(\.ruleId) } == [["P603", "P612"]])
    let notes = log.runs.flatMap { $0.invocations.flatMap(\.toolExecutionNotifications) }
    #expect(notes.map(\.level) == ["note", "note"])
    #expect(notes.first?.message.text == "unsafe, 1 error, 1 warning: 2 host entries, 1 changed")
    #expect(
      notes.last?.message.text.hasPrefix(
        "may lock clients out (the errors say whom): changed api.example.com\nkeys: - api (") == true)
  }

  /// The parts of a SARIF log that are checked here; Scripts/check/sarif checks all of it with the standard's schema.
  private struct Log: Decodable {
    struct Run: Decodable {
      var results: [Result]
      var invocations: [Invocation]
    }
    struct Result: Decodable { var ruleId: String }
    struct Invocation: Decodable { var toolExecutionNotifications: [Notification] }
    struct Notification: Decodable {
      var level: String
      var message: Message
    }
    struct Message: Decodable { var text: String }

    var runs: [Run]
  }

  @Test("in Markdown takes nobody's text for markup")
  func hostileText() throws {
    let reason = #"`x` <img src=x onerror=alert(1)> @octocat #1 | [a](http://b) ## c ${{ github.token }} \u202E"#
    let place = try Self.workplace(Scene(testDescription: "hostile", script: "true"))
    try place.write(
      """
      version: 1
      keys:
        api: { file: keys/api.pem, denied: "\(reason)" }
        api-next: { file: keys/api-next.pem, custody: a safe, created: 2026-09-01 }
        root: { file: keys/root.pem, position: root }
      hosts:
        - host: mail.example.com  # pintle:allow P609 until 2027-01-15: \(reason.dropLast(7))
          mode: enforce
          keys: { active: [root], backup: [api-next] }
          expires: 2027-03-01
          on-expiry: report-only
          trust:
            anchors: [keys/root.pem]
            exceptions:
              - { failure: name-mismatch, certificate: keys/api.pem, until: 2027-01-01, reason: "\(reason)" }
            reason: "\(reason)"

      """, to: "fleet/policy.yaml")
    let result = try place.run(
      "pintle diff fleet --against released --key signing/release.key.pub --at 2026-11-22 --format markdown")
    // In a fenced block everything is text, and after a backslash each character.
    let text = result.stdoutText.components(separatedBy: "```text").map { part in
      part.components(separatedBy: "\n```\n").last ?? ""
    }.joined().replacingOccurrences(of: "\\<", with: "")
    #expect(result.stdoutText.hasPrefix("### pintle diff: "), "\(result.stderrText)")
    #expect(text.contains("octocat"))
    #expect(!text.contains("<img"))
    #expect(!text.contains("@octocat"))
    #expect(!text.contains("[a](http"))
    #expect(!text.contains("\u{202E}"))
    #expect(!text.split(separator: "\n").contains { $0.hasPrefix("## ") })
  }

  /// A policy of so many hosts, each with a key set of its own or all with one.
  private func policy(hosts: Int, apart: Bool, backup: String) -> String {
    var text = """
      version: 1
      defaults: { expires: 2027-09-01, on-expiry: report-only, report-uris: [https://pins.example.org/reports] }
      keys:
        one: { pin: sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=, position: root }
        two: { pin: sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=, position: root }
        three: { pin: sha256/h6801m+z8v3zbgkRHpq6L29Esgfzhj89C1SyUCOQmqU=, position: root }
      key-sets:
        web: { active: [one], backup: [\(backup)] }
      hosts:

      """
    for number in 0..<hosts {
      let reports = apart && backup != "two" ? ", report-uris: [https://pins.example.org/\(number)]" : ""
      text += "  - { host: h\(number).example.com, keys: web\(reports) }\n"
    }
    return text
  }

  @Test("fits in a comment, whatever changes", arguments: [false, true])
  func fits(apart: Bool) throws {
    let place = try Workplace()
    try place.write("version: 1\nmanifest: { audience: test }\n", to: "many/manifest.yaml")
    try place.write(policy(hosts: 1_500, apart: apart, backup: "two"), to: "many/policy.yaml")
    let built = try place.run(
      "pintle build many -o 1.json --sign-key signing/release.key --serial 1 --issued-at 2026-11-01")
    try #require(built.status == 0, "\(built.stderrText)")
    try place.write(policy(hosts: 1_500, apart: apart, backup: "three"), to: "many/policy.yaml")
    let against = "pintle diff many --against 1.json --key signing/release.key.pub --at 2026-11-22 --format"
    let markdown = try place.run("\(against) markdown").stdoutText
    #expect(markdown.utf8.count <= 60_000)
    #expect(markdown.contains(apart ? "and " : "and 1497 more"))
    #expect(markdown.components(separatedBy: "<details").count == markdown.components(separatedBy: "</details>").count)
    let text = try place.run("\(against) text").stdoutText
    #expect(text.split(separator: "\n").count < 300)
    #expect(text.contains(apart ? "more changes, which '--format json' lists" : "and 1497 more (1500)"))
  }
}
