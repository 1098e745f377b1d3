import Foundation
import TestSupport
import Testing

/// From where rules may come: of a branch, from its base; in an editor, from its command line.
@Suite("Where rules of one's own come from")
struct OwnRulesPlaceTests {
  /// A base with a rule that every enforced entry breaks, unless the program is another one.
  private static let rules = """
    rules() {
      mkdir -p ci/rules
      printf 'version: 1\\nrules:\\n  - { exec: [./check.sh], codes: { X101: no entry for web hosts } }\\n' \
        >ci/rules/rules.yaml
      printf '#!/bin/sh\\ncat >/dev/null\\ncat answer.json\\n' >ci/rules/check.sh
      chmod +x ci/rules/check.sh
    }
    answer() {
      printf '{"version": 1, "findings": [{"code": "X101", "severity": "%s", "message": "not like this", %s}]}' \
        "$1" '"pointer": "/audiences/0/hosts/0"' >ci/rules/answer.json
    }
    """

  @Test("the gate's rules and programs are those of the base, whatever branch and working tree have")
  func gate() throws {
    let scene = try EventScene()
    try scene.run("cat >>functions <<'END'\n\(Self.rules)\nEND")
    // A base without them.
    let none = try scene.run(
      "cd b && git switch -q -c x && pintle gate --base main --rules ci/rules/rules.yaml", ends: 1)
    #expect(none.stderrText.contains("'main' has no file 'ci/rules/rules.yaml'"), "\(none.stderrText)")
    try scene.run("cd a && rules && answer error && commit Rules && push && answer note && echo >ci/rules/check.sh")
    let judged = try scene.run(
      """
      cd b && git fetch -q && git switch -q -c y origin/main && answer note && git rm -q ci/rules/rules.yaml
      sed -i 's/^owners: .*/# &/; s/mode: enforce/mode: report-only/' policies/payments.yaml && commit Weaker
      TMPDIR=$PWD/../t; mkdir $TMPDIR; export TMPDIR
      pintle gate --base origin/main --rules ci/rules/rules.yaml --format concise || s=$?; ls $TMPDIR; exit $s
      """, ends: 2)
    #expect(
      judged.stdoutText.contains("policies/payments.yaml:5:11: error: not like this [X101]"), "\(judged.stdoutText)")
    #expect(judged.stdoutText.contains("ci/rules/rules.yaml"), "the change of the rules is named\n\(judged.stdoutText)")
    // The copy of the base's files is gone.
    #expect(!judged.stdoutText.contains("pintle-"))
    // The branch's own rules count after the merge.
    let merged = try scene.run(
      "cd b && git switch -q -c z origin/main && answer note && commit Lenient && git branch -f base && "
        + "git commit -q --allow-empty -m x && pintle gate --base base --rules ci/rules/rules.yaml")
    #expect(merged.stdoutText.contains("safe, 1 note: nothing changes"), "\(merged.stdoutText)")
    #expect(merged.stdoutText.contains("note: not like this [X101]"))
    // What the branch suppresses is shown.
    let accepted = try scene.run(
      "cd b && git branch -f base origin/main && git switch -q -c s origin/main && sed -i "
        + "'s/host: pay.example.com.*/& # pintle:allow X101 until 2026-12-20: asked for/' policies/payments.yaml && "
        + "commit Accept && pintle gate --base base --rules ci/rules/rules.yaml || true")
    #expect(accepted.stdoutText.contains("suppressed (1)"), "\(accepted.stdoutText)")
    #expect(accepted.stdoutText.contains("not like this [X101]"), "\(accepted.stdoutText)")
  }

  @Test(
    "a rules file whose changes the gate wouldn't name is refused",
    arguments: [
      "rules.yaml", "policies/rules.yaml", "ci/../policies/rules.yaml", "/etc/rules.yaml", "ci//rules.yaml",
      "tools/r.yaml", "tools/pintle.yaml", "x/action.yml", "out/ci/rules.yaml",
    ])
  func unseen(_ path: String) throws {
    let scene = try EventScene()
    let result = try scene.run("cd a && pintle gate --base main --rules \(path)", ends: 64)
    #expect(result.stderrText.contains("is not in a folder of the pipeline"), "\(result.stderrText)")
  }

  // MARK: Editors

  /// What the server sends to a client that opens a policy, with a folder as its workspace.
  private static func session(_ place: Workplace, _ options: String, workspace: String) throws -> String {
    let file = place.path + "/policies/web.yaml"
    let text = try place.read("policies/web.yaml")
    let messages: [[String: Any]] = [
      [
        "id": 1, "method": "initialize",
        "params": [
          "capabilities": [:], "workspaceFolders": [["uri": "file://" + workspace, "name": "x"]],
          "initializationOptions": ["rules": "own/rules.yaml", "pintle": ["rules": "own/rules.yaml"]],
        ],
      ],
      ["method": "initialized", "params": [:]],
      ["method": "workspace/didChangeConfiguration", "params": ["settings": ["rules": "own/rules.yaml"]]],
      [
        "method": "textDocument/didOpen",
        "params": [
          "textDocument": [
            "uri": "file://" + file, "languageId": "yaml", "version": 1, "text": text,
          ]
        ],
      ],
      [
        "method": "textDocument/didChange",
        "params": [
          "textDocument": ["uri": "file://" + file, "version": 2], "contentChanges": [["text": text + "\n"]],
        ],
      ],
    ]
    var stream = Data()
    for message in messages {
      let data = try JSONSerialization.data(withJSONObject: message.merging(["jsonrpc": "2.0"]) { $1 })
      stream += Data("Content-Length: \(data.count)\r\n\r\n".utf8) + data
    }
    try place.write(stream, to: "session")
    return try place.run("pintle lsp --at 2026-11-21 \(options) <session").stdoutText
  }

  private static func place() throws -> Workplace {
    let place = try Workplace()
    try place.write(
      "version: 1\nrules:\n  - { exec: [./check.sh], codes: { X101: web hosts } }\n", to: "own/rules.yaml")
    try place.write(
      """
      #!/bin/sh
      cat >/dev/null; echo x >>ran
      echo '{"version": 1, "findings": [{"code": "X101", "severity": "error", "message": "not here",'
      echo '"pointer": "/audiences/0/hosts/1"}]}'
      """, to: "own/check.sh")
    _ = try place.run("chmod +x own/check.sh && mkdir .vscode pintle && cp own/rules.yaml policies/../pintle")
    return place
  }

  @Test("opening a folder runs nothing: no file of it and nothing that a client says names rules")
  func opening() throws {
    let place = try Self.place()
    let sent = try Self.session(place, "", workspace: place.path)
    #expect(sent.contains("publishDiagnostics") && !sent.contains("X101"))
    #expect((try? place.read("own/ran")) == nil)
  }

  @Test("rules that the editor's command line names are asked, unless they are in the workspace")
  func editor() throws {
    let place = try Self.place()
    let sent = try Self.session(place, "--rules own/rules.yaml", workspace: place.path + "/policies")
    #expect(sent.contains(#""code":"X101""#) && sent.contains("not here"), "\(sent)")
    let count = try place.read("own/ran").count
    let inside = try Self.session(place, "--rules own/rules.yaml", workspace: place.path)
    #expect(!inside.contains(#""code":"X101""#))
    #expect(inside.contains("so opening it would run its programs"), "\(inside)")
    #expect(try place.read("own/ran").count == count)
  }

  @Test("a program that fails is reported once, and the other findings stay")
  func failing() throws {
    let place = try Self.place()
    try place.write("#!/bin/sh\nsleep 100\n", to: "own/check.sh")
    _ = try place.run("sed -i 's/mode: off/mode: none/' policies/web.yaml")
    _ = try place.run(
      "sed -i 's/mode: none/mode: off/; s/public-web }/public-web, expires: 2026-11-01 }/' policies/web.yaml")
    let sent = try Self.session(place, "--rules own/rules.yaml", workspace: place.path + "/policies")
    #expect(sent.components(separatedBy: "window/showMessage").count == 2, "\(sent)")
    #expect(sent.contains("took more than 2 seconds and was ended"))
    #expect(sent.contains("P4"), "\(sent)")
  }
}
