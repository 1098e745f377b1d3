import Foundation
import TestSupport
import Testing

/// `pintle event` on repositories on disk, with people who sign in clones of their own.
@Suite("A signing event")
struct EventTests {
  private let scene: EventScene

  init() throws { scene = try EventScene() }

  @Test("two of three sign in clones of their own at the same time; the second push needs a rebase and no more")
  func twoOfThree() throws {
    try scene.run("cd a && enforce && push")
    for clone in ["b", "c"] { try scene.run("cd \(clone) && git fetch -q && git switch -q release-2") }
    let nobody = try scene.status(ends: 2)
    #expect(nobody.contains("signing event HEAD: 2 signatures missing"))
    #expect(nobody.contains("after serial 1: 2 host entries, 1 changed"))
    #expect(nobody.contains("signers of keyset 1: 0 of 2 needed, 2 more of alice, bob, carol"))
    let sign = "pintle sign event/2.json --detached --keyset keysets --against released --sign-key YOUR.key"
    #expect(nobody.contains(sign))
    #expect(nobody.contains("git add event && git commit -m Sign && git pull --rebase && git push\n"))

    try scene.run("cd b && signed alice && push")
    let late = try scene.run("cd c && signed bob && push", ends: 1)
    #expect(late.stderrText.contains("[rejected]"))
    #expect(try scene.status("c", ends: 2).contains("1 of 2 needed, 1 more of alice, carol"))
    try scene.run("cd c && git pull -q --rebase && push && test -e $(signature alice) && test -e $(signature bob)")
    try scene.run("cd a && git pull -q")
    let complete = try scene.status(ends: 0)
    #expect(complete.contains("complete, ready to be assembled"))
    #expect(complete.contains("signers of keyset 1: enough, 2 are needed"))
    #expect(complete.contains("pintle event assemble"))
    #expect(!complete.contains("doesn't count"))

    try scene.run("cd a && pintle event assemble && pintle verify released/2.json --keyset keysets --against released")
    // The assembled file has the very bytes that both saw.
    try scene.run(
      """
      cd a && grep -oE '"signed":.*' event/2.json >../draft && grep -oE '"signed":.*' released/2.json >../released
      cmp ../draft ../released
      pintle event assemble 2>&1 | grep -q 'everything is there already'
      """)
  }

  @Test("a file is never replaced by another one, and nothing is written while anything is missing")
  func assembling() throws {
    let begun = try scene.run("cd a && enforce && git switch -q -c empty main && pintle event status", ends: 2)
    #expect(begun.stdoutText.contains("--issued-at 2026-11-22 -o event/2.json --at 2026-11-22\n"))
    let first = try scene.run("cd a && git switch -q release-2 && signed alice")
    #expect(!first.stderrText.contains("next:"))
    // A branch that was never pushed has no upstream to pull from.
    #expect(try scene.status(ends: 2).contains("git add event && git commit -m Sign && git push -u origin HEAD\n"))
    let early = try scene.run("cd a && pintle event assemble", ends: 2)
    #expect(early.stderrText.contains("nothing was written: 1 signature missing"))
    let last = try scene.run("cd a && test ! -e released/2.json && signed bob && echo other >released/2.json")
    #expect(last.stderrText.contains("next: commit this, then run 'pintle event assemble'"))
    try scene.run("cd a && pintle event assemble", ends: 1)
    #expect(try scene.place.read("a/released/2.json") == "other\n")
    // A link that a branch has in place of a folder may lead anywhere.
    try scene.run("cd a && mv released kept && mkdir ../elsewhere && ln -s ../elsewhere released")
    let link = try scene.run("cd a && pintle event assemble", ends: 1)
    #expect(link.stderrText.contains("'released' is a link, and nothing is written through links"))
    try scene.run("cd a && test -z \"$(ls ../elsewhere)\" && rm released && mv kept released")
    // What isn't committed isn't read.
    try scene.run("cd a && rm -r released event keysets policies/payments.yaml && echo x >policies/web.yaml")
    #expect(try scene.status(ends: 0).contains("complete"))
    try scene.run("cd a && git switch -q -f main && pintle event assemble --branch release-2")
    try scene.run("cd a && pintle verify released/2.json --keyset keysets")
  }

  @Test("an owner who hasn't signed is named, though two of three have signed")
  func owner() throws {
    try scene.run("cd a && begin 's/2027-06-01/2027-05-01/' payments.yaml && signed alice && signed bob")
    let missing = try scene.status(ends: 2)
    #expect(missing.contains("1 file not approved by an owner"))
    #expect(missing.contains("policies/payments.yaml: its text, 'pay.example.com'"))
    #expect(missing.contains("MISSING: carol must sign event/2.json (owner in the policy of HEAD)"))
    #expect(missing.contains("pintle sign event/2.json"))
    try scene.run("cd a && pintle event assemble", ends: 2)
    try scene.run("cd a && signed carol")
    #expect(try scene.status(ends: 0).contains("carol has signed event/2.json"))
  }

  @Test("a branch that changes who may sign, or what is released, is never complete")
  func changedTrust() throws {
    try scene.run("cd a && enforce && signed alice && signed bob")
    #expect(try scene.status(ends: 0).contains("complete"))
    try scene.run("cd a && git rm -q released/1.json && echo '{}' >keysets/1.keyset.json && commit Housekeeping")
    let status = try scene.status(ends: 2)
    #expect(status.contains("2 files to remove or restore"))
    #expect(status.contains("keysets/1.keyset.json: the branch changes or removes it"))
    #expect(status.contains("released/1.json: the branch changes or removes it"))
    #expect(status.contains(" -- keysets/1.keyset.json released/1.json"))
    try scene.run("cd a && pintle event assemble", ends: 2)
  }

  @Test("a draft has the name that its release will have")
  func misnamedDraft() throws {
    try scene.run(
      """
      cd a && enforce && signed alice && signed bob && mkdir event/staging
      git mv event/2.json event/staging/0001.json && git mv event/2.signatures event/staging/0001.signatures && commit Rename
      """)
    let status = try scene.status(ends: 2)
    #expect(status.contains("event/staging/0001.json: it is for"))
    #expect(status.contains("so its name must be '2.json'"))
  }

  @Test("a draft that is issued in the future is rejected, with any signatures")
  func futureDraft() throws {
    try scene.run("cd a && enforce && rm event/2.json")
    try scene.run(
      """
      cd a && pintle build policies --unsigned -o event/2.json --against released \
        --keyset keysets --issued-at 2026-12-10 --at 2026-12-10 && commit Later
      """)
    let status = try scene.status(ends: 6)
    #expect(status.contains("the issue time 2026-12-10T00:00:00Z is more than a day ahead of"))
  }

  @Test("a tag that is named like the base doesn't replace it")
  func ambiguousBase() throws {
    // With HEAD as the base, there would be no draft of release 2 to sign.
    try scene.run("cd a && enforce && for name in main HEAD origin/main refs/heads/gone; do git tag $name; done")
    for base in ["main", "main~0", "refs/heads/main", "origin/main"] {
      let status = try scene.run("cd a && pintle event status --base \(base)", ends: 2)
      #expect(status.stdoutText.contains("event/2.json: production serial 2"))
      #expect(status.stdoutText.contains(try scene.run("cd a && git rev-parse refs/heads/main").stdoutText.prefix(10)))
    }
    let absent = try scene.run("cd a && pintle event status --base refs/heads/gone", ends: 1)
    #expect(absent.stderrText.contains("has no commit 'refs/heads/gone'"))
    let two = try scene.run("cd a && git branch origin/main && pintle event status --base origin/main", ends: 1)
    #expect(two.stderrText.contains("'origin/main' names 2 things: refs/heads/origin/main, refs/remotes/origin/main"))
  }

  @Test("a changed draft makes earlier signatures invalid, and shows of whom, over what, and what changed")
  func changedDraft() throws {
    try scene.run("cd a && enforce && signed alice")
    let digest = try #require(try scene.status(ends: 2).firstMatch(of: /signed bytes  (sha256:[0-9a-f]{64})/)?.1)
    try scene.run(
      """
      cd a
      sed -i 's/2027-06-01/2027-04-01/' policies/web.yaml && commit Sooner && rm event/2.json && draft && commit 'Draft again'
      signed bob
      """)
    let status = try scene.status(ends: 2)
    #expect(status.contains("1 of 2 needed, 1 more of alice, carol"))
    #expect(status.contains("doesn't count: alice ("))
    #expect(status.contains("the signature is over \(digest), the draft of commit"))
    #expect(status.contains("expires  2027-06-01T00:00:00Z -> 2027-04-01T00:00:00Z"))
    let comment = try scene.status("a", "--format markdown", ends: 2)
    #expect(comment.contains("- Doesn't count: alice ("))
    #expect(comment.contains("expires  2027-06-01T00:00:00Z -\\> 2027-04-01T00:00:00Z"))
    // Each signature is compared with the version that it is over.
    try scene.run(
      """
      cd a
      sed -i 's/2027-04-01/2027-03-01/' policies/web.yaml && commit Sooner && rm event/2.json && draft && commit 'A third'
      """)
    let third = try scene.status(ends: 2)
    #expect(third.contains("expires  2027-06-01T00:00:00Z -> 2027-03-01T00:00:00Z"))
    #expect(third.contains("expires  2027-04-01T00:00:00Z -> 2027-03-01T00:00:00Z"))
    #expect(third.matches(of: /the draft of commit [0-9a-f]{10}; changed since/).count == 2)
    try scene.run("cd a && git reset -q --hard HEAD~2")
    // Alice looks at the new draft, and signs it in place of the old one.
    try scene.run("cd a && signed alice")
    #expect(try !scene.status(ends: 0).contains("doesn't count"))
  }

  @Test("a signature over bytes that the branch never had is named as such, also after a squash")
  func squashed() throws {
    try scene.run(
      """
      cd a && enforce && signed alice
      sed -i 's/2027-06-01/2027-04-01/' policies/web.yaml && rm event/2.json && commit Sooner && draft
      git reset -q --soft main && commit Squashed && signed bob
      """)
    let status = try scene.status(ends: 2)
    #expect(status.contains("which this branch never had"))
    #expect(status.contains("1 of 2 needed, 1 more of alice, carol"))
  }

  @Test("a commit that has a signature and changes the draft is named")
  func mixedCommit() throws {
    try scene.run(
      """
      cd a && enforce && signed alice
      sed -i 's/2027-06-01/2027-04-01/' policies/web.yaml && commit Sooner && rm event/2.json && draft && sign bob
      GIT_AUTHOR_NAME='Mallory `<img src=x>` @all' commit 'Sign as bob'
      """)
    let status = try scene.status(ends: 2)
    #expect(status.contains("by 'Mallory `img src=x` @all' has a signature, and changes 'event/2.json' too"))
    #expect(status.contains("doesn't count: alice"))
    let comment = try scene.status("a", "--format markdown", ends: 2)
    #expect(comment.contains("by ``Mallory `img src=x` @all`` has a signature, and changes 'event/2.json' too"))
  }

  @Test(
    "a draft under another name is renamed by one command, with its signatures and its reason; a reason alone is left over"
  )
  func renamed() throws {
    try scene.run(
      """
      cd a && enforce && signed alice && signed bob && echo why >event/2.reason && git mv event/2.json event/02.json
      git mv event/2.signatures event/02.signatures && mv event/2.reason event/02.reason && commit Rename
      """)
    let command =
      "mkdir -p event && git mv event/02.json event/2.json && git mv event/02.signatures event/2.signatures && "
      + "git mv event/02.reason event/2.reason"
    let status = try scene.status(ends: 2)
    #expect(status.contains(command), "\(status)")
    try scene.run("cd a && \(command) && commit 'Rename back'")
    #expect(try scene.status(ends: 0).contains("complete, ready to be assembled"))
    try scene.run("cd a && mv event/2.reason event/3.reason && commit Move")
    #expect(try scene.status(ends: 2).contains("event/3.reason: its draft 'event/3.json' is missing"))
  }

  @Test("an author is nobody: names and mail addresses of signers count for nothing, and are shown harmlessly")
  func authors() throws {
    try scene.run(
      """
      cd a && enforce
      export GIT_AUTHOR_EMAIL=alice@example.com
      sign stranger 2>/dev/null && exit 1
      mkdir -p event/2.signatures && echo hello >event/2.signatures/README && echo more >notes && echo '{}' >event/3.json
      GIT_AUTHOR_NAME=$(printf 'alice\\033[31m|**x**') commit 'Sign as alice'
      """)
    let status = try scene.status(ends: 2)
    #expect(status.contains("0 of 2 needed, 2 more of alice, bob, carol"))
    #expect(status.contains("event/2.signatures/README: not a draft, a signature or a reason by its name"))
    #expect(status.contains("event/3.json: the file is not a manifest"))
    #expect(status.contains("by 'alice<U+001B>[31m|**x**' has a draft, and changes other files too: "))
    let comment = try scene.status("a", "--format markdown", ends: 2)
    #expect(comment.contains("by `alice<U+001B>[31m\\|**x**` has a draft"))
    for text in [status, comment] { #expect(!text.contains("\u{1B}")) }
  }

  @Test("a signature of a key that isn't in the keyset counts for nothing, and is left out")
  func stranger() throws {
    // The tool of a stranger signs without a keyset.
    try scene.run(
      """
      cd a && enforce && signed alice
      pintle sign event/2.json --detached --without-comparison --sign-key ../stranger.key && commit Stranger
      pintle sign event/2.json --detached --without-comparison --sign-key ../root.key && commit Root
      """)
    let status = try scene.status(ends: 2)
    #expect(status.matches(of: /doesn't count: .* the keyset doesn't allow this key to sign this/).count == 2)
    #expect(status.contains("root ("))
    #expect(status.contains("1 of 2 needed, 1 more of bob, carol"))
    try scene.run("cd a && signed carol && pintle event assemble")
    let assembled = try scene.place.read("a/released/2.json")
    #expect(assembled.matches(of: /"keyid"/).count == 2)
  }

  @Test("a signature whose bytes were changed is wrong, and one in another's name must be removed")
  func damaged() throws {
    try scene.run(
      """
      cd a && enforce && signed alice && signed bob
      sed -i 's/"sig":"..../"sig":"AAAA/' $(signature bob) && commit Damage
      """)
    #expect(try scene.status(ends: 2).contains("the signature doesn't fit the signed bytes: one of them was changed"))
    try scene.run("cd a && cp $(signature alice) $(signature carol) && commit 'Sign as carol'")
    let status = try scene.status(ends: 2)
    #expect(status.contains("the signature in it is of another key than its name says"))
    #expect(status.contains("git rm -r event/2.signatures/"))
  }

  @Test("links, submodules, huge files and hostile names on the branch are never read, and keep it from being complete")
  func hostileFiles() throws {
    try scene.run(
      """
      cd a && enforce && signed alice && signed bob
      ln -s ../../released/1.json event/3.json && ln -s /etc/passwd $(signature carol)
      head -c 70000000 /dev/zero >event/4.json
      head -c 5000 /dev/zero >$(signature stranger)
      mkdir -p 'event/-x' && touch "event/$(printf 'a\\033]0;b`<b>|.json')" 'event/-x/1.json' event/.hidden.json
      git init -q -b main ../other && (cd ../other && touch x && commit x)
      git -c protocol.file.allow=always submodule add -q "$PWD/../other" event/sub.json 2>/dev/null
      commit Hostile
      """)
    let status = try scene.status(ends: 2)
    #expect(status.contains("event/3.json: it is a symbolic link"))
    #expect(status.contains("event/4.json: it has 70000000 bytes; the limit is 67108864"))
    #expect(status.contains("event/sub.json: it is a submodule"))
    #expect(status.contains("it has 5000 bytes; the limit is 2048"))
    #expect(status.contains("event/.hidden.json: not a draft, a signature or a reason by its name"))
    #expect(status.contains("a<U+001B>]0;b`<b>|.json"))
    #expect(!status.contains("root:"))
    let comment = try scene.status("a", "--format markdown", ends: 2)
    for text in [status, comment] { #expect(!text.contains("\u{1B}")) }
    try scene.run("cd a && pintle event assemble", ends: 2)
    // A link in place of the folder of drafts.
    try scene.run("cd b && ln -s policies event && git switch -q -c link && commit Link")
    let link = try scene.run("cd b && status", ends: 2)
    #expect(link.stdoutText.contains("event: it must be a folder"))
  }

  @Test("a draft that isn't what the branch's policy compiles to is rejected, no matter who signed it")
  func otherPolicy() throws {
    try scene.run(
      """
      cd a && enforce && sed -i 's/mode: enforce/mode: report-only/' policies/web.yaml && commit 'Not in the draft'
      signed alice && signed bob && signed carol
      """)
    let status = try scene.status(ends: 6)
    #expect(status.contains("1 draft rejected"))
    #expect(status.contains("REJECTED: 'git:HEAD' holds sources of the digest"))
    try scene.run("cd a && pintle event assemble", ends: 6)
  }

  @Test("a draft that clients would reject after what is released is rejected; a branch behind its base is rebased")
  func movedBase() throws {
    try scene.run("cd a && enforce && signed alice && signed bob")
    try scene.run("cd b && touch notes && commit Notes && push && cd ../a && git fetch -q")
    let behind = try scene.status("a", "--base origin/main", ends: 2)
    #expect(behind.contains("not up to date with the base"))
    #expect(behind.contains("git rebase origin/main"))
    try scene.run("cd a && git rebase -q origin/main")
    _ = try scene.status("a", "--base origin/main", ends: 0)
    // Somebody else's serial 2 is released first.
    try scene.run(
      """
      cd b && pintle build policies -o released/2.json --against released/1.json --keyset keysets \
        --issued-at 2026-11-22 --sign-key ../bob.key --sign-key ../carol.key && commit 'Release 2' && push
      cd ../a && git fetch -q && git rebase -q origin/main
      """)
    let taken = try scene.status("a", "--base origin/main", ends: 6)
    #expect(taken.contains("serial 2 is released already, with other signed bytes"))
  }

  @Test("a keyset's draft needs its roots, of both versions")
  func keyset() throws {
    try scene.run(
      """
      pintle key rosa.key && cd a && git switch -q -c keyset-2 && mkdir event
      pintle keyset next keysets/1.keyset.json -o event/2.keyset.json --issued-at 2026-11-22 --expires same \
        --add-root rosa=../rosa.key.pub --root-threshold 2 && commit Draft
      """)
    let nobody = try scene.status(ends: 2)
    #expect(nobody.contains("event/2.keyset.json: keyset of production, version 2"))
    #expect(nobody.contains("'rosa' may sign keysets"))
    #expect(nobody.contains("roots of keyset 1: 0 of 1 needed, 1 more of root"))
    #expect(nobody.contains("roots of keyset 2: 0 of 2 needed, 2 more of root, rosa"))
    let sign = "pintle sign event/2.keyset.json --detached --against keysets/1.keyset.json --sign-key"
    #expect(nobody.contains(sign))
    try scene.run("cd a && \(sign) ../root.key && commit Root")
    #expect(try scene.status(ends: 2).contains("roots of keyset 2: 1 of 2 needed, 1 more of rosa"))
    let last = try scene.run("cd a && \(sign) ../rosa.key && commit Rosa")
    #expect(last.stderrText.contains("next: commit this, then run 'pintle event assemble'"))
    try scene.run("cd a && git diff --quiet main -- keysets")
    _ = try scene.status(ends: 0)
    // What the new keyset verifies is for the next event.
    try scene.run("cd a && draft && commit 'A manifest too'")
    let both = try scene.status(ends: 2)
    #expect(both.contains("event/2.json: the event also has the next keyset for 'production': merge that first"))
    try scene.run("cd a && git reset -q --hard HEAD~1 && pintle event assemble && pintle verify keysets")
  }

  @Test("a signature on another audience's draft doesn't count for this one")
  func otherAudience() throws {
    try scene.run(
      """
      cd a && git rm -q -r released keysets
      sed -i 's/audience: production/audiences: { production: { refresh-after: 1d }, staging: { refresh-after: 1h } }/' \
        policies/manifest.yaml
      for audience in production staging; do
        mkdir -p keysets/$audience
        pintle keyset init -o keysets/$audience/1.keyset.json --audience $audience --root root=../root.key.pub \
          --root-threshold 1 --signer alice=../alice.key.pub --signer carol=../carol.key.pub --threshold 1 \
          --issued-at 2026-11-21 --expires 2027-11-21
        pintle sign keysets/$audience/1.keyset.json --sign-key ../root.key
      done
      commit Audiences && git switch -q -c release
      pintle build policies --unsigned -o event --serial 1 --issued-at 2026-11-22 && commit Drafts
      for audience in production staging; do
        pintle sign event/$audience/1.json --detached --keyset keysets/$audience --sign-key ../carol.key
      done
      """)
    try scene.run("cd a && commit 'Sign as carol'")
    #expect(try scene.status(ends: 0).contains("production serial 1"))
    try scene.run(
      "cd a && cp $(signature carol event/production/1) $(signature carol event/staging/1) && commit 'Move a signature'"
    )
    // A keyset that isn't with the others would never be read, nor would what it revokes.
    try scene.run(
      """
      cd a && pintle keyset next keysets/production/1.keyset.json --revoke carol -o event/2.keyset.json --issued-at 2026-11-22 \
        --expires same --threshold 1 && commit Revoke
      """)
    let status = try scene.status(ends: 2)
    #expect(status.contains("so its name must be 'production/2.keyset.json'"), "\(status)")
    #expect(status.contains("the signature is on event/production/1.json"))
    #expect(status.contains("event/staging/1.json: staging serial 1"))
  }
}
