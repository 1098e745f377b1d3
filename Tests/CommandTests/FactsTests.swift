import Foundation
import TestSupport
import Testing

/// What commands print about one thing with `--format json`: fields with values, which are kept as fixtures for
/// `Scripts/check/schemas` to check with `schemas/facts.schema.json`.
///
/// `PINTLE_RECORD=1` writes the fixtures again; read the difference before you commit it.
@Suite("Facts as JSON")
struct FactsTests {
  struct Row: CustomTestStringConvertible, Sendable {
    /// The name of its fixture.
    var testDescription: String
    var scene: Scene
    var command: String
    var status: Int32
    /// Values by their paths, such as `keys.0.name`.
    ///
    /// That of a list is how many items it has; nil means that there is no such field.
    var fields: [String: String?]

    init(
      _ name: String, _ scene: Scene, _ command: String, status: Int32 = 0, _ fields: [String: String?]
    ) {
      testDescription = name
      self.scene = scene
      self.command = command
      self.status = status
      self.fields = fields
    }

    init(_ name: String, _ command: String, _ fields: [String: String?]) {
      self.init(name, .plain, command, fields)
    }
  }

  /// What is there before the command.
  enum Scene: String, Sendable {
    case plain = "true"
    case released = """
      cat policies/keys/api.pem policies/keys/example-intermediate.pem >chain.pem
      pintle build policies -o m.json --sign-key signing/release.key --serial 1 --issued-at 2026-11-21
      pintle build policies -o draft.json --unsigned --serial 1 --issued-at 2026-11-21
      """
    case window = """
      mkdir released && cat policies/keys/api.pem policies/keys/example-intermediate.pem >chain.pem
      pintle build policies -o released/1.json --sign-key signing/release.key --serial 1 --issued-at 2026-11-01
      sed -i 's/www.example.com, keys: elsewhere/www.example.com, keys: public-web/' policies/web.yaml
      pintle build policies -o released/2.json --against released --key signing/release.key.pub \\
        --sign-key signing/release.key --issued-at 2026-11-21 --unsafe swapped
      """
    case event = """
      export GIT_AUTHOR_NAME=T GIT_AUTHOR_EMAIL=t@example.com GIT_COMMITTER_NAME=T
      export GIT_COMMITTER_EMAIL=t@example.com GIT_AUTHOR_DATE=2026-11-23T00:00:00Z GIT_COMMITTER_DATE=2026-11-23T00:00:00Z
      commit() { git add policies keysets released event && git commit -q -m "$1"; }
      sign() { pintle sign event/2.json --detached --keyset keysets --against released --sign-key people/$1.key; }
      draft() { pintle build policies --unsigned -o event/2.json --against released --keyset keysets --issued-at 2026-11-22; }
      git init -q -b main . && mkdir keysets released event && echo '# old' >event/old.txt
      pintle keyset init -o keysets/1.keyset.json --audience test --root alice=people/alice.pub --root-threshold 1 \\
        --signer ci=people/ci.pub --signer carol=people/carol.pub --signer emil=people/emil.pub --threshold 2 \\
        --issued-at 2026-11-21 --expires 2027-11-21 --sign-key people/alice.key
      pintle build policies -o released/1.json --sign-key people/ci.key --sign-key people/carol.key --serial 1 \\
        --issued-at 2026-11-21
      commit Begin && git switch -q -c release-2 && sed -i 's/^owner: .*/&\\nowners: [emil]/' policies/web.yaml
      draft && commit Draft && sign ci && sign emil && commit Sign
      sed -i 's/mode: report-only, //' policies/web.yaml && rm event/2.json && draft && sign ci
      echo 'its CA ends tomorrow' >event/2.reason && commit Again
      """
    case history = """
      export GIT_AUTHOR_NAME=T GIT_AUTHOR_EMAIL=t@example.com GIT_AUTHOR_DATE=2026-11-20T00:00:00Z
      export GIT_COMMITTER_NAME=T GIT_COMMITTER_EMAIL=t@example.com GIT_COMMITTER_DATE=2026-11-20T00:00:00Z
      git init -q -b main . && git add policies && git commit -q -m Begin && mkdir keysets released
      pintle keyset init -o keysets/1.keyset.json --audience test --root alice=people/alice.pub --root-threshold 1 \\
        --signer ci=people/ci.pub --signer carol=people/carol.pub --threshold 1 --issued-at 2026-11-21 \\
        --expires 2027-11-21 --sign-key people/alice.key
      pintle build policies -o released/1.json --sign-key people/ci.key --serial 1 --issued-at 2026-11-21 --commit git
      sed -i 's/active: .other-root./active: [example-root]/' policies/web.yaml && git commit -q -a -m Swap
      pintle build policies -o released/2.json --sign-key people/ci.key --sign-key people/carol.key \\
        --against released --keyset keysets --issued-at 2026-12-01 --at 2026-12-01 --commit git --unsafe swapped
      """
    case keyset = """
      pintle keyset init -o 1.keyset.json --audience test --root alice=people/alice.pub --root bob=people/bob.pub \\
        --root-threshold 2 --signer ci=people/ci.pub --signer dora=people/dora.pub --threshold 1 \\
        --issued-at 2026-11-21 --expires 2027-11-21 --sign-key people/alice.key --sign-key people/bob.key
      pintle build policies -o m.json --sign-key people/ci.key --serial 1 --issued-at 2026-11-21
      sed -i 's/mode: report-only, //
        s/leaked-2025: \\(.*\\) in a public bucket/lost-2025: \\1 on a train/' policies/web.yaml
      cat >>policies/web.yaml <<END
        - host: 10.0.0.5
          port: 8443
          keys: { active: [other-root], backup: [api-spare] }
          require: any
          trust:
            anchors: [keys/other-root.pem]
            minimum-tls: "1.3"
            server-name: appliance.example.com
            reason: an appliance
      END
      pintle build policies -o next.json --unsigned --against m.json --keyset 1.keyset.json --issued-at 2026-12-01 --at 2026-12-01
      """
  }

  @Test("are what the text says, field by field", arguments: rows)
  func fields(row: Row) throws {
    let place = try Workplace()
    try place.write(row.scene.rawValue, to: "scene")
    let before = try place.run("sh -e scene")
    try #require(before.status == 0, "\(before.stderrText)")
    let result = try place.run(row.command)
    #expect(result.status == row.status, "\(result.stderrText)")
    // Standard output contains only the object.
    let object = try JSONDecoder().decode(Value.self, from: Data(result.stdout))
    #expect(object["version"]?.text == "1")
    #expect(object["tool.name"]?.text == "pintle")
    for (path, value) in row.fields { #expect(object[path]?.text == value, "\(path)") }
    if row.status == 6 { #expect(result.stderrText.contains("pintle: error: ")) }
    let file = Self.fixtures.appending(path: row.testDescription + ".json")
    if ProcessInfo.processInfo.environment["PINTLE_RECORD"] == "1" { try Data(result.stdout).write(to: file) }
    #expect(try result.stdoutText == String(contentsOf: file, encoding: .utf8))
  }

  private static let fixtures = TranscriptTests.folder.deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures/facts/valid")

  @Test("have a fixture for each case, and no other")
  func everyFixtureIsMade() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.fixtures.path())
    #expect(Set(names) == Set(Self.rows.map { $0.testDescription + ".json" }))
  }

  /// A command that can't do its work says so on standard error, and leaves standard output empty.
  @Test(
    "are not printed where there are none",
    arguments: [
      ("pintle build mistakes -o m.json --sign-key signing/release.key --serial 1 --issued-at 2026-11-21", 2),
      ("pintle build policies -o - --sign-key signing/release.key --serial 1 --issued-at 2026-11-21", 64),
      ("pintle verify policies/web.yaml", 64), ("pintle show policies/web.yaml", 1),
      ("pintle sign - --sign-key signing/release.key", 64), ("pintle sign nowhere --sign-key signing/release.key", 1),
      ("pintle pin policies/keys/api.pem policies/keys/private-key.pem", 1), ("pintle pin 127.0.0.1:1", 5),
      ("pintle decide api.example.com --manifest policies/web.yaml --key signing/release.key.pub --chain x", 6),
      ("pintle key signing/release.key", 1), ("pintle show people/ci.pub policies/keys/api.pem", 1),
      ("pintle keyset next nowhere --revoke ci -o - --expires same", 64),
      ("pintle show policies/web.yaml 1.keyset.json", 64),
    ])
  func failures(command: String, status: Int32) throws {
    let result = try Workplace().run(command + " --format json")
    #expect(result.status == status, "\(result.stderrText)")
    #expect(result.stdoutText == "")
    #expect(result.stderrText != "")
  }

  /// JSON whose values are found by a path.
  private enum Value: Decodable {
    case scalar(String)
    case list([Value])
    case object([String: Value])

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let truth = try? container.decode(Bool.self) {
        self = .scalar("\(truth)")
      } else if let number = try? container.decode(Int.self) {
        self = .scalar("\(number)")
      } else if let text = try? container.decode(String.self) {
        self = .scalar(text)
      } else if let items = try? container.decode([Value].self) {
        self = .list(items)
      } else {
        self = .object(try container.decode([String: Value].self))
      }
    }

    /// The scalar, or how many a list or an object has.
    var text: String {
      switch self {
      case .scalar(let text): text
      case .list(let items): "\(items.count)"
      case .object(let members): "\(members.count)"
      }
    }

    subscript(path: String) -> Value? {
      path.split(separator: ".").reduce(self as Value?) { value, step in
        switch value {
        case .list(let items): Int(step).flatMap { items.indices.contains($0) ? items[$0] : nil }
        case .object(let members): members[String(step)]
        case .scalar, nil: nil
        }
      }
    }
  }
}
