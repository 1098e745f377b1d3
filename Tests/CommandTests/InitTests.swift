import Foundation
import TestSupport
import Testing

/// `pintle init`: files that work as they are.
///
/// What their readers say of them is asked by `Scripts/check/starters`.
@Suite("Beginning a repository")
struct InitTests {
  private static let example = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "examples/policy-repository")

  @Test(
    "what doesn't depend on the answers is what the example has",
    arguments: [
      "ci/pins", "ci/install.sh", ".github/workflows/pins.yml", ".gitlab-ci.yml", ".githooks/pre-commit",
      ".pre-commit-config.yaml", ".vscode/settings.json", ".editorconfig", ".gitignore", "policies/manifest.yaml",
      "schemas/policy.schema.json", "schemas/policy-test.schema.json",
    ])
  func isTheExample(file: String) throws {
    let place = try Workplace()
    let began = try place.run(
      "pintle init new --yes --ci github --inside-runner inside --hook --editor vscode "
        + "&& pintle init new --yes --ci gitlab --inside-runner inside")
    #expect(began.status == 0, "\(began.stderrText)")
    let expected = try String(contentsOf: Self.example.appending(path: file), encoding: .utf8)
    #expect(try place.read("new/" + file) == expected)
    let mode = try place.run("test -x new/\(file)").status == 0
    #expect(mode == (file == "ci/pins" || file == ".githooks/pre-commit"))
  }

  @Test("without a runner inside, no job probes internal hosts", arguments: ["github", "gitlab"])
  func noRunnerInside(service: String) throws {
    let place = try Workplace()
    try place.run("pintle init new --yes --ci \(service) --internal corp.example.com --audience staging").mustSucceed()
    let pipeline = try place.read(service == "github" ? "new/.github/workflows/pins.yml" : "new/.gitlab-ci.yml")
    #expect(!pipeline.contains("inside"))
    #expect(pipeline.contains("\n\(service == "github" ? "  " : "")gate:\n"))
    #expect(pipeline.contains("ci/pins probe public"))
    let stages = try place.read("new/ci/pins")
    #expect(stages.contains("internal=${PINS_INTERNAL:-corp.example.com}\n"))
    #expect(stages.contains("audience=${PINS_AUDIENCE:-staging}\n"))
    let labelled = try place.run("pintle init other --yes --ci \(service) --inside-runner 'a,b'")
    #expect(labelled.status == 64)
    #expect(labelled.stderrText.contains("is not a valid label of a runner"))
  }

  @Test("actions are pinned to commits, each job has permissions of its own, and GitLab's says who can read its token")
  func pipelines() throws {
    let place = try Workplace()
    for service in ["github", "gitlab"] { try place.run("pintle init \(service) --yes --ci \(service)").mustSucceed() }
    let github = try place.read("github/.github/workflows/pins.yml")
    let uses = github.split(separator: "\n").filter { $0.contains("uses:") }
    #expect(uses.count > 10)
    for line in uses { #expect(line.contains(/@[0-9a-f]{40} # v[0-9]+\.[0-9]+\.[0-9]+$/), "\(line)") }
    #expect(github.contains("To update one, write the"))
    #expect(github.contains("\npermissions: {}\n"))
    let count = { (text: String) in github.components(separatedBy: "\n    \(text)").count }
    #expect(count("runs-on: ") == count("permissions:\n      ") && count("runs-on: ") > 5)
    #expect(try place.read("gitlab/.gitlab-ci.yml").contains("All merge-request pipelines can read\n# this token"))
  }

  @Test(
    "every first policy is without findings",
    arguments: [
      "", "--owner 'Team \"Web\" & friends: #1'", "--host api.example.com", "--audience staging-2",
      "--host api.example.com --host 192.0.2.1 --active policies/keys/api-spare.csr --backup policies/keys/api.pem "
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
    guard options.contains("--active") else { return }
    let tested = try place.run("pintle fmt --check new/policies && pintle test new/policies --at 2026-11-21")
    #expect(tested.status == 0 && tested.stdoutText.contains("3 of 3 tests passed"), "\(tested.stdoutText)")
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
          1. cd new
          2. add to .gitignore, so that no private key is committed: *.p12 *.pfx /out/
             /.pintle/
          3. see what these lack of what a new folder gets: .gitlab-ci.yml

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
    #expect(try place.read("new/ci/pins").contains("audience=${PINS_AUDIENCE:-staging}\n"))
    #expect(try place.run("test -e new/policies/hosts.yaml").status == 1)
  }

  @Test("asks on a terminal, wraps at 80 columns, and asks again at once where an answer won't do")
  func dialogue() throws {
    let place = try Workplace()
    let terminal = try Terminal(columns: 132, rows: 80, in: place.path)
    try terminal.run("\(place.tool) init new --at 2026-11-21 --editor vscode; echo \"ended $?\"")
    let answers: [(question: String, answer: String)] = [
      ("Who is responsible for the pins", "web@example.com"), ("Which environment", "Pro duction"),
      ("'Pro duction' is not a valid environment name", "staging"), ("Which host", "https://api.example.com"),
      ("is not a valid host name", "api.example.com"),
      ("the certificate that 'api.example.com' presents", "signing/release.key"),
      ("holds a private key", "policies/keys/api.pem"),
      // A backup or a root that won't do takes no good answer with it.
      ("its backup", "policies/keys/api.pem"), ("is an active key, too", "policies/keys/api-spare.csr"),
      ("Does your own authority issue", "policies/keys/api-spare.csr"),
      ("is not the certificate of an authority", "policies/keys/example-root.pem"),
      ("Where are mismatches reported", "https://r.example/pins"), ("Continuous integration", "gitl"),
      ("Which domains can only be reached", "corp.example.com"), ("The label of a runner inside", "build 1"),
      ("is not a valid label", "build-1"), ("A hook", "n"),
    ]
    for (question, answer) in answers {
      _ = try terminal.wait { $0.contains(question) }
      try terminal.type(answer, "Enter")
    }
    let end = try terminal.wait { $0.contains("ended ") }
    #expect(end.contains("ended 0"), "\(end)")
    let typed = answers.map { $0.answer }
    for line in end.split(separator: "\n") where !typed.contains(where: { line.hasSuffix("] " + $0) }) {
      #expect(line.count <= 80 || line.contains("$"), "\(line)")
    }
    #expect(try place.read("new/policies/manifest.yaml").contains("audience: staging\n"))
    let hosts = try place.read("new/policies/hosts.yaml")
    #expect(hosts.contains("owner: web@example.com\n"))
    #expect(hosts.contains("  trust: { anchors: [keys/example-root-ca.pem], reason: "))
    let root = try place.read("new/policies/keys/example-root-ca.pem")
    #expect(try root == place.read("policies/keys/example-root.pem"))
    let pipeline = try place.read("new/.gitlab-ci.yml")
    #expect(pipeline.contains("tags: [build-1]\n"))
    #expect(try place.run("! test -e new/.githooks").status == 0)
    let checked = try place.run("pintle check new/policies --at 2026-11-21 --fail-on error")
    #expect(checked.status == 0, "\(checked.stdoutText)")
    let tested = try place.run("pintle fmt --check new/policies && pintle test new/policies --at 2026-11-21")
    #expect(tested.status == 0 && tested.stdoutText.contains("3 of 3 tests passed"), "\(tested.stdoutText)")
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
