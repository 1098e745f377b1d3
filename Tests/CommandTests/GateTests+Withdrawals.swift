/// Drafts, signatures and serials that were withdrawn, and withdrawals that somebody forges.
extension GateTests {
  /// A signed draft on a branch that stays, and on its copy.
  private static let copied = "enforce && signed alice && signed bob && git branch -q copy && "

  /// Somebody without a key adds the draft to a branch and removes it there; then the release is made.
  private static let forged = """
    cp event/2.json .. && branch forged && mkdir event && cp ../2.json event && commit Copy && git rm -q -r event && \
      commit Withdraw && git switch -q release-2 && release
    """

  /// A signed draft waits on its branch, and another branch begins.
  private static let waiting = "enforce && signed alice && signed bob && branch innocent && "

  /// Writes a file that says that it is carol's signature on the draft of release 2; alice made another one.
  private static let forgery = """
    enforce && signed alice && id() { basename $(signature $1) .json; } && file=$(signature alice) && \
      sed "s/$(id alice)/$(id carol)/" $file >../$(id carol).json && branch forged && mkdir -p event/2.signatures && \
      cp ../$(id carol).json event/2.signatures && commit Forge && git rm -q -r event && echo x >README.md && commit Tidy
    """

  /// The base has an open draft with all signatures, and somebody without a key begins a branch.
  private static let open =
    "enforce && signed alice && signed carol && main && git merge -q release-2 && git branch -q -D release-2 && branch evil "
    + "&& id() { basename $(signature $1) .json; } && cp -r event ../kept && "

  /// The same, and the draft has a reason.
  private static let reasoned = open + "main && echo why >event/2.reason && commit Why && branch quiet && "

  /// Adds 60 drafts that nobody has signed, which come before draft 2 by their names.
  private static let madeUp = """
    for number in $(seq 1000 1059); do sed s/serial.:2,/serial\\":$number,/ event/2.json >event/$number.json; done
    """

  static let withdrawals = [
    Row(
      name: "a draft that has enough signatures on the base is removed",
      commands: open + "git rm -q -r event && commit Away", status: 0,
      says: [
        "look at these\n  event/2.json: this draft, production serial 2, has enough signatures, and the branch removes or",
        "After the merge, it can't be released any more",
      ], lacks: ["event/2.json: removed from the signing event"]),
    Row(
      name: "a signature on it is removed",
      commands: open + "git rm -q $(signature alice) && commit Away", status: 2,
      says: [
        "must not be merged: findings at the fail level",
        "this signature is on a draft that has enough of them, production serial 2", "it doesn't count any more",
      ], options: "--fail-on warning"),
    Row(
      name: "a draft of a keyset that has enough signatures on the base is removed",
      commands: """
        mkdir event && pintle keyset next keysets/1.keyset.json -o event/2.keyset.json --issued-at 2026-11-22 \
          --expires same --add-root stranger=../stranger.key.pub && commit Draft
        sign_as() { pintle sign event/2.keyset.json --detached --against keysets/1.keyset.json --sign-key ../$1.key; }
        sign_as root && commit Sign && branch && git rm -q -r event && commit Away
        """, status: 0, says: ["this draft, keyset of production, version 2, has enough signatures"]),
    Row(
      name: "the reason of a draft that stays is removed",
      commands: reasoned + "git rm -q event/2.reason && commit Away",
      status: 6, says: ["event/2.reason: it is removed without its draft, 'event/2.json'"]),
    Row(
      name: "a reason is removed with its draft",
      commands: reasoned + "git rm -q -r event && commit Away",
      status: 0, says: ["event/2.reason: removed from the signing event"]),
    Row(
      name: "many made-up drafts don't hide one that somebody has signed",
      commands: "enforce && signed alice && \(madeUp) && commit Many", status: 6,
      says: ["refused\n  event/2.json: another draft for 'production' is there\n", "  and 11 more\n"]),
    Row(
      name: "nor one that only commits show, nor a changed file",
      commands: waiting + "git checkout -q release-2 -- event && \(madeUp) && commit Copy && git rm -q -r event && "
        + "echo x >Jenkinsfile && commit Tidy",
      status: 0, says: ["look at these\n  event/2.json: the commit", "\n  Jenkinsfile: is new", "  and 12 more\n"]),
    Row(
      name: "an open draft is removed and added again, with one more file",
      commands: open + """
        git rm -q -r event && commit Away && cp -r ../kept event
        other=$(printf %064d 7) && sed "s/$(id alice)/$other/" $(signature alice) >event/2.signatures/$other.json && commit Back
        """, status: 0, says: ["look at these", "removes or replaces this draft, production serial 2"]),
    Row(
      name: "signatures on it are removed and added again, with another mode",
      commands: open + """
        git rm -q -r event/2.signatures && commit Away && cp -r ../kept/2.signatures event && chmod 755 event/2.signatures/* && \
          commit Back
        """, status: 0, says: ["look at these", "removes or replaces this signature on production serial 2"]),
    Row(
      name: "the same, where another branch withdrew the draft before",
      commands: open + """
        git branch -q decoy && git rm -q -r event/2.signatures && commit Away && cp -r ../kept/2.signatures event && \
          echo x >README.md && commit Back && git switch -q decoy && git rm -q -r event && \
          GIT_COMMITTER_DATE=2020-01-01T00:00:00Z GIT_AUTHOR_DATE=2020-01-01T00:00:00Z commit Decoy && git switch -q evil
        """, status: 0, says: ["look at these", "removes or replaces this signature on production serial 2"]),
    Row(
      name: "a draft is copied and removed again, and a copy elsewhere is changed",
      commands: """
        enforce && signed alice && signed carol && cp event/2.json ../2.json && main && cp ../2.json sample.json
        commit Sample
        branch evil && mkdir event && cp ../2.json event && commit Copy && git rm -q -r event
        echo x >>sample.json && commit Tidy
        """, status: 0, says: ["look at these", "removes or replaces this draft, production serial 2"]),
    Row(
      name: "a signature is replaced by one that isn't valid",
      commands: open + """
        sed "s/$(id alice)/$(id carol)/" $(signature alice) >../forged && cp ../forged $(signature carol) && commit Forge
        """, status: 6, says: ["the signature isn't valid for these bytes", "only its key can make it"]),
    Row(
      name: "a signature of a root that only the next keyset has",
      commands: """
        branch next && mkdir event && pintle keyset next keysets/1.keyset.json -o event/2.keyset.json --issued-at 2026-11-22 \
          --expires same --add-root stranger=../stranger.key.pub && commit Draft
        pintle sign event/2.keyset.json --detached --against keysets/1.keyset.json --sign-key ../stranger.key
        commit Sign
        cp -r event ../kept && branch innocent && mkdir -p event/2.keyset.signatures && \
          cp ../kept/2.keyset.signatures/* event/2.keyset.signatures && commit Copy && git rm -q -r event && \
          echo x >README.md && commit Tidy
        """, status: 0,
      says: ["look at these", "removes or replaces this signature on keyset of production, version 2"]),
    Row(
      name: "a merge commit removes a draft, and the configuration leaves merges out",
      commands: waiting
        + "git config log.diffMerges first-parent && git merge -q --no-commit release-2 && git rm -q -r -f event && "
        + "git checkout -q main -- policies && commit Merge",
      status: 0, says: ["look at these", "removes or replaces this draft, production serial 2"]),
    Row(
      name: "a draft is copied and removed again by commits, and the changed files don't show it",
      commands: waiting
        + "git checkout -q release-2 -- event && commit Copy && git rm -q -r event && echo x >README.md && commit Tidy",
      status: 0,
      says: [
        "may be merged", "look at these", "removes or replaces this draft, production serial 2", "merge by squashing",
      ]),
    Row(
      name: "the same, where warnings fail for the draft alone",
      commands: waiting
        + "git checkout -q release-2 -- event && commit Copy && printf x >>event/2.json && commit Other && "
        + "git rm -q -r event && commit Tidy",
      status: 2, says: ["must not be merged: findings at the fail level", "event/2.json: the commit"],
      options: "--fail-on warning"),
    Row(
      name: "a draft of another branch is merged and removed again",
      commands: waiting
        + "git merge -q release-2 && git rm -q -r event && git checkout -q main -- policies && commit Tidy",
      status: 0, says: ["look at these", "removes or replaces this draft, production serial 2"]),
    Row(
      name: "a signature is copied without its draft and removed again",
      commands: waiting
        + "git checkout -q release-2 -- $(signature bob) && commit Copy && git rm -q -r event && echo x >a && commit Tidy",
      status: 0, says: ["look at these", "removes or replaces this signature on production serial 2"]),
    Row(
      name: "a draft of a keyset is copied and removed again",
      commands: """
        branch next && mkdir event && pintle keyset next keysets/1.keyset.json -o event/2.keyset.json --issued-at 2026-11-22 \
          --expires same --remove-signer bob --add-signer stranger=../stranger.key.pub && commit Draft && branch innocent
        git checkout -q next -- event && commit Copy && git rm -q -r event && echo x >README.md && commit Tidy
        """, status: 0, says: ["removes or replaces this draft, keyset of production, version 2"]),
    Row(
      name: "after a merge commit of these commits, only a new draft helps",
      commands: waiting + """
        git checkout -q release-2 -- event && commit Copy && git rm -q -r event && echo x >README.md && commit Tidy && main
        git merge -q --no-ff -m Merge innocent && git branch -q -D innocent && git switch -q release-2 && git rebase -q main
        """, status: 6,
      says: [
        "withdrew it", "Build it again with the next serial: --serial 3", "If the base has it, only a new draft helps",
      ]
    ),
    Row(
      name: "somebody replaces their own draft before the release",
      commands: """
        enforce && signed alice && sed -i 's/2026-11-22T00:00:00Z/2026-11-22T00:00:01Z/' event/2.json && commit Replace
        git rm -q -r event && commit Away && sed -i 's/2027-06-01/2027-07-01/' policies/web.yaml && commit p && mkdir event
        draft && commit Again && signed alice && git rm -q $(signature alice) && commit Not && signed bob && signed carol && release
        """, status: 0, says: ["may be merged"], lacks: ["look at these"]),
    Row(
      name: "the same, while it waits for signatures",
      commands: """
        enforce && signed alice && git rm -q -r event && commit Away && sed -i 's/2027-06-01/2027-07-01/' policies/web.yaml
        commit p && mkdir event && draft && commit Again
        """, status: 2, says: ["2 more of alice, bob, carol"], lacks: ["look at these"]),
    Row(
      name: "a branch merges a base that has released its draft, and removed another one",
      commands: """
        enforce && signed alice && signed bob && branch other && git merge -q release-2 && echo x >README.md && commit x
        git switch -q release-2 && release && main && git merge -q release-2 && git switch -q other && git merge -q main
        """, status: 0, says: ["may be merged"], lacks: ["look at these"]),
    Row(
      name: "a draft that the base has is removed",
      commands: "enforce && main && git merge -q release-2 && branch && git rm -q -r event && commit Withdraw",
      status: 0,
      says: ["event/2.json: removed from the signing event"], lacks: ["look at these"]),
    Row(
      name: "a forged signature on another branch doesn't withdraw the one that is made later",
      commands: forgery + " && git switch -q release-2 && signed carol && release", status: 0,
      says: ["released/2.json: a release, production serial 2, signed by"]),
    Row(
      name: "nor is it listed where it is merged", commands: forgery, status: 0, says: ["may be merged"],
      lacks: ["look at these"]),
    Row(
      name: "a signature that is replaced by a forged one",
      commands: """
        enforce && signed carol && signed alice && id() { basename $(signature $1) .json; } && cp $(signature carol) ..
        sed "s/$(id alice)/$(id carol)/" $(signature alice) >../forged && cp ../forged $(signature carol) && commit Forge
        cp ../$(id carol).json event/2.signatures && commit Back && release
        """, status: 2, says: ["withdrew the signature", "1 of 2 needed"]),
    Row(
      name: "a draft of a keyset that was withdrawn",
      commands: """
        branch next && mkdir event && pintle keyset next keysets/1.keyset.json -o event/2.keyset.json --issued-at 2026-11-22 \
          --expires same --remove-signer bob --add-signer stranger=../stranger.key.pub && commit Draft && git branch copy
        git rm -q -r event && commit Withdraw && git switch -q copy
        """, status: 6, says: ["withdrew it", "Make version 2 again, with another --issued-at"], lacks: ["next serial"]),
    Row(
      name: "a release and the removal of its draft in two commits",
      commands:
        "enforce && signed alice && signed bob && assembled && commit Release && git rm -q -r event && commit x",
      status: 6, says: ["this commit removed or replaced the draft, and so withdrew it", "in one commit"]),
    Row(
      name: "a withdrawal where no release is looked for",
      commands: "branch && mkdir -p released/epoch-1 released/nobody && echo x >released/epoch-1/1.withdrawn && "
        + "echo x >released/nobody/7.withdrawn && commit x", status: 6,
      says: [
        "released/epoch-1/1.withdrawn: serials are withdrawn", "released/nobody/7.withdrawn: serials are withdrawn",
      ]),
    Row(
      name: "a draft that was removed is put together from the history",
      commands: """
        unpin && signed alice && signed carol && cp -r event ../kept && git rm -q -r event && commit Withdraw
        cp -r ../kept event && assembled && rm -r event && commit x
        """, status: 6, says: ["released/2.json: the commit", "withdrew it"]),
    Row(
      name: "a draft that was withdrawn on another branch is assembled from a copy",
      commands: copied + "git rm -q -r event && commit Withdraw && git switch -q copy && release", status: 6,
      says: [
        "released/2.json: the commit", "withdrew it", "git branch --all --contains",
      ]),
    Row(
      name: "the same, squashed onto the base, and the other branch is one of the server",
      commands: copied + """
        git rm -q -r event && commit Withdraw && push && git switch -q copy && git branch -q -D release-2 && release
        branch squashed && git checkout -q copy -- policies released && commit x && git branch -q -D copy
        """, status: 6, says: ["released/2.json: the commit", "withdrew it"]),
    Row(
      name: "a draft that was replaced on another branch is assembled from a copy",
      commands: copied + """
        sed -i 's/2026-11-22T00:00:00Z/2026-11-22T00:00:01Z/' event/2.json && commit Replace && git switch -q copy && release
        """, status: 6, says: ["withdrew it"]),
    Row(
      name: "a signature that was withdrawn on another branch",
      commands: copied + """
        git rm -q $(signature bob) && commit Withdraw && git switch -q copy && assembled && git rm -q -r event && commit x
        """, status: 2, says: ["withdrew the signature", "1 of 2 needed"]),
    Row(
      name: "a false withdrawal on another branch stops a release", commands: copied + forged, status: 6,
      says: ["withdrew it", "git branch --all --contains"]),
    Row(
      name: "and no longer once that branch is deleted", commands: copied + forged + " && git branch -q -D forged",
      status: 0, says: ["released/2.json: a release, production serial 2, signed by"]),
    Row(
      name: "a withdrawal that only a pull request and a tag have, which nobody can delete",
      commands: copied + forged
        + " && for name in pull/1/head remotes/pull/1/merge; do git update-ref refs/$name forged; done; git tag forged forged"
        + " && git branch -q -D forged", status: 0,
      says: ["may be merged"]),
    Row(
      name: "a draft that was replaced is put together from the history",
      commands: """
        unpin && signed alice && signed carol && cp -r event ../kept && sed -i 's/2026-11-22T00:00:00Z/2026-11-22T00:00:01Z/' event/2.json
        commit Replace && rm -r event && cp -r ../kept event && assembled && rm -r event && commit x
        """, status: 6, says: ["withdrew it"]),
    Row(
      name: "and it is put back into the event first",
      commands: """
        unpin && signed alice && signed carol && cp -r event ../kept && git rm -q -r event && commit Withdraw
        cp -r ../kept event && commit Back && release
        """, status: 6, says: ["withdrew it"]),
    Row(
      name: "and a copy of it stays in the event",
      commands: """
        unpin && signed alice && signed carol && cp event/2.json event/9.json && commit Copy && cp -r event ../kept
        git rm -q -r event/2.json event/2.signatures && commit Withdraw
        rm -r event && cp -r ../kept event && assembled && rm -r event && commit x
        """, status: 6, says: ["released/2.json: the commit", "withdrew it"]),
    Row(
      name: "a draft that is moved to another name",
      commands: """
        unpin && signed alice && signed carol && mkdir event/old && git mv event/2.json event/2.signatures event/old && \
          commit Away && git mv event/old/* event && commit Back && release
        """, status: 0, says: ["released/2.json: a release, production serial 2, signed by"]),
    Row(
      name: "a release that the branch removed is added again",
      commands: """
        enforce && signed alice && signed bob && release && cp released/2.json .. && git rm -q released/2.json
        commit Withdraw && cp ../2.json released && commit x
        """, status: 6, says: ["released/2.json: the commit", "withdrew it"]),
    Row(
      name: "the same in the folder of its audience",
      commands: """
        mkdir released/production && git mv released/1.json released/production/ && commit Folder
        enforce && signed alice && signed bob && assembled event/2.json released/production/2.json && git rm -q -r event
        commit Release && cp released/production/2.json .. && git rm -q released/production/2.json && commit Withdraw
        cp ../2.json released/production && commit x
        """, status: 6, says: ["released/production/2.json: the commit", "withdrew it"]),
    Row(
      name: "a draft that the base had and removed is assembled on a new branch",
      commands: """
        enforce && signed alice && signed bob && assembled && mv released/2.json .. && main && git merge -q release-2
        git rm -q -r event && commit Withdraw && branch && cp ../2.json released && commit x
        """, status: 6, says: ["released/2.json: the commit", "withdrew it"]),
    Row(
      name: "a draft that a merge left out is assembled",
      commands: """
        enforce && signed alice && signed bob && assembled && mv released/2.json .. && main
        git merge -q -s ours -m 'Leave it out' release-2 && branch
        sed -i 's/mode: report-only/mode: enforce/' policies/web.yaml && cp ../2.json released && commit x
        """, status: 6, says: ["withdrew it"]),
    Row(
      name: "a draft that the base has is assembled",
      commands: """
        enforce && signed alice && signed bob && main && git merge -q release-2 && branch && release
        """, status: 0, says: ["released/2.json: a release, production serial 2, signed by"], lacks: ["look at these"]),
    Row(
      name: "a signature that was removed from a release of the branch",
      commands: """
        enforce && signed alice && signed bob && release && cp released/2.json ..
        python3 - <<'PY'
        import json
        text = open("released/2.json").read()
        signatures = json.loads(text)["signatures"][1:]
        signed = text[text.index('"signed":'):]
        open("released/2.json", "w").write('{"signatures":' + json.dumps(signatures, separators=(",", ":")) + "," + signed)
        PY
        commit Withdraw && cp ../2.json released && commit x
        """, status: 2, says: ["withdrew the signature"]),
    Row(
      name: "a signature that was removed",
      commands: """
        unpin && signed alice && signed carol && cp -r event ../kept && git rm -q $(signature carol) && commit Withdraw
        rm -r event && cp -r ../kept event && assembled && rm -r event && commit x
        """, status: 2, says: ["withdrew the signature", "1 of 2 needed"]),
    Row(
      name: "a serial that was withdrawn on the base, on a new branch",
      commands: """
        enforce && signed alice && signed bob && assembled && cp released/2.json .. && rm released/2.json && main
        echo 'the wrong host' >released/2.withdrawn && commit Withdraw && branch
        sed -i 's/mode: report-only/mode: enforce/' policies/web.yaml && cp ../2.json released && commit x
        """, status: 6, says: ["serial 2 was withdrawn on 'main'"]),
    Row(
      name: "the next serial after it",
      commands: """
        echo 'the wrong host' >released/2.withdrawn && commit Withdraw && branch
        sed -i 's/mode: report-only/mode: enforce/' policies/web.yaml && commit p
        pintle build policies -o released/3.json --against released --keyset keysets --issued-at 2026-11-22 \
          --sign-key ../alice.key --sign-key ../bob.key 2>&1 | grep -q 'serial 3' && commit x
        """, status: 0, says: ["production serial 3"]),
    Row(
      name: "a withdrawal", commands: "branch && echo why >released/2.withdrawn && commit x", status: 0,
      says: ["released/2.withdrawn: withdraws serial 2"]),
    Row(
      name: "a release that the branch withdraws too",
      commands: "enforce && signed alice && signed bob && release && echo why >released/2.withdrawn && commit x",
      status: 6, says: ["released/2.withdrawn: the branch also changes 2 other files"]),
    Row(
      name: "a withdrawal of a serial that isn't the next one",
      commands: "branch && echo why >released/3.withdrawn && commit x", status: 6,
      says: [
        "released/3.withdrawn: the next serial of 'production' is 2, and only that one can be withdrawn",
        "name the file 2.withdrawn",
      ]),
    Row(
      name: "a withdrawal of the serial after a withdrawn one",
      commands: "echo why >released/2.withdrawn && commit w && branch && echo why >released/3.withdrawn && commit x",
      status: 0, says: ["released/3.withdrawn: withdraws serial 3"]),
    Row(
      name: "several withdrawals at once",
      commands: "branch && echo why >released/2.withdrawn && echo why >released/3.withdrawn && commit x", status: 6,
      says: ["released/2.withdrawn: the branch also changes 1 other file", "released/3.withdrawn: the next serial"]),
    Row(
      name: "a withdrawal among other changes",
      commands: "branch && echo why >released/2.withdrawn && echo x >notes.txt && commit x", status: 6,
      says: ["Withdraw a serial in a pull request that changes nothing else"]),
    Row(
      name: "a withdrawal without a reason", commands: "branch && echo >released/2.withdrawn && commit x", status: 6,
      says: ["released/2.withdrawn: it gives no reason"]),
    Row(
      name: "a withdrawal where the audience has no releases",
      commands: "branch && mkdir released/production && echo why >released/production/2.withdrawn && commit x",
      status: 6, says: ["released/production/2.withdrawn: the base's files are in released/ itself"]),
    Row(
      name: "a withdrawal of what is released", commands: "branch && echo why >released/1.withdrawn && commit x",
      status: 6,
      says: ["serial 1 of 'production' is released"]),
    Row(
      name: "a withdrawal that is removed",
      commands: "echo why >released/2.withdrawn && commit w && branch && git rm -q released/2.withdrawn && commit x",
      status: 6, says: ["a withdrawal must not be changed or removed"]),
  ]
}
