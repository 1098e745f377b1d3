/// What pull requests do to files: those for clients are kept, and nothing unknown is added.
extension GateTests {
  /// Replaces the active key by the backup, and removes it.
  static let lockout = """
    sed -i 's/active: .one., backup: .two./active: [two], backup: [one]/' policies/web.yaml
    sed -i '/one: /d; s/backup: .one./backup: [three]/; s/^key-sets/  three: { pin: sha256\\/fNlzDbvAmpnnkFwcSPkfLZNFUUQXkA1yc9jcNBtXm+o= }\\nkey-sets/' policies/web.yaml
    """

  static let files = [
    Row(
      name: "a base that has empty folders of audiences, and a file that the gate doesn't check",
      commands: "mkdir -p keysets/production released/2.withdrawn && touch keysets/production/.gitkeep "
        + "released/2.withdrawn/.gitkeep && commit Forced && branch && echo x >README.md && commit x", status: 0,
      says: ["may be merged"]),
    Row(
      name: "the same, and the folders are removed",
      commands: "mkdir -p keysets/production && touch keysets/production/.gitkeep && commit Forced && branch && "
        + "git rm -q -r keysets/production && commit x", status: 0,
      says: ["keysets/production/.gitkeep: a file that doesn't belong here is removed"]),
    Row(
      name: "the same, and a release with the next serial",
      commands: "mkdir -p released/2.withdrawn && touch released/2.withdrawn/.gitkeep && commit Forced && enforce && "
        + "signed alice && signed bob && release", status: 0, says: ["released/2.json: a release, production serial 2"]),
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
      name: "tests of the policy are changed and removed, and one is added",
      commands: """
        mkdir policies/t; for n in a b; do printf 'version: 1\ntests: [{ name: n, host: pay.example.com, keys: [one], \
        expect: allow }]\n' >policies/t/$n.test.yaml; done; commit Tests
        branch && echo >>policies/t/a.test.yaml && git mv policies/t/b.test.yaml policies/c.test.yaml && commit x
        """, status: 0,
      says: [
        "policies/t/a.test.yaml: is changed, and decides what of the policy is tested",
        "policies/t/b.test.yaml: is removed, and decides", "policies/c.test.yaml: tests of the policy",
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
        pintle sign keysets/1.keyset.json --sign-key ../stranger.key && commit x
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
      name: "a link in the place of a folder", commands: "branch && ln -s policies event && commit x", status: 6,
      says: ["event: no file of this name belongs here"]),
    Row(
      name: "a file that some disks take for a folder", commands: "branch && echo x >Keysets && commit x", status: 6,
      says: ["Keysets: no file of this name"]),
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
      name: "a branch behind its base that changes no file for clients",
      commands: "branch && echo x >a.txt && commit x && main && echo y >b.txt && commit y && git switch -q other",
      status: 0,
      says: ["may be merged"]),
    Row(
      name: "a base that isn't there", commands: "branch && echo x >a.txt && commit x", status: 1,
      says: ["has no commit 'origin/other'"], options: "--base origin/other"),
  ]
}
