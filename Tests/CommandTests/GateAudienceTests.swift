import TestSupport
import Testing

/// `pintle gate` where a repository has several audiences, or an earlier epoch.
@Suite("The gate and several audiences")
struct GateAudienceTests {
  private let scene: EventScene

  init() throws {
    scene = try EventScene()
    try scene.run("cat >>functions <<'END'\n\(GateTests.functions)\nEND")
  }

  // ci-epoch
  @Test("after stolen keys, the newest release is the newest of the new epoch, for build, gate and publish")
  func epoch() throws {
    try scene.run(
      """
      pintle key dora.key && cd a && for serial in 2 3; do
        pintle build policies -o released/$serial.json --against released --keyset keysets --issued-at 2026-11-22 \
          --sign-key ../alice.key --sign-key ../bob.key
      done
      pintle keyset next keysets/1.keyset.json -o keysets/2.keyset.json --issued-at 2026-11-22 --expires same \
        --remove-signer alice --remove-signer bob --add-signer erin=../stranger.key.pub --add-signer dora=../dora.key.pub \
        --restart 2 --sign-key ../root.key
      commit Stolen && branch && mkdir released/epoch-2
      """)
    let build =
      "cd a && pintle build policies --against released --keyset keysets --issued-at 2026-11-22 --drastic-change x"
    let built = try scene.run("\(build) -o released/epoch-2/2.json --sign-key ../stranger.key --sign-key ../carol.key")
    #expect(built.stderrText.contains("production serial 2"))
    let judged = try scene.run("cd a && commit 'Release 2' && gate")
    #expect(
      judged.stdoutText.contains("released/epoch-2/2.json: a release, production serial 2, signed by"),
      "\(judged.stdoutText)")
    try scene.run("cd a && mkdir ../site && pintle publish ../site released --keyset keysets")
    try scene.run("cd a && cmp ../site/production/manifest.json released/epoch-2/2.json")
    // The thief's next release, by the old keys, is nothing.
    try scene.run(
      """
      cd a && git switch -q -c thief main && pintle build policies -o released/4.json --against released/3.json \
        --keyset keysets/1.keyset.json --issued-at 2026-11-22 --sign-key ../alice.key --sign-key ../bob.key && commit x
      """)
    try scene.run("cd a && gate", ends: 6)
    // And releases of an epoch move into no other epoch's folder.
    try scene.run(
      "cd a && git switch -q -c moved main && mkdir released/epoch-2 && git mv released/3.json released/epoch-2 && commit x"
    )
    let moved = try scene.run("cd a && gate", ends: 6)
    #expect(moved.stdoutText.contains("released/epoch-2/3.json: its epoch is 1"), "\(moved.stdoutText)")
    try scene.run(
      "cd a && git switch -q -c right main && mkdir released/epoch-1 && git mv released/3.json released/epoch-1 && commit x && gate"
    )
  }

  @Test("each audience is judged by its own keyset and releases, in the folders of their names")
  func audiences() throws {
    try scene.run(
      """
      cd a && sed -i 's/audience: production/audiences: { production: {}, staging: { development: true } }/' policies/manifest.yaml
      mkdir keysets/production keysets/staging && git mv keysets/1.keyset.json keysets/production/ && rm released/1.json
      pintle keyset init -o keysets/staging/1.keyset.json --audience staging --root root=../root.key.pub --root-threshold 1 \
        --signer stranger=../stranger.key.pub --signer carol=../carol.key.pub --threshold 1 --issued-at 2026-11-21 \
        --expires 2027-11-21
      pintle sign keysets/staging/1.keyset.json --sign-key ../root.key
      pintle build policies -o released --serial 1 --issued-at 2026-11-21 --keyset keysets --sign-key ../alice.key \
        --sign-key ../bob.key --sign-key ../stranger.key
      commit Audiences && branch && sed -i 's/mode: report-only/mode: enforce/' policies/web.yaml && commit p
      pintle build policies -o new --unsigned --against released --keyset keysets --issued-at 2026-11-22
      """)
    let policy = try scene.run("cd a && gate")
    for text in ["audience production\n", "audience staging\n"] { #expect(policy.stdoutText.contains(text)) }
    // Drafts of both, each signed by the other's signers, and by its own.
    try scene.run(
      """
      cd a && for key in alice bob; do pintle sign new/production/2.json --keyset keysets --audience production \
        --against released --sign-key ../$key.key; done
      ! pintle sign new/staging/2.json --keyset keysets --audience staging --against released --sign-key ../alice.key
      cp new/production/2.json released/production && cp new/staging/2.json released/staging && mv new ..
      commit Releases
      """)
    let half = try scene.run("cd a && gate", ends: 2)
    #expect(
      half.stdoutText.contains("released/production/2.json: a release, production serial 2"), "\(half.stdoutText)")
    #expect(
      half.stdoutText.contains("released/staging/2.json: signers of keyset 1: 0 of 1 needed, 1 more of carol, stranger")
    )
    try scene.run(
      """
      cd a && git rm -q released/staging/2.json && pintle sign ../new/staging/2.json --keyset keysets --audience staging \
        --against released --sign-key ../stranger.key && cp ../new/staging/2.json released/staging && commit Staging && gate
      pintle verify released/staging/2.json --keyset keysets --audience staging --against released
      """)
    // A release in the folder of another audience, or of none.
    let moved = try scene.run("cd a && git mv released/staging/2.json released/2.json && commit x && gate", ends: 6)
    #expect(moved.stdoutText.contains("released/2.json: the others for 'staging' are in released/staging/"))
  }

  @Test("a new audience alone begins with --first-release, and the owners of its files sign its first release")
  func newAudienceAlone() throws {
    try scene.run(
      """
      cd a && branch && sed -i 's/audience: production/audiences: { production: {}, staging: { development: true } }/' \
        policies/manifest.yaml && mkdir keysets/staging released/staging
      pintle keyset init -o keysets/staging/1.keyset.json --audience staging --root root=../root.key.pub --root-threshold 1 \
        --signer alice=../alice.key.pub --signer carol=../carol.key.pub --threshold 1 --issued-at 2026-11-21 \
        --expires 2027-11-21 --sign-key ../root.key
      pintle build policies --audience staging -o released/staging/1.json --serial 1 --issued-at 2026-11-22 \
        --keyset keysets/staging --sign-key ../alice.key && commit Staging
      """)
    // The files of the audience that was alone move first.
    let early = try scene.run("cd a && gate --first-release", ends: 6).stdoutText
    #expect(early.contains("released/staging/1.json: the base's files are in released/ itself"), "\(early)")
    try scene.run(
      """
      cd a && main && mkdir released/production keysets/production && git mv released/1.json released/production/
      git mv keysets/1.keyset.json keysets/production/ && commit Folders && git switch -q other && git rebase -q main
      """)
    try scene.run("cd a && gate", ends: 6)
    let unowned = try scene.run("cd a && gate --first-release", ends: 2).stdoutText
    #expect(unowned.contains("MISSING: carol must sign released/staging/1.json"), "\(unowned)")
    #expect(!unowned.contains("no draft has"), "\(unowned)")
    try scene.run(
      """
      cd a && pintle sign released/staging/1.json --keyset keysets/staging --sign-key ../carol.key && commit Carol
      """)
    let begun = try scene.run("cd a && gate --first-release").stdoutText
    #expect(begun.contains("released/staging/1.json: a release, staging serial 1, signed by"), "\(begun)")
  }

  @Test("an audience is dropped with its owner's approval, and stops no other audience afterwards")
  func droppedAudience() throws {
    try scene.run(
      """
      cd a && two_audiences carol alice
      release() {
        pintle build policies --audience production --unsigned -o ../$1.json --against released/production \
          --keyset keysets/production --issued-at 2026-11-22
      }
      sign() {
        pintle sign ../$1.json --keyset keysets/production --against released/production --sign-key ../$2.key
        cp ../$1.json released/production && commit "Sign as $2"
      }
      declare -f release sign >>../functions
      branch drop && sed -i 's/, staging: { development: true }//' policies/manifest.yaml && git rm -q policies/staging.yaml
      commit Drop
      """)
    let dropped = try scene.run("cd a && gate", ends: 2).stdoutText
    for text in [
      "policies: the policy drops the audience 'staging': its clients keep serial 1, which expires 2026-12-21",
      "policies/staging.yaml: carol must sign (owner in the policy of main), and no draft has",
      "policies/payments.yaml: carol must sign (owner in the policy of main), and no draft has",
    ] { #expect(dropped.contains(text), "\(text)\n\(dropped)") }
    let comment = try scene.run("cd a && gate --format markdown", ends: 2).stdoutText
    #expect(comment.contains("drops the audience 'staging'"), "\(comment)")
    // A release of another audience has the digest of the policy, and its owners' signature.
    try scene.run("cd a && release 2 && sign 2 alice")
    #expect(
      try scene.run("cd a && gate", ends: 2).stdoutText.contains(
        "MISSING: carol must sign released/production/2.json (owner in the policy of main)"))
    let approved = try scene.run("cd a && git rm -q released/production/2.json && sign 2 carol && gate").stdoutText
    #expect(approved.contains("policies: the policy drops the audience 'staging'"), "\(approved)")
    // Nobody is asked again.
    try scene.run(
      """
      cd a && main && git merge -q drop && branch later && sed -i 's/mode: report-only/mode: enforce/' policies/web.yaml
      commit p && release 3 && sign 3 alice && gate
      """)
  }

  @Test("an audience whose owners a merge removed before is dropped with the approval of its last release's owners")
  func droppedAfterItsOwners() throws {
    try scene.run(
      """
      cd a && two_audiences alice carol "sed -i '/owners/d' policies/payments.yaml"
      sed -i '/owners/d' policies/staging.yaml && commit 'No owners' && branch drop
      sed -i 's/, staging: { development: true }//' policies/manifest.yaml && git rm -q policies/staging.yaml && commit Drop
      """)
    let dropped = try scene.run("cd a && gate", ends: 2).stdoutText
    #expect(dropped.contains("policies/staging.yaml: alice must sign (owner in the policy of serial 1)"), "\(dropped)")
    // Another audience's release isn't concerned.
    try scene.run(
      """
      cd a && branch other && sed -i 's/mode: report-only/mode: enforce/' policies/web.yaml && commit p
      pintle build policies --audience production -o released/production/2.json --against released/production \
        --keyset keysets/production --issued-at 2026-11-22 --sign-key ../carol.key && commit Release && gate
      """)
  }
}
