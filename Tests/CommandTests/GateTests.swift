import Foundation
import TestSupport
import Testing

/// `pintle gate` on branches of a repository, by what its base says.
///
/// A comment in front of a row or a test, here and elsewhere, such as `ci-keyset-swap`, is the short name of an attack that
/// an earlier pipeline let through.
@Suite("The gate")
struct GateTests {
  let scene: EventScene

  init() throws {
    scene = try EventScene()
    try scene.run("cat >>functions <<'END'\n\(Self.functions)\nEND")
  }

  /// Signs draft 2 with these keys and puts it together by hand, as somebody without a key can.
  static let functions = """
    gate() { pintle gate --base main "$@"; }
    assembled() {
      python3 - "${1:-event/2.json}" "${2:-released/2.json}" <<'PY'
    import glob, json, sys
    draft, target = sys.argv[1:]
    files = sorted(glob.glob(draft[:-5] + ".signatures/*.json"))
    signatures = [{key: json.load(open(file))[key] for key in ("keyid", "sig")} for file in files]
    raw = open(draft, "rb").read()
    signed = raw[raw.index(b'"signed":'):]
    open(target, "wb").write(b'{"signatures":' + json.dumps(signatures, separators=(",", ":")).encode() + b"," + signed)
    PY
    }
    release() { assembled && git rm -q -r event && commit 'Release 2'; }
    unpin() { begin 's/mode: enforce/mode: report-only/' payments.yaml; }
    branch() { git switch -q -c "${1:-other}" main; }
    main() { git switch -q main; }
    # two_audiences OWNER SIGNER [EDIT]: the base has staging as well, and staging.yaml of OWNER is for it alone
    two_audiences() {
      git rm -q -r released keysets
      sed -i 's/audience: production/audiences: { production: {}, staging: { development: true } }/' policies/manifest.yaml
      sed "s/carol/$1/; s/pay/pay-staging/; s/^owners/audiences: [staging]\\n&/" policies/payments.yaml >policies/staging.yaml
      eval "${3:-}"
      for name in production staging; do
        mkdir -p keysets/$name && pintle keyset init -o keysets/$name/1.keyset.json --audience $name \
          --root root=../root.key.pub --root-threshold 1 --signer alice=../alice.key.pub --signer carol=../carol.key.pub \
          --threshold 1 --issued-at 2026-11-21 --expires 2027-11-21
        pintle keyset sign keysets/$name/1.keyset.json --sign-key ../root.key
      done
      pintle build policies -o released --serial 1 --issued-at 2026-11-21 --keyset keysets --sign-key ../$2.key
      commit Audiences
    }
    """

  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    /// What the branch commits.
    var commands: String
    var status: Int32
    /// What the gate says.
    var says: [String]
    var options = ""
    var testDescription: String { name }
  }

  /// Builds release 2 of a policy whose active key no release has, and then restores the policy.
  private static let restored = """
    branch release-2
    sed -i 's|^keys:|&\\n  three: { pin: sha256/KwccWaCgrnaw6tsrrSO61FgLacNgG2MMLq8GE6+oP5I= }|; s/active: .one./active: [three]/' \
      policies/web.yaml
    commit Policy && mkdir event
    pintle build policies --unsigned -o event/2.json --baseline released --keyset keysets --issued-at 2026-11-22 --commit git
    commit Draft && signed alice && signed carol && release
    """

  /// Replaces the active key by the backup, and removes it.
  private static let lockout = """
    sed -i 's/active: .one., backup: .two./active: [two], backup: [one]/' policies/web.yaml
    sed -i '/one: /d; s/backup: .one./backup: [three]/; s/^key-sets/  three: { pin: sha256\\/fNlzDbvAmpnnkFwcSPkfLZNFUUQXkA1yc9jcNBtXm+o= }\\nkey-sets/' policies/web.yaml
    """

  /// A signed draft on a branch that stays, and on its copy.
  private static let copied = "enforce && signed alice && signed bob && git branch -q copy && "

  /// Somebody without a key adds the draft to a branch and removes it there; then the release is made.
  private static let forged = """
    cp event/2.json .. && branch forged && mkdir event && cp ../2.json event && commit Copy && git rm -q -r event && \
      commit Withdraw && git switch -q release-2 && release
    """

  /// Merges release 2 without removing its draft, and makes the draft of release 3.
  private static let left = """
    enforce && signed alice && signed bob && assembled && commit 'Release 2' && main && git merge -q release-2 && branch
    sed -i 's/r.example/s.example/' policies/web.yaml && commit p
    pintle build policies --unsigned -o event/3.json --baseline released --keyset keysets --issued-at 2026-11-22 && commit d
    """

  static let rows = [
    Row(
      name: "a release that locks clients out", commands: restored, status: 3, says: ["P604"]),
    Row(
      name: "the same, after the policy is restored",
      commands: restored + "\ngit checkout -q main -- policies && commit Back", status: 3, says: ["P604"]),
    Row(
      name: "links and files in the place of folders that decide what is run",
      commands: "branch && ln -s policies .pintle && ln -s policies .husky && echo x >ci && commit x", status: 0,
      says: [".pintle: is new", ".husky: is new", "ci: is new"]),
    Row(
      name: "a record of servers that every later gate would read",
      commands: "branch && mkdir out && echo x >out/evidence-a.json && touch out/.gitkeep && commit x", status: 6,
      says: [
        "out/evidence-a.json: later stages of ci/pins would read it as a result of their own",
        "changes 1 file that is listed below, 0 of the policy, and 1 that the gate doesn't check",
      ]),
    Row(
      name: "a file in the place of the folder of results", commands: "branch && echo x >out && commit x", status: 6,
      says: ["out: later stages"]),
    Row(
      name: "a result that is tracked is removed",
      commands: "mkdir out && echo x >out/evidence.json && commit w && branch && git rm -q -r out && commit x",
      status: 0,
      says: ["out/evidence.json: a result that doesn't belong here is removed"]),
    Row(
      name: "a draft that was left after its release, and the next one",
      commands: left, status: 2,
      says: [
        "event/2.json: released as 'released/2.json', so it is finished: remove it",
        "event/2.signatures: released as 'released/2.json'", "event/3.json: signers of keyset 1: 0 of 2 needed",
      ]),
    Row(
      name: "the same, signed", commands: left + " && signed alice event/3.json && signed bob event/3.json", status: 0,
      says: ["may be merged", "event/3.json: a draft that has all signatures, and not yet assembled"]),
    Row(
      name: "a release whose draft stays for now",
      commands: "enforce && signed alice && signed bob && assembled && commit x",
      status: 0, says: ["event/2.json: a draft that has all signatures, and assembled as 'released/2.json': remove"]),
    Row(
      name: "the same, released while the finished draft is removed",
      commands: left + " && signed alice event/3.json && signed bob event/3.json && "
        + "assembled event/3.json released/3.json && git rm -q -r event && commit x", status: 0,
      says: ["may be merged", "released/3.json: a release"]),
    Row(
      name: "a draft of what is released is added",
      commands: "branch && mkdir event && cp released/1.json event && commit x", status: 6,
      says: ["event/1.json: released as 'released/1.json'", "Remove it: nobody has to sign it"]),
    Row(
      name: "a draft of the keyset that counts is left",
      commands: """
        mkdir event && cp keysets/1.keyset.json event && commit x && branch
        pintle keyset next keysets/1.keyset.json -o event/2.keyset.json --issued-at 2026-11-22 --expires same \
          --remove-signer bob --add-signer stranger=../stranger.key.pub && commit x
        """, status: 2,
      says: [
        "event/1.keyset.json: released as 'keysets/1.keyset.json'",
        "event/2.keyset.json: roots of keyset 1: 0 of 1 needed",
      ]),
    Row(
      name: "two releases at once",
      commands: """
        branch && for serial in 2 3; do pintle build policies -o released/$serial.json --baseline released \
          --keyset keysets --issued-at 2026-11-22 --sign-key ../alice.key --sign-key ../bob.key; done
        commit x
        """, status: 6, says: ["released/3.json: the branch adds another release for 'production' too"]),
    Row(
      name: "the mode of a release changes", commands: "branch && chmod +x released/1.json && commit x", status: 0,
      says: ["released/1.json: its bytes are the same, and its mode changes"]),
    Row(
      name: "files, links and submodules in the place of each folder",
      commands: """
        branch && echo x >a.txt && mkdir ci && echo x >ci/pins && git mv policies kept && ln -s kept policies
        git rm -q -r released && echo x >released && git rm -q -r keysets && git add -A
        git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),keysets && git commit -q -m x
        """, status: 6,
      says: [
        "policies: no file of this name", "released: no file of this name", "keysets: no file of this name",
        "released/1.json: the branch removes it", "keysets/1.keyset.json: the branch removes it", "ci/pins: is new",
        "and 4 that the gate doesn't check", "the policy has errors",
      ]),
    Row(
      name: "a withdrawal where no release is looked for",
      commands: "branch && mkdir -p released/epoch-1 released/nobody && echo x >released/epoch-1/1.withdrawn && "
        + "echo x >released/nobody/7.withdrawn && commit x", status: 6,
      says: [
        "released/epoch-1/1.withdrawn: serials are withdrawn", "released/nobody/7.withdrawn: serials are withdrawn",
      ]),
    Row(
      name: "a file that the gate doesn't check", commands: "branch && echo x >README.md && commit x", status: 0,
      says: [
        "may be merged", "changes 0 files that are listed below, 0 of the policy, and 1 that the gate doesn't check",
      ]),
    // ci-release-removed
    Row(
      name: "the newest release is removed", commands: "branch && git rm -q released/1.json && commit x", status: 6,
      says: ["released/1.json: the branch removes it", "release the next serial"]),
    Row(
      name: "a release is changed", commands: "branch && printf ' ' >>released/1.json && commit x", status: 6,
      says: ["released/1.json: the branch changes it"]),
    // ci-keyset-swap
    Row(
      name: "a keyset is replaced by another one",
      commands: """
        branch && rm keysets/1.keyset.json
        pintle keyset init -o keysets/1.keyset.json --audience production --root m=../stranger.key.pub --root-threshold 1 \
          --signer m=../stranger.key.pub --threshold 1 --issued-at 2026-11-21 --expires 2027-11-21
        pintle keyset sign keysets/1.keyset.json --sign-key ../stranger.key && commit x
        """, status: 6, says: ["keysets/1.keyset.json: the branch changes it"]),
    Row(
      name: "files that nobody knows, each by its name",
      commands: """
        branch && mkdir -p event released/production Released && echo '{}' >released/2.json && cp released/1.json released/1-copy.json
        echo '{}' >keysets/2.keyset.json && echo x >event/note.txt && echo x >released/README.md && echo x >Released/3.json
        ln -s 1.json released/4.json && echo x >released/.gitkeep && echo x >keysets/old.json && git rm -q released/1.json
        commit x
        """, status: 6,
      says: [
        "released/2.json: the file is not a manifest", "released/1-copy.json: it has the signed bytes",
        "keysets/2.keyset.json: the file is not a keyset", "event/note.txt: ",
        "released/README.md: no file of this name",
        "Released/3.json: no file of this name", "released/4.json: it is a symbolic link",
        "released/.gitkeep: it isn't empty", "keysets/old.json: no file of this name",
        "released/1.json: the branch removes it",
      ]),
    Row(
      name: "empty folders that would stop every later gate, or use up serials",
      commands: """
        branch && mkdir -p keysets/production released/7.withdrawn released/epoch-3 event/production event/9.signatures
        for folder in keysets/production released/7.withdrawn released/epoch-3 event/production event/9.signatures; do
          touch $folder/.gitkeep; done; touch released/.gitkeep && commit x
        """, status: 6,
      says: [
        "keysets/production/.gitkeep: no file of this name", "released/7.withdrawn/.gitkeep: no file of this name",
        "released/epoch-3/.gitkeep: no file of this name", "event/production/.gitkeep: ",
        "event/9.signatures/.gitkeep: ", "released/.gitkeep: keeps a folder",
      ]),
    Row(
      name: "a draft is put in the place of a release",
      commands: "enforce && cp event/2.json released/2.json && git rm -q -r event && commit x", status: 2,
      says: ["released/2.json: signers of keyset 1: 0 of 2 needed", "to be signed"]),
    Row(
      name: "a release that two signed", commands: "enforce && signed alice && signed bob && release", status: 0,
      says: ["may be merged", "released/2.json: a release, production serial 2, signed by"]),
    // owners-bypass-ci
    Row(
      name: "the owner never signed", commands: "unpin && signed alice && signed bob && release", status: 2,
      says: ["released/2.json: ", "MISSING: carol must sign released/2.json"]),
    Row(
      name: "the owner signed", commands: "unpin && signed alice && signed carol && release", status: 0,
      says: ["may be merged"]),
    Row(
      name: "a draft that waits for signatures", commands: "enforce && signed alice", status: 2,
      says: ["event/2.json: signers of keyset 1: 1 of 2 needed, 1 more of bob, carol"]),
    Row(
      name: "a release that one signed", commands: "enforce && signed alice && release", status: 2,
      says: ["released/2.json: signers of keyset 1: 1 of 2 needed, 1 more of bob, carol"]),
    Row(
      name: "an owner alone", commands: "unpin && signed carol && release", status: 2,
      says: ["released/2.json: signers of keyset 1: 1 of 2 needed, 1 more of alice, bob"]),
    // event-extra-files
    Row(
      name: "a complete event with other files",
      commands:
        "enforce && signed alice && signed bob && echo '{}' >keysets/2.keyset.json && cp event/2.json released/9.json && commit x",
      status: 6, says: ["keysets/2.keyset.json: the file is not a keyset", "released/9.json: "]),
    Row(
      name: "a draft that was removed is put together from the history",
      commands: """
        unpin && signed alice && signed carol && cp -r event ../kept && git rm -q -r event && commit Withdraw
        cp -r ../kept event && assembled && rm -r event && commit x
        """, status: 6, says: ["released/2.json: 'released/2.json' is rejected: the commit", "withdrew it"]),
    Row(
      name: "a draft that was withdrawn on another branch is assembled from a copy",
      commands: copied + "git rm -q -r event && commit Withdraw && git switch -q copy && release", status: 6,
      says: [
        "released/2.json: 'released/2.json' is rejected: the commit", "withdrew it", "git branch --all --contains",
      ]),
    Row(
      name: "the same, squashed onto the base, and the other branch is one of the server",
      commands: copied + """
        git rm -q -r event && commit Withdraw && push && git switch -q copy && git branch -q -D release-2 && release
        branch squashed && git checkout -q copy -- policies released && commit x && git branch -q -D copy
        """, status: 6, says: ["released/2.json: 'released/2.json' is rejected: the commit", "withdrew it"]),
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
        + " && git update-ref refs/pull/1/head forged && git tag forged forged && git branch -q -D forged", status: 0,
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
        """, status: 6, says: ["released/2.json: 'released/2.json' is rejected: the commit", "withdrew it"]),
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
        """, status: 6, says: ["released/2.json: 'released/2.json' is rejected: the commit", "withdrew it"]),
    Row(
      name: "the same in the folder of its audience",
      commands: """
        mkdir released/production && git mv released/1.json released/production/ && commit Folder
        enforce && signed alice && signed bob && assembled event/2.json released/production/2.json && git rm -q -r event
        commit Release && cp released/production/2.json .. && git rm -q released/production/2.json && commit Withdraw
        cp ../2.json released/production && commit x
        """, status: 6, says: ["released/production/2.json: 'released/production/2.json' is rejected", "withdrew it"]),
    Row(
      name: "a draft that the base had and removed is assembled on a new branch",
      commands: """
        enforce && signed alice && signed bob && assembled && mv released/2.json .. && main && git merge -q release-2
        git rm -q -r event && commit Withdraw && branch && cp ../2.json released && commit x
        """, status: 6, says: ["released/2.json: 'released/2.json' is rejected: the commit", "withdrew it"]),
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
        """, status: 0, says: ["released/2.json: a release, production serial 2, signed by"]),
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
      name: "owners are removed, then a release changes their file, after a squash and a move of the last release",
      commands: """
        mkdir released/production && git mv released/1.json released/production && sed -i '/owners/d' policies/payments.yaml
        commit Squashed && unpin && signed alice && signed bob && assembled event/2.json released/production/2.json
        git rm -q -r event && commit x
        """, status: 2, says: ["MISSING: carol must sign released/production/2.json (owner by serial 1)"]),
    Row(
      name: "the same, where the policy of the last release isn't in git",
      commands: """
        git checkout -q --orphan fresh && sed -i '/owners/d' policies/payments.yaml && commit All && git branch -f main
        git switch -q main && unpin && signed alice && signed bob && release
        """, status: 6, says: ["the policy that serial 1 was compiled from isn't in the history of 'main'"]),
    Row(
      name: "a branch that lacks 501 commits of its base",
      commands: """
        branch && echo x >notes.txt && sed -i 's/mode: report-only/mode: enforce/' policies/web.yaml && commit x && main
        for number in $(seq 501); do
          printf 'commit refs/heads/main\ncommitter T <t@example.com> 1795305600 +0000\ndata 1\nx\n'
          test $number != 1 || printf 'from refs/heads/main^0\n'
          printf 'M 100644 inline log\ndata 4\n%04d\n' $number
        done | git fast-import --quiet && git reset -q --hard && git switch -q other
        """, status: 0, says: ["may be merged"]),
    Row(
      name: "a branch with 501 commits",
      commands: """
        branch && for number in $(seq 501); do
          printf 'commit refs/heads/other\ncommitter T <t@example.com> 1795305600 +0000\ndata 1\nx\n'
          test $number != 1 || printf 'from refs/heads/other^0\n'
          printf 'M 100644 inline log\ndata 4\n%04d\n' $number
        done | git fast-import --quiet && git reset -q --hard
        """, status: 0, says: ["may be merged"]),
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
        pintle build policies -o released/3.json --baseline released --keyset keysets --issued-at 2026-11-22 \
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
      name: "a link in the place of a folder", commands: "branch && ln -s policies event && commit x", status: 6,
      says: ["event: no file of this name belongs here"]),
    Row(
      name: "a file that some disks take for a folder", commands: "branch && echo x >Keysets && commit x", status: 6,
      says: ["Keysets: no file of this name"]),
    Row(
      name: "a withdrawal of what is released", commands: "branch && echo why >released/1.withdrawn && commit x",
      status: 6,
      says: ["serial 1 of 'production' is released"]),
    Row(
      name: "a withdrawal that is removed",
      commands: "echo why >released/2.withdrawn && commit w && branch && git rm -q released/2.withdrawn && commit x",
      status: 6, says: ["a withdrawal must not be changed or removed"]),
    Row(
      name: "all files move into the folder of their audience",
      commands: """
        branch && mkdir released/production keysets/production && git mv released/1.json released/production/
        git mv keysets/1.keyset.json keysets/production/ && commit x
        """, status: 0, says: ["released/1.json: moved to 'released/production/1.json', with the same bytes"]),
    // ci-audience-folders
    Row(
      name: "after such a move, a release is replaced by junk, another one is added, and the policy locks clients out",
      commands: """
        sed -i 's/mode: report-only/mode: enforce/' policies/web.yaml && mkdir released/production keysets/production
        git mv released/1.json released/production/ && git mv keysets/1.keyset.json keysets/production/ && commit p && branch
        \(lockout)
        echo junk >released/production/1.json && echo '{}' >released/production/2.json && commit x
        """, status: 6,
      says: [
        "released/production/1.json: the branch changes it", "released/production/2.json: the file is not a manifest",
        "the policy is unsafe to release",
      ]),
    Row(
      name: "one of two releases moves",
      commands: """
        enforce && signed alice && signed bob && release && main && git merge -q release-2 && branch
        mkdir released/production && git mv released/1.json released/production/ && commit x
        """, status: 6, says: ["released/1.json: it is moved, and 'released/2.json' stays"]),
    Row(
      name: "a release moves into another audience's folder",
      commands: "branch && mkdir released/staging && git mv released/1.json released/staging/ && commit x", status: 6,
      says: ["released/1.json: the branch removes it", "released/staging/1.json: it is for 'production'"]),
    Row(
      name: "a release changes while it moves",
      commands: """
        branch && mkdir released/production && git mv released/1.json released/production/
        printf ' ' >>released/production/1.json && commit x
        """, status: 6, says: ["released/1.json: the branch removes it"]),
    Row(
      name: "signatures are added to a release",
      commands:
        "branch && pintle sign released/1.json --keyset keysets --against released --sign-key ../carol.key && commit x",
      status: 0, says: ["released/1.json: signatures are added, and the signed bytes are the same"]),
    Row(
      name: "signatures are added that don't count",
      commands: "branch && pintle sign released/1.json --without-comparison --sign-key ../stranger.key && commit x",
      status: 6, says: ["released/1.json: the branch adds a signature that doesn't count"]),
    Row(
      name: "signatures are taken from a release",
      commands: """
        pintle sign released/1.json --keyset keysets --against released --sign-key ../carol.key && cp released/1.json ..
        git checkout -q released && cp released/1.json ../two.json && cp ../1.json released && commit three && branch
        cp ../two.json released/1.json && commit x
        """, status: 6, says: ["removes or changes a signature"]),
    Row(
      name: "the next keyset, signed",
      commands: """
        branch && pintle keyset next keysets/1.keyset.json -o keysets/2.keyset.json --issued-at 2026-11-22 --expires same \
          --remove-signer bob --add-signer stranger=../stranger.key.pub --sign-key ../root.key && commit x
        """, status: 0,
      says: ["keysets/2.keyset.json: the next keyset, keyset of production, version 2, signed by root"]),
    Row(
      name: "the next keyset, not signed",
      commands: """
        branch && pintle keyset next keysets/1.keyset.json -o keysets/2.keyset.json --issued-at 2026-11-22 --expires same \
          --remove-signer bob --add-signer stranger=../stranger.key.pub && commit x
        """, status: 2, says: ["roots of keyset 1: 0 of 1 needed"]),
    Row(
      name: "a keyset that skips a version",
      commands: """
        branch && pintle keyset next keysets/1.keyset.json -o keysets/2.keyset.json --issued-at 2026-11-22 --expires same \
          --remove-signer bob --add-signer stranger=../stranger.key.pub --sign-key ../root.key
        mv keysets/2.keyset.json keysets/3.keyset.json && commit x
        """, status: 6, says: ["keysets/3.keyset.json: it is version 2"]),
    Row(
      name: "workflows, hooks and ci",
      commands: """
        branch && mkdir -p ci .github/workflows .githooks && echo x >ci/pins && echo x >.github/workflows/pins.yml
        echo x >.githooks/pre-commit && echo x >.gitlab-ci.yml && commit x
        """, status: 0,
      says: [
        "look at these", "ci/pins: is new", ".github/workflows/pins.yml: ", ".githooks/pre-commit: ",
        ".gitlab-ci.yml: ",
      ]),
    Row(
      name: "the same, where warnings fail", commands: "branch && mkdir ci && echo x >ci/pins && commit x", status: 2,
      says: ["ci/pins: is new"], options: "--fail-on warning"),
    Row(
      name: "a change that locks clients out",
      commands: """
        sed -i 's/mode: report-only/mode: enforce/' policies/web.yaml && commit p
        branch && \(lockout) && commit x
        """, status: 3, says: ["the policy is unsafe to release"]),
    Row(
      name: "a policy with errors", commands: "branch && sed -i 's/keys: web/keys: wep/' policies/web.yaml && commit x",
      status: 2, says: ["the policy has errors"]),
    Row(
      name: "a branch behind its base that changes no file for clients",
      commands: "branch && echo x >a.txt && commit x && main && echo y >b.txt && commit y && git switch -q other",
      status: 0,
      says: ["may be merged"]),
    Row(
      name: "a release on a branch behind its base",
      commands: """
        enforce && signed alice && signed bob && release && main && echo y >b.txt && commit y && git switch -q release-2
        """, status: 2, says: ["the branch lacks 1 commit of 'main'"]),
    Row(
      name: "a base that isn't there", commands: "branch && echo x >a.txt && commit x", status: 1,
      says: ["has no commit 'origin/other'"], options: "--base origin/other"),
    Row(
      name: "an audience without releases",
      commands: """
        branch && sed -i 's/audience: production/audiences: { production: {}, staging: { development: true } }/' policies/manifest.yaml
        commit x
        """, status: 6,
      says: ["it makes a manifest for 'staging', and 'main' has no release for it", "released/staging/"]),
  ]

  @Test("each row of the table of docs/security.md names rows of these tests, or tests of its own")
  func securityTable() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/security.md")
    let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    let head = try #require(lines.firstIndex { $0.hasSuffix("| shown by `GateTests.judges` |") })
    let rows = lines[(head + 2)...].prefix { $0.hasPrefix("|") }
    #expect(rows.count >= 12)
    for row in rows {
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      for name in try #require(cells.last).split(separator: ";").map({ $0.trimmingCharacters(in: .whitespaces) }) {
        // Scripts/check-docs looks for tests by their names.
        if name.split(separator: ", ").allSatisfy({ $0.hasPrefix("`") && $0.hasSuffix("`") && $0.contains("Tests") }) {
          continue
        }
        let isShort = name.hasSuffix("…")
        let found = Self.rows.contains {
          isShort ? $0.name.hasPrefix(name.dropLast().trimmingCharacters(in: .whitespaces)) : $0.name == name
        }
        #expect(found, "\(name)")
      }
    }
  }

  @Test("says what may be merged, what must still be signed by whom, and what is refused", arguments: rows)
  func judges(_ row: Row) throws {
    let set = try scene.place.run(
      "bash -c '. ./functions; set -e; cd a; eval \"$0\"' \"$(cat <<'EOT'\n\(row.commands)\nEOT\n)\"")
    #expect(set.status == 0, "\(set.stdoutText)\(set.stderrText)")
    let result = try scene.run("cd a && gate \(row.options)", ends: row.status)
    for text in row.says {
      #expect(
        (result.stdoutText + result.stderrText).contains(text), "\(text)\n\(result.stdoutText)\(result.stderrText)")
    }
  }
}
