import TestSupport
import Testing

/// `--against git:REF` on real repositories.
@Suite("A commit as a baseline")
struct CommitBaselineTests {
  /// A repository whose first commit, tagged `v1`, holds the sample policy; its dates and authors are always the same.
  private struct Repository {
    let place: Workplace

    init() throws {
      place = try Workplace()
      try git("init -q -b main .")
      try commit("v1", at: "2026-10-01T12:00:00Z")
    }

    /// Runs git with a name and dates of the test's own.
    func git(_ arguments: String, at date: String = "2026-10-01T12:00:00Z") throws {
      let result = try place.run(
        "GIT_AUTHOR_DATE=\(date) GIT_COMMITTER_DATE=\(date) "
          + "git -c user.name=Tester -c user.email=tester@example.com -c protocol.file.allow=always \(arguments)")
      try #require(result.status == 0, "git \(arguments): \(result.stderrText)")
    }

    /// Commits all of the policy, and tags the commit.
    func commit(_ tag: String, at date: String) throws {
      try git("add policies", at: date)
      try git("commit -q -m \(tag)", at: date)
      try git("tag -a -m \(tag) \(tag)", at: date)
    }

    /// Compares the policy as it is now with a commit.
    func diff(_ reference: String, _ arguments: String = "", environment: String = "") throws -> RunResult {
      try place.run("\(environment) pintle diff policies --against '\(reference)' --at 2026-11-21 \(arguments)")
    }

    /// What all files, git's own included, come to.
    func digest() throws -> String {
      try place.run("find . -type f -print0 | sort -z | xargs -0 sha256sum; find . | sort").stdoutText
    }

    func exists(_ name: String) throws -> Bool { try place.run("test -e \(name)").status == 0 }
  }

  @Test(
    "is compiled by whatever names it, and dated as its committer says",
    arguments: ["main", "v1", "HEAD", "refs/heads/main", "HEAD~0", "main^{/v1}"])
  func references(reference: String) throws {
    let repository = try Repository()
    let result = try repository.diff("git:" + reference)
    #expect(result.stderrText == "")
    #expect(result.stdoutText.contains("nothing changes, 4 host entries"))
    #expect(result.stdoutText.contains("compared with git:\(reference) of 2026-10-01T12:00:00Z"))
  }

  @Test("is compared with the files as they are now, and nothing is written")
  func nothingIsWritten() throws {
    let repository = try Repository()
    _ = try repository.place.run("sed -i 's/mode: report-only, //' policies/web.yaml")
    let before = try repository.digest()
    let result = try repository.diff("git:main")
    #expect(result.stdoutText.contains("mode  report-only -> enforce"))
    #expect(try repository.digest() == before)
  }

  @Test("may lie further up, be asked about from elsewhere, or be the whole repository")
  func places() throws {
    let repository = try Repository()
    let below = try repository.place.run("cd policies/keys && pintle diff .. --against git:v1 --at 2026-11-21")
    #expect(below.stdoutText.contains("nothing changes"))
    try repository.git("init -q -b main policies")
    try repository.git("-C policies add .")
    try repository.git("-C policies commit -q -m all")
    let whole = try repository.place.run("pintle diff policies --against git:HEAD --at 2026-11-21")
    #expect(whole.stderrText == "")
    #expect(whole.stdoutText.contains("nothing changes"))
  }

  @Test(
    "never is an option or a command",
    arguments: [
      "git:", "git:--upload-pack=touch pwned", "git:-x", "git:--output=pwned", "git:$(touch pwned)",
      "git:main;touch pwned",
      "git:|touch pwned", "git:main\ntouch pwned", "git:--end-of-options", "git:no-such-branch", "git:main:policies",
    ])
  func hostileReferences(reference: String) throws {
    let repository = try Repository()
    let result = try repository.diff(reference)
    #expect([1, 64].contains(result.status))
    #expect(result.stderrText.contains("names no commit") || result.stderrText.contains("has no commit"))
    #expect(result.stdoutText == "")
    #expect(try !repository.exists("pwned"))
    #expect(try !repository.exists("policies/pwned"))
  }

  @Test("is read without a program that the repository's configuration names")
  func hostileConfiguration() throws {
    let repository = try Repository()
    try repository.place.write(
      "#!/bin/sh\ntouch '\(try repository.place.run("pwd").stdoutText.dropLast())/pwned'\n", to: "trap")
    let script = """
      chmod +x trap
      for name in core.fsmonitor core.pager core.sshCommand core.askPass core.editor gpg.program diff.external \\
        filter.trap.smudge filter.trap.clean filter.trap.process diff.trap.textconv credential.helper; do
        git config $name "$PWD/trap"
      done
      git config log.showSignature true
      git config pager.ls-tree true
      git config pager.cat-file true
      git config alias.ls-tree "!$PWD/trap"
      echo '* filter=trap diff=trap' > .git/info/attributes
      for hook in post-checkout post-index-change reference-transaction fsmonitor-watchman; do
        cp trap .git/hooks/$hook
      done
      """
    try repository.place.write(script, to: "arm")
    #expect(try repository.place.run("sh arm").status == 0)
    let result = try repository.diff("git:main")
    #expect(result.stdoutText.contains("nothing changes"))
    #expect(try !repository.exists("pwned"))
  }

  @Test("isn't looked for where the environment of a hook points")
  func environment() throws {
    let repository = try Repository()
    let result = try repository.diff(
      "git:main", environment: "GIT_DIR=/nowhere GIT_INDEX_FILE=/nowhere GIT_WORK_TREE=/")
    #expect(result.stdoutText.contains("nothing changes"))
  }

  @Test("is what was committed, not what replaces it")
  func replacedObjects() throws {
    let repository = try Repository()
    _ = try repository.place.run("sed -i 's/mode: report-only, //' policies/web.yaml")
    try repository.commit("v2", at: "2026-10-02T12:00:00Z")
    try repository.git("replace v1^{commit} v2^{commit}")
    #expect(try repository.diff("git:v1").stdoutText.contains("mode  report-only -> enforce"))
  }

  @Test("of a directory that only looks like a repository isn't taken from there")
  func embeddedRepository() throws {
    let repository = try Repository()
    _ = try repository.place.run("git init -q --bare policies")
    let result = try repository.diff("git:main")
    #expect(result.status == 1)
    #expect(result.stderrText.contains("bare"))
  }

  @Test("says how long clients kept a release then, so that a shorter window is seen")
  func window() throws {
    let repository = try Repository()
    _ = try repository.place.run("sed -i 's/^  audience:.*/&\\n  client-max-age: 1d/' policies/manifest.yaml")
    let result = try repository.diff("git:main")
    #expect(result.stderrText == "")
    let head = "narrows (checked without evidence: nobody is locked out if servers present an active key)\n"
    #expect(result.stdoutText.contains(head + "  manifest\n    client-max-age  90d -> 1d\n"))
    #expect(try repository.diff("git:main", "--detailed-exitcode").status == 2)
  }

  @Test("may hold what has run out since, and is judged at its own date")
  func expiredSince() throws {
    let repository = try Repository()
    _ = try repository.place.run("sed -i 's/expires: 2027-03-01/expires: 2026-11-10/' policies/web.yaml")
    try repository.commit("v2", at: "2026-10-02T12:00:00Z")
    _ = try repository.place.run("sed -i 's/expires: 2026-11-10/expires: 2027-03-01/' policies/web.yaml")
    let result = try repository.diff("git:v2")
    #expect(result.stderrText == "")
    #expect(result.stdoutText.contains("expires  2026-11-10T00:00:00Z -> 2027-03-01T00:00:00Z"))
  }

  struct Refusal: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// What is done to the repository, as a script.
    var script: String
    var reference = "git:main"
    var environment = ""
    var complaints: [String]
  }

  static let refusals = [
    Refusal(
      testDescription: "a policy with errors",
      script:
        "sed -i 's/public-web }/pubic-web }/' policies/web.yaml; git add policies; commit; git checkout -q v1 policies",
      complaints: [
        "main:policies/web.yaml:24:36:", "[P302]",
        "the policy of 'git:main' has errors, so it can't have been released",
      ]),
    Refusal(
      testDescription: "a policy that names no audience",
      script: "sed -i '/audience/d' policies/manifest.yaml; git add policies; commit; git checkout -q v1 policies",
      complaints: ["can't have been released", "audience"]),
    Refusal(
      testDescription: "a policy file that is a link",
      script: """
        mv policies/web.yaml real.yaml; ln -s ../real.yaml policies/web.yaml; git add policies; commit
        rm policies/web.yaml; mv real.yaml policies/web.yaml
        """,
      complaints: ["main:policies/web.yaml:1:1:", "a symbolic link of a commit isn't followed"]),
    Refusal(
      testDescription: "a key file that is a link",
      script: """
        cd policies/keys; mv api-spare.csr real.csr; ln -s real.csr api-spare.csr; git add .; commit
        mv real.csr api-spare.csr
        """,
      complaints: ["main:policies/web.yaml", "a symbolic link of a commit isn't followed"]),
    Refusal(
      testDescription: "a key file in a submodule",
      script: """
        git init -q -b main other; cp policies/keys/api-spare.csr other/; git -C other add .; cd other; commit; cd ..
        git -c protocol.file.allow=always submodule add -q ./other policies/theirs 2>/dev/null
        sed -i 's#keys/api-spare.csr#theirs/api-spare.csr#' policies/web.yaml; git add policies; commit
        """,
      complaints: ["theirs/api-spare.csr", "it lies in a submodule"]),
    Refusal(
      testDescription: "a key file that wasn't committed",
      script: "git rm -q --cached policies/keys/api-spare.csr; commit",
      complaints: ["api-spare.csr", "it doesn't exist"]),
    Refusal(
      testDescription: "a commit without the directory",
      script: "git checkout -q --orphan empty; git rm -rfq --cached .; commit --allow-empty; git checkout -q -f main",
      reference: "git:empty", complaints: ["the commit 'empty' has no 'policies'"]),
    Refusal(
      testDescription: "a commit with a file in place of the directory",
      script: """
        git checkout -q -b file; git rm -rq --cached policies; mv policies kept; echo x > policies; git add policies; commit
        rm policies; mv kept policies
        """,
      reference: "git:file", complaints: ["the commit 'file' has no 'policies'"]),
    Refusal(
      testDescription: "a policy file whose content isn't there, as in a partial clone",
      script: """
        blob=$(git rev-parse main:policies/manifest.yaml)
        rm -f .git/objects/$(echo $blob | cut -c 1-2)/$(echo $blob | cut -c 3-)
        """,
      complaints: ["git doesn't say what 'policies' of the commit 'main' holds", "A partial clone"]),
    Refusal(
      testDescription: "a folder that isn't there, as in a partial clone",
      script: """
        tree=$(git rev-parse 'main^{tree}')
        rm -f .git/objects/$(echo $tree | cut -c 1-2)/$(echo $tree | cut -c 3-)
        """,
      complaints: ["git can't find 'policies' in the commit 'main'", "A partial clone"]),
    Refusal(
      testDescription: "no policy files", script: "git rm -q --cached policies/*.yaml; commit",
      complaints: ["[P114]"]),
    Refusal(
      testDescription: "no repository", script: "rm -rf .git",
      complaints: ["'policies' can't be looked up in git: not a git repository"]),
    Refusal(
      testDescription: "no git", script: "true", environment: "PATH=/nowhere $(command -v pintle)",
      complaints: ["can't run git: there is none on the path"]),
    Refusal(
      testDescription: "a tree that names no commit", script: "git tag tree v1^{tree}", reference: "git:tree",
      complaints: ["has no commit 'tree'"]),
  ]

  @Test("is rejected with a reason", arguments: refusals)
  func refused(refusal: Refusal) throws {
    let repository = try Repository()
    let head = """
      export GIT_AUTHOR_DATE=2026-10-03T12:00:00Z GIT_COMMITTER_DATE=2026-10-03T12:00:00Z
      commit() { git -c user.name=Tester -c user.email=tester@example.com commit -q -m change "$@"; }

      """
    try repository.place.write(head + refusal.script + "\n", to: "script")
    let script = try repository.place.run("sh -e script")
    #expect(script.status == 0, "\(script.stderrText)")
    let program = refusal.environment.isEmpty ? "pintle" : refusal.environment
    let result = try repository.place.run(
      "\(program) diff policies --against '\(refusal.reference)' --at 2026-11-21")
    #expect(result.status == 1)
    for complaint in refusal.complaints { #expect(result.stderrText.contains(complaint), "\(result.stderrText)") }
    #expect(result.stderrText.contains("help: ") || refusal.testDescription.contains("audience"))
  }

  @Test("bears no signature, so no key verifies it")
  func keys() throws {
    let result = try Repository().diff("git:main", "--key signing/release.key.pub")
    #expect(result.status == 64)
    #expect(result.stderrText.contains("--key can't be combined with 'git:REF'"))
  }
}
