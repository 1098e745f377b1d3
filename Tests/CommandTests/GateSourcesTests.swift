import Foundation
import TestSupport
import Testing

/// What `pintle gate` reads: commits of two clones, folders; and what it writes.
@Suite("What the gate reads and writes")
struct GateSourcesTests {
  private let scene: EventScene

  init() throws {
    scene = try EventScene()
    try scene.run("cat >>functions <<'END'\n\(GateTests.functions)\nEND")
  }

  @Test("keysets and releases are those of the base, whatever the branch and the working tree have")
  func ofTheBase() throws {
    // A clone that brings its own root of trust, and a release that only that one signed.
    try scene.run(
      """
      cd b && git switch -q -c evil && rm keysets/1.keyset.json && git rm -q -r released && mkdir -p released
      pintle keyset init -o keysets/1.keyset.json --audience production --root m=../stranger.key.pub --root-threshold 1 \
        --signer m=../stranger.key.pub --threshold 1 --issued-at 2026-11-21 --expires 2027-11-21
      pintle sign keysets/1.keyset.json --sign-key ../stranger.key
      pintle build policies -o released/2.json --serial 2 --issued-at 2026-11-22 --sign-key ../stranger.key
      commit evil && push
      """)
    let judged = try scene.run("cd a && git fetch -q && pintle gate --base origin/main --branch origin/evil", ends: 6)
    for text in [
      "keysets/1.keyset.json: the branch changes it", "released/1.json: the branch removes it", "released/2.json: ",
    ] { #expect(judged.stdoutText.contains(text), "\(judged.stdoutText)") }
    // What isn't committed isn't read.
    try scene.run("cd a && rm -r keysets released policies && pintle gate --base origin/main")
  }

  @Test("what can't be read ends with 1: no base, a shallow clone, no releases, no common commit")
  func unreadable() throws {
    try scene.run(
      "cd a && git commit -q --allow-empty -m x && git push -q && git clone -q --depth 1 file://$PWD/../origin ../shallow"
    )
    let shallow = try scene.run("cd shallow && gate", ends: 1)
    #expect(shallow.stderrText.contains("is a shallow clone"))
    let outside = try scene.run("mkdir bare && cd bare && gate", ends: 1)
    #expect(outside.stderrText.contains("'.' can't be looked up in git: "), "\(outside.stderrText)")
    // Withdrawals on the branches that it lacks would look as if they had never been.
    let single = try scene.run("git clone -q --single-branch origin single && cd single && gate", ends: 1)
    #expect(single.stderrText.contains("not all branches of the remote 'origin' are fetched"), "\(single.stderrText)")
    try scene.run("cd single && eval \"$(gate 2>&1 | sed -n 's/^help: .* Run: //p')\" && gate")
    try scene.run("cd a && git switch -q --orphan nothing && git commit -q --allow-empty -m x && git switch -q main")
    let empty = try scene.run("cd a && pintle gate --base nothing", ends: 1)
    #expect(empty.stderrText.contains("no common commit"), "\(empty.stderrText)")
    try scene.run(
      "cd a && git switch -q -c begun && git rm -q -r released && commit x && git switch -q -c next && git commit -q --allow-empty -m y"
    )
    let begun = try scene.run("cd a && pintle gate --base begun", ends: 1)
    #expect(begun.stderrText.contains("'begun' has nothing in 'released'"))
    #expect(begun.stderrText.contains("--first-release"))
    let crossed = try scene.run(
      """
      cd b && git switch -q -c one && echo x >one && commit One && git switch -q -c two main && echo x >two && commit Two
      git branch before && git merge -q one && git switch -q one && git merge -q before && pintle gate --base two
      """, ends: 1)
    #expect(crossed.stderrText.contains("parted at more than one commit"), "\(crossed.stderrText)")
    #expect(crossed.stderrText.contains("Rebase the branch onto its base"), "\(crossed.stderrText)")
    try scene.run("cd b && git rebase -q two && pintle gate --base two")
    let usage = try scene.run("cd a && pintle gate", ends: 64)
    #expect(usage.stderrText.contains("--base"))
  }

  @Test(
    "branches that a clone leaves out, and what it takes for branches, end with 1 and the command that helps",
    arguments: [
      ("--unset-all remote.origin.fetch", "not all branches of the remote 'origin'"),
      ("--add remote.origin.fetch '^refs/heads/withdrawn'", "not all branches of the remote 'origin'"),
      ("remote.origin.fetch '+refs/heads/*:refs/other/*'", "not all branches of the remote 'origin'"),
      ("--add remote.origin.fetch '+refs/*:refs/*'", "'refs/*:refs/*', which fetches more than its branches"),
      ("remote.origin.fetch '+refs/heads/main:refs/remotes/origin/main'", "not all branches of the remote 'origin'"),
      (
        "remote.up.fetch '+refs/heads/main:refs/remotes/up/main' && git config remote.up.url ../origin",
        "not all branches of the remote 'up'"
      ),
      (
        "remote.backup.mirror true && git config remote.backup.url ../origin",
        "not all branches of the remote 'backup'"
      ),
      (
        "--add remote.origin.fetch '+refs/pull/*/head:refs/remotes/origin/pr/*'",
        "'refs/pull/*/head:refs/remotes/origin/pr/*', which fetches more than its branches"
      ),
    ])
  func branchesLeftOut(configuration: String, text: String) throws {
    try scene.run("cd a && gate && git config \(configuration)")
    let result = try scene.run("cd a && gate", ends: 1)
    #expect(result.stderrText.contains(text), "\(result.stderrText)")
    try scene.run("cd a && eval \"$(gate 2>&1 | sed -n 's/^help: .* Run: //p')\" && gate")
  }

  @Test("a partial clone, and branches of a remote that isn't configured, are refused")
  func unknownBranches() throws {
    try scene.run("cd a && gate && git config remote.origin.promisor true")
    let partial = try scene.run("cd a && gate", ends: 1)
    #expect(partial.stderrText.contains("is a partial clone"), "\(partial.stderrText)")
    try scene.run("cd a && git config --unset remote.origin.promisor && gate")
    try scene.run("cd a && git update-ref refs/remotes/pull/7/merge HEAD && gate")
    try scene.run("cd a && git update-ref refs/remotes/elsewhere/main HEAD")
    let elsewhere = try scene.run("cd a && gate", ends: 1)
    #expect(elsewhere.stderrText.contains("is of a remote that isn't configured"), "\(elsewhere.stderrText)")
    try scene.run("cd a && git update-ref -d refs/remotes/elsewhere/main && gate")
  }

  @Test("a branch whose commits list too much is refused before it makes every later list too long")
  func longLists() throws {
    let made = try scene.run(
      """
      cd a && branch long && python3 -c '
      names = ["event/" + "x" * 200 + f"{number:06}" for number in range(20_000)]
      author = "committer x <x@example.com> 1 +0000"
      print("blob\\nmark :1\\ndata 0\\n")
      print(f"commit refs/heads/long\\nmark :2\\n{author}\\ndata 1\\nx\\nfrom refs/heads/main")
      for name in names: print(f"M 644 :1 {name}")
      print(f"commit refs/heads/long\\n{author}\\ndata 1\\ny\\nfrom :2")
      for name in names: print(f"D {name}")' | git fast-import --quiet --force
      git reset -q --hard long && git log --oneline main..long
      """)
    #expect(made.stdoutText.split(separator: "\n").count == 2)
    let result = try scene.run("cd a && gate", ends: 1)
    #expect(result.stderrText.contains("the branch's commits change") && result.stderrText.contains("Squash"))
  }

  @Test("a branch that was pushed and makes the list of all branches too long is named, with the command that helps")
  func longBranch() throws {
    // Each of its commits adds or removes 20,000 files: git lists 6 MB of it.
    try scene.run(
      """
      cd b && python3 -c '
      names = ["event/" + "x" * 200 + f"{number:06}" for number in range(20_000)]
      author = "committer x <x@example.com> 1 +0000"
      print("blob\\nmark :1\\ndata 0\\n")
      print(f"commit refs/heads/long\\nmark :2\\n{author}\\ndata 1\\nx\\nfrom refs/heads/main")
      for name in names: print(f"M 644 :1 {name}")
      print(f"commit refs/heads/long\\nmark :3\\n{author}\\ndata 1\\ny\\nfrom :2\\nD event")
      ' | git fast-import --quiet --force
      full=$(git rev-parse long~1^{tree}) && empty=$(git rev-parse long^{tree}) && tip=$(git rev-parse long)
      for number in $(seq 25); do
        tip=$(git commit-tree -p $tip -m x $full) && tip=$(git commit-tree -p $tip -m y $empty)
      done
      git update-ref refs/heads/long $tip && git push -q origin long && git push -q origin main:other
      """)
    let stopped = try scene.run("cd a && git fetch -q && gate", ends: 1)
    let text = stopped.stderrText
    #expect(text.contains("more than 268435456 bytes, most of it on the branch 'origin/long'"), "\(text)")
    #expect(text.contains("git push origin --delete long && git fetch --prune origin"), "\(text)")
    let local = try scene.run("cd b && gate", ends: 1)
    #expect(local.stderrText.contains("on the branches 'long' and 'origin/long'"), "\(local.stderrText)")
    try scene.run("cd a && eval \"$(gate 2>&1 | sed -n 's/.*delete the branch: //p')\" && gate")
  }

  @Test("a clone with several remotes, and with further refs elsewhere, is read")
  func branchesAllThere() throws {
    try scene.run(
      """
      cd a && git remote add other ../origin && git fetch -q other && gate
      git config --add remote.origin.fetch '+refs/pull/*/head:refs/pull/*/head'
      git config --add remote.origin.fetch '+refs/heads/main:refs/remotes/origin/main' && gate
      """)
  }

  @Test("what a commit of any branch withdrew isn't signed")
  func withdrawnIsNotSigned() throws {
    try scene.run("cd a && enforce && git branch copy && git rm -q -r event && commit Withdraw && git switch -q copy")
    let inside = "pintle sign 2.json --detached --keyset ../keysets --against ../released --sign-key ../../alice.key"
    for command in ["cd a && sign alice", "cd a/event && \(inside)"] {
      let refused = try scene.run(command, ends: 6)
      #expect(refused.stderrText.contains("removed or replaced"), "\(refused.stderrText)")
      #expect(refused.stderrText.contains("and so withdrew it"), "\(refused.stderrText)")
    }
    try scene.run(
      "cd a && cp event/2.json .. && git switch -q -c fresh main && mkdir event && cp ../2.json event && sign alice",
      ends: 6)
    try scene.run("cd a && rm -r event && git switch -q copy && git branch -q -D release-2 && signed alice")
    try scene.run(
      """
      cd a && branch next && mkdir event && pintle keyset next keysets/1.keyset.json -o event/2.keyset.json \
        --issued-at 2026-11-22 --expires same --remove-signer bob --add-signer stranger=../stranger.key.pub
      commit Draft && git branch kept && git rm -q -r event && commit Withdraw && git switch -q kept
      """)
    let keyset =
      "pintle sign event/2.keyset.json --detached --against keysets/1.keyset.json --sign-key ../root.key"
    let refused = try scene.run("cd a && \(keyset)", ends: 6)
    #expect(refused.stderrText.contains("and so withdrew it"), "\(refused.stderrText)")
    // Elsewhere there is no history.
    try scene.run("cp -r a/event a/keysets . && \(keyset.replacing("../root", with: "root"))")
  }

  @Test("a signature that a commit withdrew isn't made again, nor does it count for those who sign later")
  func withdrawnSignatures() throws {
    try scene.run(
      """
      cd a && enforce && signed alice && git rm -q $(signature alice) && commit Withdraw
      git rev-parse --short=10 HEAD >../id
      """)
    let id = try scene.place.read("id").trimmingCharacters(in: .whitespacesAndNewlines)
    let inPlace = "pintle sign event/2.json --keyset keysets --against released --sign-key ../alice.key"
    for command in ["sign alice", inPlace] {
      let refused = try scene.run("cd a && \(command)", ends: 6).stderrText
      #expect(refused.contains("not signed: the commit \(id) withdrew the signature of alice ("), "\(refused)")
      #expect(refused.contains("Build it again with a higher serial"), "\(refused)")
      #expect(refused.contains("git branch --all --contains \(id)"), "\(refused)")
      #expect(!refused.contains("enough"), "\(refused)")
    }
    try scene.run("cd a && test ! -e $(signature alice) && test -z \"$(git status --porcelain)\"")
    let later = try scene.run("cd a && git checkout -q HEAD^ -- event && sign bob").stderrText
    #expect(later.contains("1 signature in all; 1 of 2 needed, 1 more of alice, carol"), "\(later)")
    try scene.run("cd a && commit Bob && status", ends: 2)

    let sign =
      "pintle sign event/2.keyset.json --detached --against keysets/1.keyset.json --sign-key ../root.key"
    try scene.run(
      """
      cd a && branch next && mkdir event && pintle keyset next keysets/1.keyset.json -o event/2.keyset.json \
        --issued-at 2026-11-22 --expires same --remove-signer bob --add-signer stranger=../stranger.key.pub
      commit Draft && \(sign) && commit Sign && git rm -q -r event/2.keyset.signatures && commit Withdraw
      """)
    let refused = try scene.run("cd a && \(sign)", ends: 6).stderrText
    #expect(refused.contains("withdrew the signature of 'root' on this draft"), "\(refused)")
    #expect(refused.contains("Make version 2 again, with another --issued-at"), "\(refused)")
    try scene.run("cd a && test ! -e event/2.keyset.signatures")
    // Elsewhere there is no history.
    try scene.run("cp -r a/event a/keysets . && \(sign.replacing("../root", with: "root"))")
  }

  @Test(
    "a person begins: the first keyset and the first release, and of another audience, are accepted with --first-release"
  )
  func firstRelease() throws {
    try scene.run(
      """
      cd a && git switch -q --orphan begun && git checkout -q main -- policies && commit Empty && git switch -q -c first
      git checkout -q main -- released keysets && commit First
      pintle sign released/1.json --keyset keysets --sign-key ../carol.key && commit Carol
      """)
    try scene.run("cd a && pintle gate --base begun", ends: 1)
    let first = try scene.run("cd a && pintle gate --base begun --first-release")
    #expect(first.stdoutText.contains("keyset for 'production', version 1: trusted as clients are shipped with it"))
    #expect(first.stdoutText.contains("released/1.json: a release, production serial 1, signed by"))
    // It needs the threshold, too.
    try scene.run("cd a && git switch -q -c unsigned begun && git checkout -q main -- keysets && mkdir -p released")
    try scene.run(
      "cd a && pintle build policies -o released/1.json --serial 1 --issued-at 2026-11-21 --sign-key ../alice.key && commit x"
    )
    let missing = try scene.run("cd a && pintle gate --base begun --first-release", ends: 2)
    #expect(missing.stdoutText.contains("1 of 2 needed, 1 more of bob, carol"), "\(missing.stdoutText)")
  }

  @Test("a draft that one clone withdrew isn't assembled by another clone, which knew it before")
  func withdrawnElsewhere() throws {
    try scene.run(
      """
      cd a && enforce && signed alice && signed bob && push && cd ../b && git fetch -q && git switch -q -c copy origin/release-2
      cd ../a && git rm -q -r event && commit Withdraw && git push -q && cd ../b
      pintle event assemble && git rm -q -r event && commit 'Release 2' && push
      """)
    // The clone that doesn't know of it can't say so; the repository that is merged into can.
    try scene.run("cd b && gate")
    let judged = try scene.run("cd c && git fetch -q && pintle gate --base origin/main --branch origin/copy", ends: 6)
    #expect(judged.stdoutText.contains("looked for withdrawn drafts on 5 branches"))
    #expect(judged.stdoutText.contains("withdrew it"), "\(judged.stdoutText)")
    // Nor is it ready to be assembled again.
    try scene.run("cd b && git fetch -q && git switch -q -c again copy~1 && status", ends: 6)
  }

  @Test("a comment is never longer than a code host takes, whatever a branch brings")
  func longComment() throws {
    try scene.run(
      """
      cd a && branch && mkdir -p ci && name=$(printf 'x%.0s' $(seq 200))
      for number in $(seq 60); do
        for folder in released keysets event ci; do
          mkdir -p $folder/$name/$name/$name && echo x >"$folder/$name/$name/$name/<$number>|\\`\\`$name"
        done
      done
      commit x
      """)
    let comment = try scene.run("cd a && gate --format markdown", ends: 6).stdoutText
    #expect(comment.unicodeScalars.count <= 65_536)
    #expect(comment.contains("180 files refused"))
    #expect(comment.contains("- and 160 more"), "\(comment.prefix(3000))")
    #expect(comment.contains("pintle diff: safe"))
  }

  @Test("a folder for each where there is no git")
  func folders() throws {
    try scene.run(
      "cd a && rm -rf .git && cp -r . ../base && echo x >notes.txt && pintle gate --base ../base --branch .")
    try scene.run("cd a && pintle gate --base ../base")
    let removed = try scene.run(
      "cd a && rm released/1.json && ln -s ../../root.key.pub released/2.json && pintle gate --base ../base", ends: 6)
    #expect(removed.stdoutText.contains("released/1.json: the branch removes it"))
    #expect(removed.stdoutText.contains("released/2.json: it is a symbolic link"))
    try scene.run("cd a && pintle gate --base ../none", ends: 1)
    // Of a pipe there is nothing to read, and a link is what it leads to.
    try scene.run("cd a && rm released/2.json && cp ../base/released/1.json released")
    try scene.run("cd a && mkfifo released/3.json policies/x.yaml")
    try scene.run("cd a && mkdir ci ../base/ci && ln -s a ci/link && ln -s b ../base/ci/link && cp -P ci/link ci/same")
    try scene.run("cd a && cp -P ci/same ../base/ci")
    let special = try scene.run("cd a && pintle gate --base ../base", ends: 6)
    #expect(special.stdoutText.contains("released/3.json: it is neither a file nor a folder"), "\(special.stdoutText)")
    #expect(special.stdoutText.contains("this file can't be read: it is neither a file nor a folder"))
    #expect(special.stdoutText.contains("ci/link: is changed"))
    #expect(!special.stdoutText.contains("ci/same"))
  }

  @Test("files of more than 64 MiB that are as long as before count as changed, because they aren't compared")
  func longFiles() throws {
    try scene.run("cd a && rm -rf .git && cp -r . ../base && truncate -s 67108865 big ../base/big")
    try scene.run("cd a && printf x | dd of=big conv=notrunc status=none")
    let changed = try scene.run("cd a && pintle gate --base ../base")
    #expect(changed.stdoutText.contains("and 1 that the gate doesn't check"), "\(changed.stdoutText)")
  }

  @Test("below a folder, reports name files from the root of the repository, as code hosts do")
  func belowFolder() throws {
    try scene.run(
      """
      cd a && mkdir sub && git mv policies keysets released sub && commit Below && branch && mkdir ci sub/ci
      echo x >ci/pins && echo x >sub/ci/pins && git rm -q sub/released/1.json
      sed -i 's/keys: web/keys: wep/' sub/policies/web.yaml && commit x
      """)
    let sarif = try scene.run("cd a && gate --repository sub --format sarif", ends: 6).stdoutText
    let paths = Set(sarif.matches(of: /"uri": "([^"]*)"/).map { String($0.1) }).filter { !$0.contains(":") }
    let policy = ["manifest", "payments", "web"].map { "sub/policies/\($0).yaml" }
    #expect(paths == Set(["ci/pins", "sub/ci/pins", "sub/released/1.json"] + policy), "\(paths)")
    // In the folder itself, the report is the same.
    #expect(try scene.run("cd a/sub && gate --format sarif", ends: 6).stdoutText == sarif)
  }

  @Test("each code that a report of the gate has is explained and listed")
  func codes() throws {
    try scene.run("cd a && enforce && signed alice && mkdir ci && echo x >ci/pins && echo x >released/x && commit x")
    let sarif = try scene.run("cd a && gate --format sarif", ends: 6).stdoutText
    let codes = Set(sarif.matches(of: /"ruleId": "([^"]*)"/).map { String($0.1) })
    #expect(codes.isSuperset(of: ["gate-refused", "gate-unsigned", "gate-watched"]), "\(codes)")
    let list = try scene.run("pintle explain --list").stdoutText
    let page = try scene.run("pintle explain --list --format markdown").stdoutText
    for code in codes {
      #expect(list.contains("\(code) "), "\(code)")
      #expect(page.contains(code), "\(code)")
      #expect(try scene.run("pintle explain \(code)").stdoutText.hasPrefix(code))
    }
  }

  @Test("owners that only the last release's policy names are found in a given folder, or the release is refused")
  func ownersInFolders() throws {
    // Owners are removed without a release, and then a release changes their file.
    try scene.run(
      """
      cd a && rm -rf .git && mkdir ../old && cp -r policies ../old
      sed -i '/owners/d' policies/payments.yaml && cp -r . ../base
      sed -i 's/mode: enforce/mode: report-only/' policies/payments.yaml
      pintle build policies -o released/2.json --against released --keyset keysets --issued-at 2026-11-22 \
        --sign-key ../alice.key --sign-key ../bob.key
      """)
    let lost = try scene.run("cd a && pintle gate --base ../base", ends: 6)
    #expect(lost.stdoutText.contains("Pass --sources with a folder"), "\(lost.stdoutText)")
    let found = try scene.run("cd a && pintle gate --base ../base --sources ../old", ends: 2)
    #expect(found.stdoutText.contains("MISSING: carol must sign released/2.json (owner in the policy of serial 1)"))
    try scene.run(
      """
      cd a && pintle sign released/2.json --keyset keysets --against ../base/released --sign-key ../carol.key
      pintle gate --base ../base --sources ../old
      """)
  }

  @Test(
    "one comment, SARIF, JSON and the runners' formats say the same",
    arguments: [
      ("markdown", "**Refused**"), ("sarif", "\"ruleId\": \"gate-refused\""), ("json", "\"outcome\": \"refused\""),
      ("github", "::error file=released/1.json"), ("gitlab", "released/1.json"), ("junit", "released/1.json"),
      ("concise", "released/1.json"),
    ])
  func formats(format: String, text: String) throws {
    try scene.run(
      """
      cd a && branch && git rm -q released/1.json && mkdir ci && printf x >'ci/<b>@all' && echo x >'released/|`x`.json' && commit x
      sed -i 's/keys: web/keys: wep/' policies/web.yaml && commit y
      """)
    let result = try scene.run("cd a && gate --format \(format)", ends: 6)
    #expect(result.stdoutText.contains(text), "\(result.stdoutText)")
    #expect(result.stdoutText.contains("wep"), "\(result.stdoutText)")
    if format == "sarif" || format == "json" {
      _ = try JSONSerialization.jsonObject(with: Data(result.stdoutText.utf8))
    }
    if format == "markdown" { #expect(result.stdoutText.contains("`ci/<b>@all`")) }
    try scene.run("cd a && gate --format \(format) -o ../out.txt", ends: 6)
    #expect(try scene.place.read("out.txt") == result.stdoutText)
  }
}
