import Foundation
import TestSupport
import Testing

/// The stages of the pipeline that `pintle init` writes, run in clones of one repository as its jobs and its people run
/// them.
@Suite("The pipeline's releases")
struct PipelineTests {
  private let place: Workplace

  /// A repository `a`, its clone `b`, and `origin`, to which both push.
  ///
  /// It has a policy and a keyset, of whose signers two must sign. Nothing is released.
  init() throws {
    place = try Workplace()
    try place.write(
      """
      set -e
      export PINS_AT=2026-11-22 GIT_AUTHOR_NAME=T GIT_AUTHOR_EMAIL=t@example.com
      export GIT_COMMITTER_NAME=T GIT_COMMITTER_EMAIL=t@example.com
      commit() { git add -A && git commit -q -m "$1" && git pull -q --rebase && git push -q; }
      sign() { PINTLE_SIGNING_KEY=../$1.key ci/pins sign "${@:2}"; }
      propose() { git switch -q -c "$1" origin/main && git add -A && git commit -q -m "$1"; }
      both_sign() { sign alice "$@" && sign bob "$@"; }

      """, to: "setup")
    try run(
      """
      for name in root alice bob stranger; do pintle key $name.key; done
      pintle init a --yes --ci github --at 2026-11-21 --host api.example.com --active policies/keys/api.pem \
        --backup policies/keys/api-spare.csr --report-uri https://r.example
      cd a
      mkdir keysets released
      pintle keyset init -o keysets/1.keyset.json --audience production --root root=../root.key.pub \
        --root-threshold 1 --signer alice=../alice.key.pub --signer bob=../bob.key.pub --threshold 2 \
        --issued-at 2026-11-21 --expires 2027-11-21
      pintle sign keysets/1.keyset.json --sign-key ../root.key --at 2026-11-21
      git init -q -b main && git add -A && git commit -q -m Begin
      git init -q --bare -b main ../origin
      git remote add origin ../origin && git push -q -u origin main
      git clone -q ../origin ../b
      """)
  }

  /// Runs commands after the set-up's functions, and requires that they end so.
  @discardableResult
  private func run(_ commands: String, ends status: Int32 = 0) throws -> RunResult {
    let result = try place.run("bash -c '. ./setup; eval \"$0\"' \"$(cat <<'END'\n\(commands)\nEND\n)\"")
    #expect(result.status == status, "\(commands)\n\(result.stdoutText)\(result.stderrText)")
    return result
  }

  private func releaseTheFirst() throws {
    try run("cd a && ci/pins draft && mkdir -p released && cp out/manifest.json released/1.json")
    try run("cd a && both_sign released/1.json --first-release && commit 'Release 1' && ci/pins publish")
  }

  @Test("two clones that build the same serial: one is released, and the other is refused wherever it appears")
  func twoClones() throws {
    try releaseTheFirst()
    // Two changes are merged, one after the other, and a draft is built of each before anything else is released.
    try run("cd a && sed -i 's/mode: report-only/mode: enforce/' policies/hosts.yaml && commit One && ci/pins draft")
    try run("cd b && git pull -q && sed -i 's,r.example,s.example,' policies/hosts.yaml && commit Two && ci/pins draft")
    #expect(try place.read("a/out/manifest.json").contains("\"serial\":2,"))
    #expect(try place.read("b/out/manifest.json").contains("\"serial\":2,"))
    // In `b`, both sign what was right when they looked.
    try run("cd b && export PINS_PUBLISHED=. && both_sign out/manifest.json")
    try run("cd a && cp out/manifest.json released/2.json && both_sign released/2.json && commit 'Release 2'")

    let late = try run("cd b && sign alice out/manifest.json", ends: 3)
    #expect(late.stderrText.contains("serial 2 is released already, with other signed bytes"))
    try run("cd b && git fetch -q && cp out/manifest.json ../b.json && git switch -q -c again origin/main")
    try run("cd b && cp ../b.json released/2-b.json && git add -A && git commit -q -m Again")
    let proposed = try run("cd b && ci/pins gate", ends: 6)
    #expect(proposed.stdoutText.contains("serial 2 is released already, with other signed bytes"))
    // Somebody merges it nevertheless: nothing is published, and nothing is built on either of them.
    try run("cd b && git switch -q main && git merge -q again && git push -q")
    try run("cd b && PINS_PUBLISH='touch published; :' ci/pins publish", ends: 3)
    #expect(try place.run("test -e b/published").status == 1)
    let build = try run("cd b && ci/pins draft", ends: 3)
    #expect(build.stderrText.contains("serial 2 was released with different contents"))
    // Taken back, its change becomes the next release.
    try run("cd b && git rm -q released/2-b.json && commit 'Take it back' && ci/pins draft")
    #expect(try place.read("b/out/manifest.json").contains("\"serial\":3,"))
    try run("cd b && cp out/manifest.json released/3.json && both_sign released/3.json")
    try run("cd b && propose release-3 && ci/pins gate && git switch -q main && git merge -q release-3 && git push -q")
    try run("cd b && ci/pins publish")
  }

  @Test("a run of an earlier commit builds the draft of the newest one: it takes no later change back")
  func earlierCommit() throws {
    try releaseTheFirst()
    try run("cd a && sed -i 's/mode: report-only/mode: enforce/' policies/hosts.yaml && commit One")
    try run("cd b && git pull -q && sed -i 's,r.example,s.example,' policies/hosts.yaml && commit Two")
    try run("cd a && ci/pins published && PINS_PUBLISHED=.pintle/published ci/pins draft")
    let draft = try place.read("a/out/manifest.json")
    let newest = try run("cd b && git rev-parse HEAD").stdoutText.prefix(40)
    #expect(draft.contains("s.example") && draft.contains("\"commit\":\"\(newest)\""), "\(draft)")
  }

  @Test("a tag or a branch that is named like the protected branch doesn't replace it")
  func references() throws {
    try releaseTheFirst()
    try run(
      """
      cd b && git fetch -q && git switch -q -c evil origin/main && git rm -q -r released && git commit -q -m x
      git push -q origin evil:refs/tags/main evil:refs/tags/origin/main evil:refs/heads/origin/main
      cd ../a && git fetch -q --tags && ci/pins published main
      [ $(git -C .pintle/published rev-parse HEAD) = $(git rev-parse refs/heads/main) ] && ci/pins gate
      """)
    let judged = try run("cd a && ci/pins gate refs/tags/main", ends: 6)
    #expect(judged.stdoutText.contains("released/1.json: the branch removes it"), "\(judged.stdoutText)")
  }

  @Test("a release needs the signatures of two people before it is merged and before it is published")
  func twoSigners() throws {
    try run("cd a && ci/pins draft && cp out/manifest.json ../draft.json && mkdir -p released")
    try run("cd a && cp ../draft.json released/1.json && ! sign stranger released/1.json --first-release")
    // A person says that nothing was released before.
    let unsaid = try run("cd a && sign alice released/1.json", ends: 1)
    #expect(unsaid.stderrText.contains("contains no released manifest"), "\(unsaid.stderrText)")
    try run("cd a && sign alice released/1.json --first-release")
    // Nothing on the base says that nothing was ever released: a person does, for the first commit.
    try run("cd a && propose first && ci/pins gate", ends: 1)
    let first = try run("cd a && pintle gate --base origin/main --first-release --at $PINS_AT", ends: 2)
    #expect(first.stdoutText.contains("1 of 2 needed, 1 more of bob"))
    let publish = "PINS_PUBLISH='install -D -t served' ci/pins publish"
    let early = try run("cd a && \(publish)", ends: 6)
    #expect(early.stderrText.contains("found 1"), "\(early.stderrText)")
    #expect(try place.run("test -e a/served").status == 1)
    try run("cd a && sign bob released/1.json --first-release && git commit -q -a -m Bob")
    try run("cd a && pintle gate --base origin/main --first-release --at $PINS_AT && \(publish)")
    #expect(try place.read("a/served/manifest.json") == place.read("a/released/1.json"))
  }

  @Test("what is released isn't changed, and a release is what its commit's sources compile to")
  func releasedAsCompiled() throws {
    try releaseTheFirst()
    try run("cd a && printf ' ' >>released/1.json && propose changed && ci/pins gate", ends: 6)
    try run(
      """
      cd a && git switch -q main
      sed -i 's/mode: report-only/mode: enforce/' policies/hosts.yaml
      pintle build -o 2.json --unsigned --against released --keyset keysets --issued-at 2026-11-22 \
        --commit "$(git rev-parse HEAD)" && mv 2.json released
      both_sign released/2.json && propose other
      """)
    let judged = try run("cd a && ci/pins gate", ends: 6)
    #expect(judged.stdoutText.contains("holds sources of the digest"), "\(judged.stdoutText)")
  }

  /// What somebody who can push, and has no key, commits to a branch; the gate of the other clone ends so.
  private static let attacks: [(name: String, commands: String, status: Int32)] = [
    ("removes the newest release", "git rm -q released/1.json", 6),
    (
      "replaces the keyset",
      "pintle keyset init -o k --audience production --root m=../stranger.key.pub --root-threshold 1 "
        + "--signer m=../stranger.key.pub --threshold 1 --issued-at 2026-11-21 --expires 2027-11-21 "
        + "--sign-key ../stranger.key && mv k keysets/1.keyset.json", 6
    ),
    ("adds files that nobody knows", "echo '{}' >keysets/2.keyset.json; cp released/1.json released/9.json", 6),
    (
      "moves releases with a change",
      "mkdir released/production && git mv released/1.json released/production/ && "
        + "printf ' ' >>released/production/1.json", 6
    ),
    (
      "brings a release that nobody signed",
      "sed -i s,r.example,s.example, policies/hosts.yaml && "
        + "pintle build policies --unsigned -o 2.json --against released --keyset keysets --issued-at $PINS_AT && "
        + "mv 2.json released",
      2
    ),
    ("replaces ci/pins, and removes a release", "printf 'exit 0\n' >ci/pins && git rm -q released/1.json", 6),
  ]

  @Test("somebody without a key gets nothing past the gate of another clone")
  func withoutKey() throws {
    try releaseTheFirst()
    for (number, attack) in Self.attacks.enumerated() {
      try run(
        """
        cd b && git fetch -q && git switch -q -C attack\(number) origin/main && \(attack.commands)
        git add -A && git commit -q -m Attack && git push -q origin attack\(number)
        """)
      try run("cd a && git fetch -q && ci/pins gate origin/attack\(number)", ends: attack.status)
    }
    try run("cd a && ci/pins gate && ci/pins publish && cmp out/manifest.json released/1.json")
  }

  @Test("what is published never goes back, whatever was merged past the gate")
  func published() throws {
    try releaseTheFirst()
    let publish = "PINS_PUBLISH='pintle publish --at 2026-11-22 ../site --keyset keysets' ci/pins publish"
    try run("cd a && mkdir ../site && sed -i 's/mode: report-only/mode: enforce/' policies/hosts.yaml && commit One")
    try run("cd a && ci/pins draft && cp out/manifest.json released/2.json && both_sign released/2.json && commit Two")
    try run("cd a && \(publish) && cmp ../site/production/manifest.json released/2.json")
    let back = try run(
      "cd a && cp released/2.json .. && git rm -q released/2.json && commit 'Tidy up' && \(publish)", ends: 3)
    #expect(back.stderrText.contains("its serial 1 is below 2, which is published"), "\(back.stderrText)")
    try run("cd a && cmp ../site/production/manifest.json ../2.json")
  }

  @Test("a draft is built for a change or in time for a renewal, on the newest of many releases, whatever its name")
  func inTime() throws {
    try releaseTheFirst()
    let unchanged = try run("cd a && ci/pins draft")
    #expect(unchanged.stderrText.contains("no release is due: the policy says what serial 1 says"))
    try run(
      """
      cd a
      for serial in 2 3 4 5 6 7 8 9 10; do
        pintle build -o released/$serial.json --against released --keyset keysets --issued-at $PINS_AT \
          --sign-key ../alice.key --sign-key ../bob.key
      done
      """)
    // The manifest says from when on clients report that theirs should be renewed: by then, it has to be.
    let newest = try place.read("a/released/10.json")
    let refresh = try #require(newest.firstMatch(of: /"refresh-after":"([0-9-]+)T/)?.1)
    try run("cd a && PINS_AT=2027-02-04T23:59:59Z ci/pins draft && ! test -e out/manifest.json")
    try run("cd a && PINS_AT=2027-02-05 ci/pins draft && grep -q '\"serial\":11,' out/manifest.json")
    #expect(refresh > "2027-02-05")
  }

  @Test("the hook stops a commit that the gate would refuse, and lets drafts wait for signatures")
  func hook() throws {
    try releaseTheFirst()
    try run("cd a && pintle init . --yes --hook --at 2026-11-21 && commit Hook && git config core.hooksPath .githooks")
    let removed = try run("cd a && git rm -q released/1.json && git commit -q -m Tidy", ends: 1)
    #expect(removed.stderrText.contains("released/1.json: the branch removes it"), "\(removed.stderrText)")
    let mistake = try run(
      "cd a && git reset -q --hard && echo x >released/x && git add -A && git commit -q -m x", ends: 1)
    #expect(mistake.stderrText.contains("released/x: no file of this name belongs here"), "\(mistake.stderrText)")
    // Drafts and merges pass.
    try run(
      """
      cd a && git reset -q --hard && git switch -q -c topic && echo x >notes.txt && git add -A && git commit -q -m Notes
      sed -i 's/mode: report-only/mode: enforce/' policies/hosts.yaml && git commit -q -a -m Policy && mkdir event
      pintle build policies --unsigned -o event/2.json --against released --keyset keysets --issued-at $PINS_AT --commit git
      git add -A && git commit -q -m Draft && git switch -q main && git switch -q -c other
      git show topic:policies/hosts.yaml >policies/hosts.yaml && git commit -q -a -m Policy
      """)
    try run(
      """
      cd a
      git switch -q main
      git merge -q other
      git push -q
      git show topic:event/2.json >../2.json
      PINS_PUBLISHED=. both_sign ../2.json
      cp ../2.json released
      git add -A
      git commit -q -m 'Release 2'
      git push -q
      git switch -q -c late main~2
      echo y >more.txt
      git add -A
      git commit -q -m More
      git merge -q --no-commit --no-ff origin/main
      git commit -q -m Merge
      """)
    // A policy change beside a draft, and an amended commit that restores what it removed.
    try run(
      """
      cd a
      git switch -q -c third origin/main
      mkdir event
      sed -i 's,r.example,s.example,' policies/hosts.yaml
      git commit -q -a -m Policy
      pintle build policies --unsigned -o event/3.json --against released --keyset keysets --issued-at $PINS_AT --commit git
      git add -A
      git commit -q -m Draft
      sed -i 's,s.example,t.example,' policies/hosts.yaml
      git commit -q -a -m 'Another policy'
      git revert --no-edit HEAD >../out
      git rm -q -r event
      git commit -q -m Oops
      git checkout -q HEAD^ -- event
      echo z >notes.txt
      git add -A
      git commit -q --amend -m 'Not oops'
      for name in alice bob; do
        PINS_PUBLISHED=. sign $name event/3.json
        git commit -q -a -m $name
      done
      cp event/3.json released
      git add -A
      git commit -q -m Release
      """)
    let second = try run("cd a && git rm -q -r event && git commit -q -m Finished", ends: 1)
    #expect(second.stderrText.contains("this commit must not be merged"), "\(second.stderrText)")
    #expect(second.stderrText.contains("this commit removed or replaced the draft"), "\(second.stderrText)")
    #expect(second.stderrText.firstMatch(of: /[^.:a-z0-9][0-9a-f]{40}[^0-9a-f]/) == nil, "\(second.stderrText)")
    // A message may have the option's name.
    let lines = "-m \"$(printf 'x\\n\\n--amend')\""
    for message in ["-m 'No --amend'", "-m --amend", "-qm --amend", "--message --amend", lines] {
      try run("cd a && git commit -q \(message)", ends: 1)
    }
    for options in ["--amend -m Finished", "-m Finished --amend", "-qm Finished --am"] {
      try run("cd a && git commit \(options) && git reset -q --soft HEAD@{1}")
    }
    // Between git and the hook, pre-commit has programs of its own.
    try run(
      """
      cd a
      mkdir ../between
      printf '#!/bin/sh\\nsh -c ".githooks/pre-commit; exit \\\\$?"\\nexit $?' >../between/pre-commit
      chmod +x ../between/pre-commit
      ! git -c core.hooksPath=../between commit -q -m 'No --amend'
      git -c core.hooksPath=../between commit -q --amend -m Finished
      """)
    // The removal of a release that is restored by an amended commit.
    try run(
      """
      cd a
      git rm -q released/3.json
      git commit -q -m Oops
      git checkout -q HEAD^ -- released
      echo y >notes.txt
      git add -A
      git commit -q --amend -m 'Not oops'
      """)
  }

  @Test("a pipeline that signs by itself says so on every run")
  func sandbox() throws {
    try run(
      """
      cd a && rm -r keysets && mkdir keysets
      pintle keyset init -o keysets/1.keyset.json --audience production --root root=../root.key.pub \
        --root-threshold 1 --signer ci=../alice.key.pub --threshold 1 --issued-at 2026-11-21 --expires 2027-11-21
      pintle sign keysets/1.keyset.json --sign-key ../root.key --at 2026-11-21
      commit Sandbox
      """)
    let draft = "PINTLE_SANDBOX_KEY=\"$(cat ../alice.key)\" PINS_PUBLISHED=. GITHUB_ACTIONS=true ci/pins draft"
    let first = try run("cd a && \(draft) && mkdir -p released && cp out/manifest.json released/1.json")
    try run("cd a && ci/pins publish")
    let second = try run("cd a && \(draft)")
    for run in [first, second] {
      #expect(run.stderrText.contains("SANDBOX: this pipeline signs releases with one key that it holds itself"))
      #expect(run.stdoutText.contains("::warning title=SANDBOX::"))
    }
  }
}
