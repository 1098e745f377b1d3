/// What people sign: drafts, releases and keysets, and the policies that they are compiled from.
extension GateTests {
  /// Builds release 2 of a policy whose active key no release has, and then restores the policy.
  private static let restored = """
    branch release-2
    sed -i 's|^keys:|&\\n  three: { pin: sha256/KwccWaCgrnaw6tsrrSO61FgLacNgG2MMLq8GE6+oP5I= }|; s/active: .one./active: [three]/' \
      policies/web.yaml
    commit Policy && mkdir event
    pintle build policies --unsigned -o event/2.json --against released --keyset keysets --issued-at 2026-11-22 --commit git \
      --unsafe 'the CA ends tomorrow'
    commit Draft && signed alice && signed carol && release
    """

  /// Denies the key that servers may have, and accepts for a while that nothing is left beside its backup.
  private static let denial = """
    sed -i 's|^keys:|&|; s|  one: { \\(.*\\) }|  one: { \\1, denied: stolen }|; s/web: .*/web: { active: [two] } # pintle:allow P313 until 2026-12-01: stolen/' \
      policies/web.yaml
    """

  /// Builds the release of a denial, which locks clients out.
  private static let denied = """
    branch release-2
    \(denial) && commit Deny && mkdir event
    pintle build policies --unsigned -o event/2.json --against released --keyset keysets --issued-at 2026-11-22 --commit git
    commit Draft
    """

  /// Builds a release that takes a backup from all hosts.
  private static let large = """
    branch release-2
    sed -i 's/backup: .two./backup: [three]/; s|^keys:|&\\n  three: { pin: sha256/KwccWaCgrnaw6tsrrSO61FgLacNgG2MMLq8GE6+oP5I= }|' \
      policies/web.yaml
    commit Backup && mkdir event
    pintle build policies --unsigned -o event/2.json --against released --keyset keysets --issued-at 2026-11-22 --commit git
    commit Draft
    """

  /// Merges release 2 without removing its draft, and makes the draft of release 3.
  private static let left = """
    enforce && signed alice && signed bob && assembled && commit 'Release 2' && main && git merge -q release-2 && branch
    sed -i 's/r.example/s.example/' policies/web.yaml && commit p
    pintle build policies --unsigned -o event/3.json --against released --keyset keysets --issued-at 2026-11-22 && commit d
    """

  /// The base has a release with its reason.
  private static let reasoned = """
    enforce && echo soon >event/2.reason && commit Why && signed alice && signed bob && pintle event assemble
    git rm -q -r event && git add . && commit x && main && git merge -q release-2 && branch && \

    """

  static let drafts = [
    Row(
      name: "a draft under another name",
      commands: "enforce && git mv event/2.json event/02.json && commit x", status: 6,
      says: [
        "event/02.json: it is for 'production'",
        "Rename 'event/02.json' to 'event/2.json', in one commit with all that belongs to the draft.",
      ]),
    Row(
      name: "an empty file that keeps the folder of drafts",
      commands: """
        mkdir event && touch event/.gitkeep && commit Keep && enforce && signed alice && signed bob && pintle event assemble
        git rm -q -r event/2.json event/2.signatures && commit 'Release 2'
        """, status: 0, says: ["released/2.json: a release, production serial 2, signed by"]),
    Row(
      name: "a release that skips serials",
      commands: """
        branch && sed -i 's/mode: report-only/mode: enforce/' policies/web.yaml && commit p
        pintle build policies -o released/9.json --serial 9 --against released --keyset keysets --issued-at 2026-11-22 \
          --sign-key ../alice.key --sign-key ../bob.key && commit x
        """, status: 0,
      says: ["production serial 9, signed by", "; it skips the serials 2 to 8, which can't be used later"]),
    Row(
      name: "the policy changes after its draft",
      commands: "enforce && signed alice && sed -i 's/2027-06-01/2027-07-01/' policies/web.yaml && commit p", status: 6,
      says: ["Build it again from the policy of the branch, or restore the policy that it was built from."],
      lacks: ["Name the sources"]),
    Row(
      name: "the same, as a hook judges it",
      commands: "enforce && signed alice && sed -i 's/2027-06-01/2027-07-01/' policies/web.yaml && commit p", status: 2,
      says: ["event/2.json: 'git:HEAD' holds sources"], options: "--before-commit"),
    Row(
      name: "a release that locks clients out", commands: restored, status: 3, says: ["P604"]),
    Row(
      name: "a draft that locks clients out",
      commands: restored.replacing(" && signed alice && signed carol && release", with: ""),
      status: 3,
      says: [
        "P604", "reason given for an unsafe release (nobody signed it): the CA ends tomorrow",
        "event/2.json: signers of keyset 1: 0 of 2",
      ]),
    Row(
      name: "a denial that waits for its signatures, in place of the key that servers have",
      commands: denied, status: 2, says: ["event/2.json: signers of keyset 1: 0 of 2", "only denies keys"],
      lacks: ["unsafe to release"]),
    Row(
      name: "the same, signed by the owner and another",
      commands: denied + " && signed alice && signed carol && release",
      status: 0, says: ["may be merged", "only denies keys, and locks clients out that need them", "P613"]),
    Row(
      name: "the same, signed without the owner", commands: denied + " && signed alice && signed bob && release",
      status: 2, says: ["MISSING: carol must sign released/2.json"]),
    Row(
      name: "a denial that nobody has to sign", commands: denied + " && git rm -q -r event && commit x", status: 3,
      says: ["the policy is unsafe to release"]),
    // A release may be compiled from a policy that the branch had before.
    Row(
      name: "a denial that the signed release doesn't have",
      commands: """
        \(large) && signed alice && signed carol && release
        \(denial) && commit Deny
        """, status: 3, says: ["released/2.json: a release", "the policy is unsafe to release"]),
    Row(
      name: "a denial, and a key that no release has",
      commands: denied.replacing("[two]", with: "[two, three]").replacing(
        "^keys:|&", with: "^keys:|&\\n  three: { pin: sha256/KwccWaCgrnaw6tsrrSO61FgLacNgG2MMLq8GE6+oP5I= }"
      ).replacing("--commit git", with: "--commit git --unsafe 'it cannot wait'"),
      status: 3, says: ["the policy is unsafe to release"]),
    Row(
      name: "nothing changes but a step that the policy plans, which locks clients out",
      commands: """
        \(large) && signed alice && signed carol && release && main && git merge -q release-2 && branch release-3
        sed -i 's|  three: { |&steps: { active: 2026-12-01 }, |' policies/web.yaml && commit Step && mkdir -p event
        build='pintle build policies --unsigned -o event/3.json --against released --keyset keysets --commit git'
        $build --issued-at 2026-11-23 --at 2026-11-23 2>/dev/null && exit 1
        $build --issued-at 2026-11-23 --at 2026-11-23 --unsafe 'it will be soon' && commit Draft
        signed alice event/3.json && signed carol event/3.json
        """, status: 3, says: ["P604", "the policy is unsafe to release"]),
    Row(
      name: "a denial of a key that no release has, and the same step",
      commands: """
        \(large) && signed alice && signed carol && release && main && git merge -q release-2 && branch release-3
        sed -i 's|  three: { |  lost: { pin: sha256/KwccWaCgrnaw6tsrrSO61FgLacNgG2MMLq8GE6+oP5A=, denied: stolen }\\n&steps: { active: 2026-12-01 }, |' \
          policies/web.yaml && commit Step && mkdir -p event
        build='pintle build policies --unsigned -o event/3.json --against released --keyset keysets --commit git'
        $build --issued-at 2026-11-23 --at 2026-11-23 2>/dev/null && exit 1
        $build --issued-at 2026-11-23 --at 2026-11-23 --unsafe 'it will be soon' && commit Draft
        signed alice event/3.json && signed carol event/3.json
        """, status: 3, says: ["P604", "the policy is unsafe to release"], lacks: ["only denies keys"]),
    Row(
      name: "a large release that waits for its signatures", commands: large, status: 2,
      says: ["event/2.json: signers of keyset 1: 0 of 2", "locks nobody out, but is large"], lacks: ["would be large"]),
    Row(
      name: "the same, signed", commands: large + " && signed alice && signed carol && release", status: 0,
      says: ["may be merged", "locks nobody out, but is large", "P611"]),
    Row(
      name: "a large policy without a release", commands: large + " && git rm -q -r event && commit x", status: 2,
      says: ["the release would be large"]),
    Row(
      name: "the reason of no draft", commands: "enforce && echo why >event/3.reason && commit x", status: 6,
      says: ["event/3.reason: its draft 'event/3.json' is missing"]),
    Row(
      name: "a reason and a signature of a draft under another name",
      commands: """
        enforce && signed alice && echo why >event/2.reason && git mv event/2.json event/02.json
        git mv event/2.signatures event/02.signatures && mv event/2.reason event/02.reason && commit x
        """, status: 6,
      says: [
        "event/02.reason: it belongs to 'event/02.json'", "Rename 'event/02.reason' to 'event/2.reason'",
        "Rename 'event/02.signatures' to 'event/2.signatures'",
      ]),
    Row(
      name: "a reason of two lines", commands: "enforce && printf 'a\\nb\\n' >event/2.reason && commit x", status: 6,
      says: ["event/2.reason: the reason of an unsafe draft has to be one line of visible text"]),
    Row(
      name: "a reason that goes with its release",
      commands: """
        enforce && echo soon >event/2.reason && commit Why && signed alice && signed bob && pintle event assemble
        git rm -q -r event && git add . && commit x
        """,
      status: 0, says: ["released/2.reason: the reason given for an unsafe release, released/2.json; nobody signed it"]),
    Row(
      name: "the reason of a release, of two lines",
      commands: """
        enforce && signed alice && signed bob && release && printf 'a\\nb\\n' >released/2.reason && git add . && commit x
        """, status: 6, says: ["released/2.reason: the reason of a release has to be one line of visible text"]),
    Row(
      name: "a reason without its release", commands: "enforce && echo why >released/2.reason && git add . && commit x",
      status: 6, says: ["released/2.reason: it is added without its release, 'released/2.json'"]),
    Row(
      name: "a reason that is changed after its release",
      commands: reasoned + "echo other >released/2.reason && commit x", status: 6,
      says: ["released/2.reason: the reason of a release must not be changed"]),
    Row(
      name: "a reason that is removed after its release",
      commands: reasoned + "git rm -q released/2.reason && commit x",
      status: 6, says: ["released/2.reason: it is removed without its release, 'released/2.json'"]),
    Row(
      name: "a reason that is moved with its release",
      commands: reasoned + "mkdir -p released/production && git mv released/*.* released/production/ && commit x",
      status: 0,
      says: ["released/2.reason: removed with its release", "released/production/2.reason: the reason given"]),
    Row(
      name: "a reason that is another one after a move",
      commands: reasoned
        + "mkdir -p released/production && git mv released/*.* released/production/ && "
        + "echo other >released/production/2.reason && commit x", status: 6,
      says: ["released/production/2.reason: the release is moved to 'released/production/2.json', and its reason isn't"]
    ),
    Row(
      name: "a reason that a move leaves out",
      commands: reasoned
        + "mkdir -p released/production && git mv released/*.json released/production/ && git rm -q released/2.reason && "
        + "commit x", status: 6, says: ["released/2.reason: the release is moved to 'released/production/2.json'"]),
    Row(
      name: "the same, after the policy is restored",
      commands: restored + "\ngit checkout -q main -- policies && commit Back", status: 3, says: ["P604"]),
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
        branch && for serial in 2 3; do pintle build policies -o released/$serial.json --against released \
          --keyset keysets --issued-at 2026-11-22 --sign-key ../alice.key --sign-key ../bob.key; done
        commit x
        """, status: 6, says: ["released/3.json: the branch adds another release for 'production' too"]),
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
      name: "owners are removed, then a release changes their file, after a squash and a move of the last release",
      commands: """
        mkdir released/production && git mv released/1.json released/production && sed -i '/owners/d' policies/payments.yaml
        commit Squashed && unpin && signed alice && signed bob && assembled event/2.json released/production/2.json
        git rm -q -r event && commit x
        """, status: 2, says: ["MISSING: carol must sign released/production/2.json (owner in the policy of serial 1)"]),
    Row(
      name: "the same, where the policy of the last release isn't in git",
      commands: """
        git checkout -q --orphan fresh && sed -i '/owners/d' policies/payments.yaml && commit All && git branch -f main
        git switch -q main && unpin && signed alice && signed bob && release
        """, status: 6, says: ["the policy that serial 1 was compiled from isn't in the history of 'main'"]),
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
      name: "a change that locks clients out",
      commands: """
        sed -i 's/mode: report-only/mode: enforce/' policies/web.yaml && commit p
        branch && \(lockout) && commit x
        """, status: 3, says: ["the policy is unsafe to release"]),
    Row(
      name: "a policy with errors", commands: "branch && sed -i 's/keys: web/keys: wep/' policies/web.yaml && commit x",
      status: 2, says: ["the policy has errors"]),
    Row(
      name: "a release on a branch behind its base",
      commands: """
        enforce && signed alice && signed bob && release && main && echo y >b.txt && commit y && git switch -q release-2
        """, status: 2, says: ["the branch lacks 1 commit of 'main'"]),
    Row(
      name: "an audience without releases",
      commands: """
        branch && sed -i 's/audience: production/audiences: { production: {}, staging: { development: true } }/' policies/manifest.yaml
        commit x
        """, status: 6,
      says: ["it makes a manifest for 'staging', and 'main' has no release for it", "released/staging/"]),
  ]
}
