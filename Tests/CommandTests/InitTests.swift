import Foundation
import TestSupport
import Testing

/// `pintle init`: files that work as they are.
///
/// What their readers say of them is asked by `Scripts/check-starters`.
@Suite("Beginning a repository")
struct InitTests {
  private static let example = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "examples/policy-repository")

  @Test(
    "what doesn't depend on the answers is what the example has",
    arguments: [
      "ci/pins", ".github/workflows/pins.yml", ".gitlab-ci.yml", ".githooks/pre-commit", ".pre-commit-config.yaml",
      ".vscode/settings.json", ".editorconfig", ".gitignore", "policies/manifest.yaml", "schemas/policy.schema.json",
    ])
  func isTheExample(file: String) throws {
    let place = try Workplace()
    let began = try place.run(
      "pintle init new --yes --ci github --hook --editor vscode && pintle init new --yes --ci gitlab")
    #expect(began.status == 0, "\(began.stderrText)")
    let expected = try String(contentsOf: Self.example.appending(path: file), encoding: .utf8)
    #expect(try place.read("new/" + file) == expected)
    let mode = try place.run("test -x new/\(file)").status == 0
    #expect(mode == (file == "ci/pins" || file == ".githooks/pre-commit"))
  }

  @Test(
    "every first policy is without findings",
    arguments: [
      "", "--owner 'Team \"Web\" & friends: #1'", "--host api.example.com", "--audience staging-2",
      "--host api.example.com --host 192.0.2.1 --active policies/keys/api.pem --backup policies/keys/api-spare.csr "
        + "--report-uri https://r.example",
      "--host a.example.com --active sha256/ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs= "
        + "--backup sha256/PiPoFgA5WUoziU9lZOGxNIu9egCI1CxKy3PurtWcAJ0= --report-uri 'https://r.example/{x}?a=b#c'",
    ])
  func firstPolicy(options: String) throws {
    let place = try Workplace()
    let began = try place.run("pintle init new --yes --at 2026-11-21 \(options)")
    #expect(began.status == 0, "\(began.stderrText)")
    // For a backup that is only a pin, somebody has to say where it is kept (P323).
    let level = options.contains("sha256/") ? "error" : "warning"
    let checked = try place.run("pintle check new/policies --at 2026-11-21 --fail-on \(level)")
    #expect(checked.status == 0, "\(checked.stdoutText)")
  }

  @Test("the outline holds, once its comment signs are taken away")
  func outline() throws {
    let place = try Workplace()
    try place.run("pintle init new --yes --at 2026-11-21").mustSucceed()
    // Clients need somewhere to report to.
    let fields = ["version", "defaults", "keys", "key-sets", "hosts", "owner"].map { $0 + ":" }
    let lines = try place.read("new/policies/hosts.yaml").split(separator: "\n").map { line in
      let bare = line.dropFirst(2)
      let isField = line.hasPrefix("# ") && (bare.hasPrefix("  ") || fields.contains { bare.hasPrefix($0) })
      return isField ? bare.replacingOccurrences(of: "  # report-uris", with: "  report-uris") : String(line)
    }
    try place.write(lines.joined(separator: "\n") + "\n", to: "new/policies/hosts.yaml")
    try place.run(
      "mkdir new/policies/keys && cp policies/keys/api.pem new/policies/keys/issuing-ca.pem "
        + "&& cp policies/keys/api-spare.csr new/policies/keys/spare.csr"
    ).mustSucceed()
    let checked = try place.run("pintle check new/policies --at 2026-11-21 --fail-on warning")
    #expect(checked.status == 0, "\(checked.stdoutText)")
    #expect(try place.run("pintle build new/policies --unsigned --serial 1 --issued-at 2026-11-21 -o m").status == 0)
  }

  @Test("existing files aren't changed, not even through a link")
  func keeps() throws {
    let place = try Workplace()
    try place.write("mine", to: "new/.gitignore")
    try place.run("mkdir -p new/schemas && ln -s ../../nowhere new/schemas/policy.schema.json").mustSucceed()
    let began = try place.run("pintle init new --yes")
    #expect(began.status == 0)
    #expect(began.stderrText.contains("kept .gitignore, which was there\n"))
    #expect(try place.read("new/.gitignore") == "mine")
    #expect(try place.run("test -e nowhere").status == 1)
    let before = try place.read("new/policies/hosts.yaml")
    let again = try place.run("pintle init new --yes --ci github")
    #expect(again.stderrText.contains("there is a policy in 'policies': no policy file is added"))
    #expect(try place.read("new/policies/hosts.yaml") == before)
    let ignored = try place.run("pintle init new --yes --owner a --host api.example.com --report-uri https://r.example")
    #expect(ignored.status == 64)
    #expect(ignored.stderrText.contains("there is a policy in 'new/policies' already, and --host can't change it"))
    #expect(ignored.stderrText.contains("leave out --host, --report-uri"))
  }

  /// The pipeline's next release follows the highest serial, whatever the files are called, and is made in time.
  @Test("the pipeline builds on the newest of many releases, and renews it in time", arguments: ["%d", "%04d"])
  func newestOfMany(format: String) throws {
    let place = try Workplace()
    try place.run("mkdir repository && cp -r policies repository && pintle init repository --yes --ci github")
      .mustSucceed()
    try place.run(
      """
      cd repository && mkdir released signers && cp ../signing/release.key.pub signers/release.pub
      pintle build -o released/$(printf \(format) 1).json --sign-key ../signing/release.key --serial 1 --issued-at 2026-11-01
      for serial in 2 3 4 5 6 7 8 9 10; do
        pintle build -o released/$(printf \(format) $serial).json --sign-key ../signing/release.key \
          --baseline released/$(printf \(format) $((serial - 1))).json --issued-at 2026-11-01 || exit
      done
      """
    ).mustSucceed()
    let built = try place.run("cd repository && PINS_AT=2026-11-10 ci/pins build")
    #expect(built.status == 0, "\(built.stderrText)")
    #expect(try place.read("repository/out/manifest.json").contains("\"serial\":11,"))
    let signed = try place.run(
      "cd repository && PINS_AT=2026-11-10 PINTLE_SIGNING_KEY=../signing/release.key ci/pins sign")
    #expect(signed.status == 0, "\(signed.stderrText)")
    // They expire 2026-12-01.
    #expect(try place.run("cd repository && PINS_AT=2026-11-10 ci/pins due").status == 1)
    #expect(try place.run("cd repository && PINS_AT=2026-11-20 ci/pins due").status == 0)
  }

  @Test("reports what a repository's own files lack, the guard of private keys first")
  func othersAreNamed() throws {
    let place = try Workplace()
    try place.write("node_modules\n*.key  \n", to: "new/.gitignore")
    try place.write("stages: [test]\n", to: "new/.gitlab-ci.yml")
    let began = try place.run("pintle init new --yes --ci gitlab")
    #expect(
      began.stderrText.contains(
        """
        next:
          1. add to .gitignore, so that no private key is committed: *.p12 *.pfx /out/ /.pintle/
          2. see what these lack of what a new folder gets: .gitlab-ci.yml

        """))
    try place.run("printf '%s\\n' '*.p12' '*.pfx' /out/ /.pintle/ >> new/.gitignore").mustSucceed()
    #expect(!(try place.run("pintle init new --yes --ci gitlab").stderrText.contains("add to .gitignore")))
  }

  @Test("a pipeline that is added to a policy is for the policy's environment")
  func audienceOfThePolicy() throws {
    let place = try Workplace()
    try place.run("mkdir -p new/policies && mv policies new/policies/web").mustSucceed()
    let asked = try place.run("pintle init new --yes --ci github --audience elsewhere")
    #expect(asked.status == 1)
    #expect(asked.stderrText.contains("not for 'elsewhere'"))
    #expect(try place.run("test -e new/ci").status == 1)
    try place.run("sed -i 's/audience: .*/audience: staging/' new/policies/web/manifest.yaml").mustSucceed()
    try place.run("pintle init new --yes --ci github").mustSucceed()
    #expect(try place.read("new/ci/pins").contains("audience=staging\n"))
    #expect(try place.run("test -e new/policies/hosts.yaml").status == 1)
  }

  @Test("asks on a terminal, and asks again where an answer won't do")
  func dialogue() throws {
    let place = try Workplace()
    // So wide that each question fits on one line, also after another whose answer was typed ahead.
    let terminal = try Terminal(columns: 240, rows: 60, in: place.path)
    try terminal.run("\(place.tool) init new --at 2026-11-21 --editor vscode; echo \"ended $?\"")
    let answers: [(question: String, answer: String)] = [
      ("Who is responsible for the pins", "web@example.com"), ("Which environment", "Pro duction"),
      ("'Pro duction' is not a valid environment name", "staging"), ("Which host", "https://api.example.com"),
      ("is not a valid host name", "api.example.com"),
      ("the certificate that 'api.example.com' presents", "signing/release.key"),
      ("holds a private key", "policies/keys/api.pem"), ("its backup", "policies/keys/api-spare.csr"),
      ("Where are mismatches reported", "https://r.example/pins"), ("Continuous integration", "gitlab"),
      ("A hook", "no"),
    ]
    for (question, answer) in answers {
      _ = try terminal.wait { $0.contains(question) }
      // Both files are asked for before they are read, so the private key is rejected only after the backup's prompt.
      if answer == "signing/release.key" {
        try terminal.type(answer, "Enter")
        _ = try terminal.wait { $0.contains("its backup") }
        try terminal.type("policies/keys/api-spare.csr", "Enter")
      } else if answer.isEmpty {
        try terminal.type("Enter")
      } else {
        try terminal.type(answer, "Enter")
      }
    }
    let end = try terminal.wait { $0.contains("ended ") }
    #expect(end.contains("ended 0"), "\(end)")
    #expect(try place.read("new/policies/manifest.yaml").contains("audience: staging\n"))
    #expect(try place.read("new/policies/hosts.yaml").contains("owner: web@example.com\n"))
    #expect(try place.run("test -e new/.gitlab-ci.yml && ! test -e new/.githooks").status == 0)
    #expect(try place.run("pintle check new/policies --at 2026-11-21 --fail-on warning").status == 0)
  }

  @Test("an aborted dialogue leaves no files")
  func leavesTheDialogue() throws {
    let place = try Workplace()
    let terminal = try Terminal(columns: 120, rows: 40, in: place.path)
    try terminal.run("\(place.tool) init new; echo \"ended $?\"")
    _ = try terminal.wait { $0.contains("Who is responsible") }
    try terminal.type("C-d")
    let end = try terminal.wait { $0.contains("ended ") }
    #expect(end.contains("the questions weren't answered"))
    #expect(try place.run("test -e new").status == 1)
  }
}

extension RunResult {
  /// Fails the test where the command did.
  fileprivate func mustSucceed() throws {
    try #require(status == 0, "\(stderrText)")
  }
}
