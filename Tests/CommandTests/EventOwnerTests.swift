import TestSupport
import Testing

/// Which changes need an owner's signature.
@Suite("Owners of policy files")
struct EventOwnerTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// What is done in the branch.
    var change: String
    /// What the status says of the owners; nil where nobody is asked.
    var says: [String]?

    init(_ description: String, _ change: String, _ says: String...) {
      (testDescription, self.change, self.says) = (description, change, says)
    }

    init(nobody description: String, _ change: String) {
      (testDescription, self.change, says) = (description, change, nil)
    }
  }

  /// Sets a field of the manifest, in a file without owners.
  private static func setting(_ field: String) -> String {
    "sed -i 's/audience: production/&, \(field)/' policies/manifest.yaml"
  }

  /// Changes on the branch `release-2`, on which serial 1 is the last release.
  static let rows = [
    Row(nobody: "an entry of another file", "sed -i 's/report-only$/enforce/' policies/web.yaml"),
    Row(
      nobody: "a comment of it",
      "echo '# nothing' >>policies/payments.yaml; sed -i 's/report-only$/enforce/' policies/web.yaml"),
    Row("an entry of it", "sed -i 's/mode: enforce/mode: report-only/' policies/payments.yaml", "'pay.example.com'"),
    Row(
      "the owners are removed", "sed -i '/owners/d' policies/payments.yaml", "its text", "carol must sign",
      "(owner in the policy of main)"),
    Row(
      "the owners are others", "sed -i 's/carol/bob/' policies/payments.yaml", "MISSING: carol must sign",
      "bob has signed"),
    Row(
      "the file is removed", "git rm -q policies/payments.yaml", "the file is removed", "MISSING: carol must sign"),
    Row(
      "the file is renamed", "git mv policies/payments.yaml policies/pay.yaml", "policies/pay.yaml: the file is new",
      "policies/payments.yaml: the file is removed"),
    Row(
      "its entry is moved to a file of nobody",
      "sed -n '/- host/,$p' policies/payments.yaml >>policies/web.yaml; git rm -q policies/payments.yaml",
      "the file is removed", "MISSING: carol must sign"),
    Row(
      "a key set of another file that it uses",
      "sed -i 's/active: .*/active: [two], backup: [one] }/' policies/web.yaml",
      "'pay.example.com'", "MISSING: carol must sign"),
    Row(
      "a name of its entry gets an entry elsewhere",
      "printf '  - { host: x.pay.example.com, mode: off, reason: a test }\\n' >>policies/web.yaml",
      "'x.pay.example.com'",
      "MISSING: carol must sign"),
    Row(
      "an entry elsewhere takes a port of its names",
      "printf '  - { host: x.pay.example.com, port: 8443, mode: off, reason: a test }\\n' >>policies/web.yaml",
      "'x.pay.example.com:8443'", "MISSING: carol must sign"),
    // owners-settings
    Row(
      "'on-stale' of the manifest", setting("on-stale: unpinned"), "'on-stale'", "MISSING: carol must sign"),
    Row("'expires-after'", setting("expires-after: 2d"), "'expires-after'", "MISSING: carol must sign"),
    Row("'refresh-after'", setting("refresh-after: 1h"), "'refresh-after'", "MISSING: carol must sign"),
    Row(
      "'client-max-age', by which older releases aren't judged", setting("client-max-age: 2d"), "'client-max-age'",
      "MISSING: carol must sign"),
    Row(
      nobody: "'unpinned-hosts', which her hosts are not", setting("unpinned-hosts: deny")),
    Row(
      "a denial in another file",
      "sed -i 's|^keys:|&\\n  three: { pin: sha256/KwccWaCgrnaw6tsrrSO61FgLacNgG2MMLq8GE6+oP5I=, denied: lost }|' policies/web.yaml",
      "key 'three'", "MISSING: carol must sign"),
    Row(
      "its owners were removed on the base before, without a release",
      """
      git switch -q main && sed -i '/owners/d' policies/payments.yaml && commit 'No owners' && git switch -q release-2
      git rebase -q main && sed -i 's/mode: enforce/mode: report-only/' policies/payments.yaml
      """, "(owner in the policy of serial 1)", "MISSING: carol must sign"),
    Row(
      "a new file has owners", "sed 's/carol/carol, bob/; s/pay/new/' policies/payments.yaml >policies/new.yaml",
      "policies/new.yaml: the file is new", "bob has signed event/2.json (owners in the policy of"),
    Row(
      "an owner isn't a signer",
      "sed -i 's/carol]/dave] # pintle:allow P219 until 2027-01-01: a test/' policies/payments.yaml",
      "MISSING: dave must sign",
      "none is a signer of the keyset", "MISSING: carol must sign"),
    Row(
      "only an old commit of the base has the sources of the last release, and names owners",
      """
      git switch -q main && pintle sign released/1.json --keyset keysets --against released --sign-key ../carol.key
      sed -i '/owners/d' policies/payments.yaml && commit Squashed && git switch -q -C release-2
      sed -i 's/mode: enforce/mode: report-only/' policies/payments.yaml
      """, "(owner in the policy of serial 1)", "MISSING: carol must sign"),
  ]

  @Test("of what a release changes, and of nothing else", arguments: rows)
  func needed(row: Row) throws {
    let scene = try EventScene()
    try scene.run(
      "cd a && git switch -q -c release-2 && \(row.change)\nmkdir -p event && commit Policy; draft && commit Draft")
    try scene.run("cd a && signed alice && signed bob")
    let waits = row.says?.contains { $0.contains("has signed event") } != true
    let status = try scene.status(ends: row.says != nil && waits ? 2 : 0)
    for text in row.says ?? [] { #expect(status.contains(text), "\(status)") }
    #expect(status.contains("\nowners\n") == (row.says != nil), "\(status)")
    guard row.says != nil, !row.change.contains("dave") else { return }
    try scene.run("cd a && signed carol")
    _ = try scene.status(ends: 0)
  }

  @Test("where the sources of the last release aren't in git, a draft is rejected until a commit restores them")
  func lostSources() throws {
    let scene = try EventScene()
    try scene.run(
      """
      cd a && cp -r policies .. && git checkout -q --orphan fresh && sed -i '/owners/d' policies/payments.yaml && commit All
      git branch -q -f main && git switch -q -C release-2
      sed -i 's/mode: enforce/mode: report-only/' policies/payments.yaml && mkdir event && commit Policy
      draft && commit Draft && signed alice && signed bob
      """)
    let lost = try scene.status(ends: 6)
    #expect(lost.contains("the policy that serial 1 was compiled from isn't in the history of 'main'"), "\(lost)")
    #expect(lost.contains("Restore 'policies' as they were then in one commit"), "\(lost)")
    // The same contents under other names have the same digest, and name no owners.
    try scene.run(
      """
      cd a && cp -r policies ../new && rm -r policies && cp -r ../policies . && mv policies/payments.yaml policies/x.pem
      commit Hidden && rm -r policies && cp -r ../new policies && commit Back
      """)
    _ = try scene.status(ends: 6)
    try scene.run(
      """
      cd a && rm -r policies && cp -r ../policies . && commit Old && rm -r policies && cp -r ../new policies && commit New
      """)
    let found = try scene.status(ends: 2)
    #expect(found.contains("MISSING: carol must sign event/2.json (owner in the policy of serial 1)"), "\(found)")
    try scene.run("cd a && signed carol")
    _ = try scene.status(ends: 0)
  }

  /// Two audiences; `staging.yaml` is for one of them, and belongs to who signs for it besides alice.
  private static func audiences(
    production: (name: String, key: String) = ("carol", "carol"), staging: (name: String, key: String)
  ) throws -> EventScene {
    let scene = try EventScene()
    try scene.run(
      """
      pintle key dora.key
      cd a && git rm -q -r released keysets
      sed -i 's/audience: production/audiences: { production: { refresh-after: 1d }, staging: { refresh-after: 1h } }/' \
        policies/manifest.yaml
      sed 's/carol/\(staging.name)/; s/pay/pay-staging/' policies/payments.yaml >policies/staging.yaml
      sed -i '1a audiences: [staging]' policies/staging.yaml
      keyset() {
        mkdir -p keysets/$1
        pintle keyset init -o keysets/$1/1.keyset.json --audience $1 --root root=../root.key.pub --root-threshold 1 \
          --signer alice=../alice.key.pub --signer $2=../$3.key.pub --threshold 1 --issued-at 2026-11-21 --expires 2027-11-21
        pintle sign keysets/$1/1.keyset.json --sign-key ../root.key
      }
      keyset production \(production.name) \(production.key) && keyset staging \(staging.name) \(staging.key)
      pintle build policies -o released --sign-key ../alice.key --serial 1 --issued-at 2026-11-21 && commit Audiences
      git switch -q -c release-2
      """)
    return scene
  }

  /// Builds drafts and signs them.
  private static func drafted(_ change: String, _ drafts: String..., signedBy keys: [String]) -> String {
    var script = "cd a && \(change) && commit Policy\n"
    for audience in drafts {
      script += """
        mkdir -p event/\(audience) && pintle build policies --audience \(audience) --unsigned \
          -o event/\(audience)/2.json --against released/\(audience) --keyset keysets/\(audience) \
          --issued-at 2026-11-22 && commit 'Draft for \(audience)'

        """
      for key in keys {
        script += """
          pintle sign event/\(audience)/2.json --detached --keyset keysets/\(audience) --against released/\(audience) \
            --sign-key ../\(key).key && commit 'Sign as \(key)'

          """
      }
    }
    return script
  }

  private static let removal =
    "sed -i 's/, staging: { refresh-after: 1h }//' policies/manifest.yaml && git rm -q policies/staging.yaml"

  @Test("a file that goes with its audience is approved by its owner's key on another audience's draft")
  func goneWithItsAudience() throws {
    let scene = try Self.audiences(staging: ("carol", "carol"))
    try scene.run(Self.drafted(Self.removal, "production", signedBy: ["alice"]))
    let missing = try scene.status(ends: 2)
    for path in ["policies/staging.yaml", "policies/payments.yaml"] {
      #expect(missing.contains("\(path): the audience 'staging' is dropped"), "\(missing)")
    }
    #expect(
      missing.contains("MISSING: carol must sign event/production/2.json (owner in the policy of main)"), "\(missing)")
    try scene.run(
      """
      cd a && pintle sign event/production/2.json --detached --keyset keysets/production --against released/production \
        --sign-key ../carol.key && commit 'Sign as carol'
      """)
    #expect(
      try scene.status(ends: 0).contains("carol has signed event/production/2.json (owner in the policy of main)"))
  }

  @Test("but not by another person's key that has her name there, nor can anybody who doesn't sign there")
  func goneFromItsOwner() throws {
    var scene = try Self.audiences(production: ("carol", "stranger"), staging: ("carol", "carol"))
    try scene.run(Self.drafted(Self.removal, "production", signedBy: ["alice", "stranger"]))
    #expect(try scene.status(ends: 2).contains("MISSING: carol must sign"))
    scene = try Self.audiences(staging: ("dora", "dora"))
    try scene.run(Self.drafted(Self.removal, "production", signedBy: ["alice", "carol"]))
    let status = try scene.status(ends: 2)
    #expect(status.contains("no owner's key there signs for an audience that stays: name another owner first"))
    // No signature can help.
    #expect(!status.contains("--detached"), "\(status)")
  }

  @Test("the first release of an audience asks no owners of files that are for others")
  func firstOfItsAudience() throws {
    let scene = try Self.audiences(staging: ("dora", "dora"))
    try scene.run(
      """
      cd a && git switch -q main && cp -r released/production .. && git rm -q -r released/production
      git commit -q --amend -m Audiences && git switch -q -C release-2 main && cp -r ../production released
      commit First
      """)
    let owned = try scene.run("cd a && pintle gate --base main --first-release", ends: 2).stdoutText
    #expect(owned.contains("MISSING: carol must sign released/production/1.json"), "\(owned)")
    #expect(!owned.contains("dora"), "\(owned)")
    try scene.run(
      """
      cd a && pintle sign released/production/1.json --keyset keysets/production --without-comparison \
        --sign-key ../carol.key && commit Carol && pintle gate --base main --first-release
      """)
  }

  @Test("a file that moves to another audience still needs its old owner")
  func movedToAnotherAudience() throws {
    let scene = try Self.audiences(staging: ("dora", "dora"))
    let move =
      "sed -i 's/audiences: .staging./audiences: [production]/; s/owners: .dora./owners: [alice]/' policies/staging.yaml"
    try scene.run(Self.drafted(move, "production", signedBy: ["alice"]))
    let status = try scene.status(ends: 2)
    #expect(
      status.contains("dora must sign (owner in the policy of main), and no draft has the change: build one"),
      "\(status)")
    #expect(status.contains("--issued-at 2026-11-22 -o event --at 2026-11-22\n"), "\(status)")
  }
}
