/// What commands print for each of several cases.
extension FactsTests {
  private static let release = "7a66cb8fe90176164b41dea8863bd8998d4c3869eafc6bd92241e6826e14ff97"
  private static let ci = "91569d4ec53027708c55a825b85ef30f023f65dd77e802f532cba103694728c6"
  private static let dora = "fed542c9430d4236bf6663ce1265cda8649bf2d6ba0113a0cf76f459e5b63878"
  private static let key = "--key signing/release.key.pub"
  private static let decide = "--manifest m.json \(key) --chain chain.pem --anchors policies/keys/example-root.pem"
  private static let deploy =
    "--manifest released \(key) --chain chain.pem --anchors policies/keys/example-root.pem"
  private static let build = "pintle build policies -o new.json --sign-key signing/release.key --format json"

  static let rows =
    made + verified + listed + published + adopted + [
      Row(
        "inspect", .released, "pintle show m.json \(key) --format json",
        [
          "format": "pintle-inspect", "state": "verified", "signedBy.0.keyID": release, "manifest.hosts": "4",
          "manifest.hosts.0.host": "api.example.com", "manifest.hosts.1.include-subdomains": "1",
          "manifest.key-sets.elsewhere.backup.0": "api-spare",
          "manifest.keys.leaked-2025.denied": "found in a public bucket",
          "manifest.keys.api-spare.position": nil, "manifest.keys.other-root.position": "root",
        ]),
      Row(
        "inspect-unverified", .released, "pintle show m.json --format json",
        ["state": "not-verified", "signedBy.0.keyID": release, "signedBy.0.name": nil]),
      Row(
        "inspect-trust", .keyset, "pintle show next.json --format json",
        [
          "state": "draft", "signedBy": "0", "manifest.hosts.0.host": "10.0.0.5", "manifest.hosts.0.port": "8443",
          "manifest.hosts.0.trust.system-anchors": "0", "manifest.hosts.0.trust.anchors": "1",
          "manifest.hosts.0.trust.minimum-tls": "1.3", "manifest.hosts.0.trust.server-name": "appliance.example.com",
          "manifest.certificates": "1", "manifest.serial": "2",
        ]),
      Row(
        "decide-allow", .released, "pintle decide api.example.com \(decide) --at 2026-11-22 --format json",
        [
          "format": "pintle-decide", "verdict": "allow", "step": "4", "keys.0.name": "example-root",
          "keys.0.certificate": "2", "entry.keySet": "public-web", "wanted": nil, "help": nil, "chain": "validated",
        ]),
      Row(
        "decide-block", .released, "pintle decide www.example.com \(decide) --at 2026-11-22 --format json", status: 4,
        [
          "verdict": "block", "step": "5", "wanted": "2", "wanted.0.name": "api-spare", "wanted.0.role": "backup",
          "wanted.0.position": nil, "wanted.1.position": "root", "failures": "0",
        ]),
      Row(
        "decide-untrusted", .released, "pintle decide api.example.com \(decide) --at 2027-04-02 --format json",
        status: 4,
        ["verdict": "block", "failures.0.code": "expired", "failures.0.certificate": "0", "chain": "served"]),
      Row(
        "decide-not-pinned", .released, "pintle decide example.net \(decide) --at 2026-11-22 --format json",
        ["verdict": "notPinned", "entry": nil, "events.0": "no-entry"]),
      Row(
        "deploy-accepted", .window, "pintle decide api.example.com \(deploy) --at 2026-11-22 --format json",
        [
          "format": "pintle-deploy", "verdict": "accepted", "releases": "2", "releases.0.accepts": "true",
          "lockouts": "0",
          "releases.0.inUseUntil": "2027-02-19T00:00:00Z", "releases.1.inUseUntil": nil, "expiries": "1",
          "expiries.0.onExpiry": "report-only", "help": nil, "window": "7776000", "clients.1": "java-17",
        ]),
      Row(
        "deploy-locks-out", .window,
        "pintle decide www.example.com \(deploy) --served chain.pem --at 2026-11-22 --format json", status: 4,
        [
          "verdict": "locks-out", "releases.0.accepts": "false", "lockouts": "1", "lockouts.0.because": "mismatch",
          "lockouts.0.client": nil, "lockouts.0.until": "2027-02-19T00:00:00Z", "servedLockouts": "1",
          "acceptedBecause": nil,
        ]),
      Row(
        "deploy-record", .window,
        "pintle decide www.example.com \(deploy) --at 2026-11-22 --accept-lockout 'it ended' --record r >o && cat r",
        [
          "format": "pintle-accepted-lockout", "acceptedBecause": "it ended", "lockouts": "1", "lockouts.0.serial": "1",
        ]),
      Row(
        "event-status", .event, "pintle event status --branch release-2 --at 2026-11-23 --format json", status: 2,
        [
          "format": "pintle-event-status", "state": "incomplete", "branch.name": "release-2", "missingCommits": "0",
          "drafts": "1", "drafts.0.serial": "2", "drafts.0.needed.0.threshold": "2", "drafts.0.needed.0.signed": "1",
          "drafts.0.needed.0.signed.0.name": "ci", "drafts.0.needed.0.open.1.name": "emil", "drafts.0.ignored": "1",
          "drafts.0.ignored.0.why": "earlier-draft", "drafts.0.ignored.0.name": "emil", "owned": "1",
          "owned.0.file": "policies/web.yaml", "owned.0.approvals.0.owners.0": "emil", "owned.0.approvals.0.by": "0",
          "strays.0.file": "event/old.txt", "mixedCommits": "3", "drafts.0.rejection": nil,
          "drafts.0.whyUnsafe": "its CA ends tomorrow",
        ]),
      Row(
        "why", .released,
        """
        pintle why www.example.com --manifest m.json \(key) --chain chain.pem \
          --anchors policies/keys/example-root.pem --at 2026-11-22 --format json
        """, status: 4,
        [
          "format": "pintle-why", "target": "www.example.com:443", "cause": "mismatch", "isBlocked": "true",
          "since": nil, "certificates": "2", "affected.0.serial": "1", "affected.0.decisions": nil,
        ]),
      Row(
        "why-rejected", .released,
        """
        echo '2026-11-22T03:00:00+0000 error pintle: code=refuses-recent-chain from=https://pins.example.com/m.json \
        reason=x [PinService] manifest rejected' | pintle why --log - --manifest m.json \(key) --at 2026-11-22 \
          --format json
        """, status: 0,
        [
          "cause": "rejected-update", "target": nil, "since": "2026-11-22T03:00:00Z", "isBlocked": "false",
          "runbook": "a-bad-manifest-is-out",
        ]),
      Row(
        "gate", .event, "pintle gate --base main --branch release-2 --at 2026-11-23 --format json", status: 2,
        [
          "format": "pintle-gate", "state": "incomplete", "branch.name": "release-2", "files.0.file": "event/2.json",
          "files.0.outcome": "unsigned", "files.1.outcome": "allowed", "files.1.help": nil, "audiences": "1",
          "mustSign": "3", "mustSign.0.name": "carol", "mustSign.0.role": "signer", "mustSign.0.of": "keyset 1",
          "mustSign.0.file": "event/2.json", "mustSign.0.needed": "1", "mustSign.2.name": "emil",
          "mustSign.2.role": "owner", "mustSign.2.of": "policies/web.yaml",
          "audiences.0.audience": nil, "audiences.0.verdict": "safe",
        ]),
      Row(
        "evidence-diff",
        "pintle evidence diff incidents/intermediate-replaced/evidence.json incidents/leaf-regenerated/evidence.json --format json",
        [
          "format": "pintle-evidence-diff", "unchanged": "0", "hosts": "3", "hosts.0.host": "api.example.com",
          "hosts.0.onlyIn": nil, "hosts.0.changes.0.kind": "leaf-key",
          "hosts.0.changes.0.addresses.0": "192.0.2.1:443", "hosts.0.changes.0.offers": "2",
          "hosts.0.changes.0.before.chain": "2", "hosts.0.changes.0.after.chain.0.subject": "CN=api.example.com",
          "hosts.1.onlyIn": "after", "hosts.2.onlyIn": "before",
        ]),
      Row(
        "pin",
        "cd policies/keys && pintle pin example-root.pem api-spare.csr api-public.pem --format json",
        [
          "format": "pintle-pin", "sources": "3", "sources.0.source": "example-root.pem",
          "sources.0.kind": "file", "sources.0.keys.0.name": "example-root-ca", "sources.0.keys.0.kind": "root",
          "sources.0.keys.0.position": "root", "sources.0.keys.0.expires": "2040-01-01T00:00:00Z",
          "sources.0.keys.0.pin": "sha256/h1SCHP/2K0A3e0UJxPin2TcL4riuHX+abA+V2u4M1d4=",
          "sources.1.keys.0.kind": "certificate-request", "sources.1.keys.0.expires": nil,
          "sources.2.keys.0.kind": "public-key", "sources.2.keys.0.subject": nil,
        ]),
      Row(
        "pin-same-names", "cat policies/keys/api.pem policies/keys/api.pem | pintle pin - --format json",
        [
          "sources.0.source": "-", "sources.0.keys.0.name": "api.example.com",
          "sources.0.keys.1.name": "api.example.com-2",
        ]
      ),
    ] + keys + authorities

  private static let authorities = [
    Row(
      "show-authorities", "pintle show authorities/ours.yaml --at 2026-11-25 --format json",
      [
        "format": "pintle-authorities-list", "reviewed": "2026-11-24T00:00:00Z", "authorities": "1",
        "authorities.0.names.0": "Our CA", "services.0.issuesFrom.0": "our-company",
      ]),
    Row(
      "authorities-show",
      "pintle authorities show our-company --authorities authorities/ours.yaml --at 2026-11-25 --format json",
      [
        "format": "pintle-authorities-show", "at": "2026-11-25T00:00:00Z", "service": nil,
        "authority.owner": "Our Company Ltd", "authority.issuersChange": "announced", "authority.keys": "2",
        "authority.keys.0.position": "root", "authority.keys.0.issuesUntil.date": "2027-01-01T00:00:00Z",
        "authority.keys.0.successors.0.key": "our-company/our-root-2",
        "authority.keys.0.stores.0.since.source.published": "2026-03-01T00:00:00Z",
        "authority.keys.1.signedBy.0.until.date": "2040-01-01T00:00:00Z", "authority.keys.1.issuesUntil": nil,
      ]),
    Row(
      "authorities-show-service",
      "pintle authorities show our-cdn --authorities authorities/ours.yaml --at 2026-11-25 --format json",
      ["authority": nil, "service.issuesFrom": "2", "service.source.url": "https://pki.example.com/handbook"]),
    Row(
      "authorities-list",
      // Without what the program knows, which changes.
      """
      pintle authorities list --authorities authorities/ours.yaml --at 2026-11-25 --format json | python3 -c '
      import json, sys
      known = json.load(sys.stdin)
      for field in ["authorities", "services"]:
          known[field] = [each for each in known[field] if each["name"].startswith("our-")]
      known["reviewed"] = known["reviewed"][:2] + "26-11-24T00:00:00Z"
      print(json.dumps(known, indent=2))'
      """,
      [
        "format": "pintle-authorities-list", "reviewed": "2026-11-24T00:00:00Z", "isOld": "false", "authorities": "1",
        "authorities.0.names.0": "Our CA", "authorities.0.keys": "2", "services.0.issuesFrom.0": "our-company",
      ]),
  ]

  private static let made = [
    Row(
      "build", "\(build) --serial 1 --issued-at 2026-11-21",
      [
        "format": "pintle-build", "file": "new.json", "isUnchanged": "false", "warnings": "0",
        "signedBy.0.keyID": release, "manifest.audience": "test", "manifest.serial": "1",
        "manifest.issued": "2026-11-21T00:00:00Z", "manifest.expires": "2026-12-21T00:00:00Z", "manifest.previous": nil,
        "manifest.entries": "4",
      ]),
    Row(
      "build-unchanged", .released, "\(build) --against m.json --at 2026-11-22",
      ["isUnchanged": "true", "manifest.serial": "1"]),
    Row(
      "builds",
      """
      sed -i 's/audience: test/audiences: { test: { refresh-after: 1h }, few: { slice-of: test, hosts: [www.example.com] } }/' \
      policies/manifest.yaml && pintle build policies -o made --sign-key signing/release.key --serial 1 \
      --issued-at 2026-11-21 --format json
      """,
      [
        "format": "pintle-builds", "manifests.0.file": "made/test/1.json", "manifests.1.file": "made/few/1.json",
        "manifests.1.manifest.audience": "few", "manifests.1.manifest.entries": "1",
        "manifests.0.signedBy.0.keyID": release,
      ]),
    Row(
      "build-draft",
      """
      pintle build policies -o d.json --unsigned --serial 3 --issued-at 2026-11-21 --drastic-change 'two shops' \
        --format json
      """,
      ["signedBy": "0", "manifest.drasticChange": "two shops", "manifest.serial": "3"]),
    Row(
      "sign-first", .released, "pintle sign draft.json --sign-key signing/second.key --at 2026-11-22 --format json",
      [
        "format": "pintle-sign", "file": "draft.json", "comparison.kind": "first", "manifest.hosts": "4",
        "changes": nil, "signatures.0.isNew": "true", "signatures.0.counts": nil, "threshold": nil,
      ]),
    Row(
      "sign-next", .keyset,
      """
      pintle sign next.json --sign-key people/dora.key --against m.json --keyset 1.keyset.json --at 2026-12-02 \
        -o s.json --format json
      """,
      [
        "file": "s.json", "comparison.kind": "release", "comparison.isNext": "true", "comparison.name": "serial 1",
        "changes.hosts": "2", "changes.hosts.0.host": "10.0.0.5", "changes.hosts.0.change": "added",
        "keys.removed.0.name": "leaked-2025", "keys.added.0.name": "lost-2025",
        "keys.added.0.denied": "found on a train", "signatures.0.keyID": dora, "signatures.0.name": "dora",
        "signatures.0.counts": "true", "threshold": "1", "missing.0.name": "ci", "manifest.hosts": "5",
      ]),
    Row(
      "sign-again", .keyset,
      """
      pintle sign m.json --sign-key people/ci.key --against m.json --key people/ci.pub --at 2026-12-02 \
        --format json
      """,
      [
        "comparison.kind": "again", "signatures.0.isNew": "false", "signatures.0.name": "people/ci.pub",
        "missing": "0", "changes": nil,
      ]),
    Row(
      "sign-alone", .keyset,
      "pintle sign next.json --sign-key people/frank.key --without-comparison --at 2026-12-02 --format json",
      ["comparison.kind": "none", "manifest.hosts": "5", "signatures": "1"]),
  ]

  private static let verified = [
    Row(
      "verify", .released, "pintle verify m.json \(key) --at 2026-11-22 --format json",
      [
        "format": "pintle-verify", "at": "2026-11-22T00:00:00Z", "file": "m.json", "verdict": "verified",
        "rejection": nil, "manifest.serial": "1", "signedBy.0.keyID": release, "signedBy.0.name": nil, "keyset": nil,
      ]),
    Row(
      "verify-keyset", .keyset,
      "pintle verify m.json --keyset 1.keyset.json --at 2026-11-22 --format json",
      [
        "keyset.version": "1", "keyset.expires": "2027-11-21T00:00:00Z", "signedBy.0.name": "ci",
        "signedBy.0.keyID": ci,
      ]),
    Row(
      "verify-draft", .released, "pintle verify draft.json --source policies --at 2026-11-22 --format json",
      ["verdict": "draft", "signedBy": "0", "sources": "policies"]),
    Row(
      "verify-stranger", .released,
      "pintle verify m.json --key signing/second.key.pub --at 2026-11-22 --format json", status: 6,
      ["verdict": "rejected", "rejection.code": "too-few-signatures", "manifest": nil, "signedBy": "0"]),
    Row(
      "verify-changed", .released,
      "sed 's/\"serial\":1/\"serial\":2/' m.json >n.json; pintle verify n.json \(key) --at 2026-11-22 --format json",
      status: 6, ["verdict": "rejected", "rejection.code": "invalid-signature", "manifest": nil]),
    Row(
      "verify-audience", .released,
      "pintle verify m.json \(key) --audience production --at 2026-11-22 --format json", status: 6,
      [
        "rejection.code": "wrong-audience",
        "rejection.help": "Get the manifest for this environment, or correct --audience.",
      ]),
    Row(
      "verify-expired", .released, "pintle verify m.json \(key) --at 2027-11-22 --format json", status: 6,
      ["rejection.code": "expired", "manifest.expires": "2026-12-21T00:00:00Z", "signedBy.0.keyID": release]),
    Row(
      "verify-follows", .keyset,
      "pintle sign next.json --sign-key people/ci.key --against m.json --keyset 1.keyset.json --at 2026-12-01 "
        + "2>/dev/null; pintle verify next.json --keyset 1.keyset.json --against m.json --at 2026-12-01 "
        + "--format json", ["verdict": "verified", "follows": "1", "manifest.serial": "2"]),
    Row(
      "verify-other", .keyset,
      "pintle build policies -o other.json --sign-key people/ci.key --against m.json --keyset 1.keyset.json "
        + "--issued-at 2026-12-02 --at 2026-12-02 2>/dev/null; "
        + "pintle sign next.json --sign-key people/ci.key --against m.json --keyset 1.keyset.json --at 2026-12-02 2>/dev/null; "
        + "pintle verify next.json --keyset 1.keyset.json --against other.json --at 2026-12-02 --format json",
      status: 3,
      ["verdict": "rejected", "rejection.code": "not-a-successor", "follows": nil, "manifest.serial": "2"]),
    Row(
      "verify-early", .released, "pintle verify m.json \(key) --at 2026-11-20 --format json", status: 6,
      ["rejection.code": "issued-later", "manifest.issued": "2026-11-21T00:00:00Z"]),
    Row(
      "verify-expired-keyset", .keyset,
      "pintle verify m.json --keyset 1.keyset.json --at 2028-01-01 --format json", status: 6,
      ["rejection.code": "keyset-expired", "keyset.expires": "2027-11-21T00:00:00Z"]),
    Row(
      "verify-sources", .keyset,
      "pintle verify m.json --keyset 1.keyset.json --source policies --at 2026-11-22 --format json", status: 6,
      ["rejection.code": "other-sources", "sources": nil, "manifest.serial": "1"]),
    Row(
      "verify-unsigned", .released, "pintle verify draft.json \(key) --at 2026-11-22 --format json", status: 6,
      ["rejection.code": "malformed-file"]),
    Row(
      "verify-other-file", .keyset, "pintle verify 1.keyset.json --key people/alice.pub --format json --at 2026-11-22",
      status: 6, ["verdict": "rejected", "file": "1.keyset.json"]),
  ]

  private static let listed = [
    Row(
      "history", .history, "pintle history released --keyset keysets --sources policies --format json",
      [
        "format": "pintle-history", "audiences": "1", "audiences.0.audience": "test", "audiences.0.releases": "2",
        "audiences.0.releases.0.verdict": "first", "audiences.0.releases.0.reason": nil,
        "audiences.0.releases.0.changes": nil, "audiences.0.releases.0.signedBy.0.name": "ci",
        "audiences.0.releases.1.manifest.serial": "2", "audiences.0.releases.1.signedBy": "2",
        "audiences.0.releases.1.verdict": "unsafe", "audiences.0.releases.1.changes.hosts.0.change": "changed",
        "audiences.0.releases.1.problems": "0", "rejected": "0",
      ]),
    Row(
      "history-problems", .history,
      "sed -i s/test/tesT/ released/1.json; pintle history released --keyset keysets --format json", status: 6,
      [
        "audiences.0.releases": "1", "audiences.0.releases.0.manifest.serial": "2",
        "audiences.0.releases.0.problems.0.code": "release-out-of-order",
        "audiences.0.releases.0.verdict": "not-checked",
        "rejected": "1", "rejected.0.file": "released/1.json", "rejected.0.rejection.code": "invalid-signature",
      ]),
    Row(
      "policy", "pintle policy policies --format json",
      [
        "format": "pintle-policy", "audiences": "1", "audiences.0.audience": "test",
        "audiences.0.manifest.places.refresh-after": "policies/manifest.yaml:4:18",
      ]),
  ]

  private static let adopted = [
    Row(
      "adoption",
      """
      cd rotation; mkdir released; build="pintle build policies --sign-key ../signing/release.key"
      $build -o released/1.json --serial 1 --issued-at 2026-06-01 2>/dev/null
      $build -o released/2.json --against released/1.json --issued-at 2026-08-20 2>/dev/null
      pintle simulate --shares --adoption adoption.json --against released --key ../signing/release.key.pub \\
        --at 2026-11-21 --format json
      """,
      [
        "format": "pintle-adoption-summary", "audiences": "2", "audiences.0.audience": "test",
        "audiences.0.senders": "3000", "audiences.0.serials.1.trend": "falling", "audiences.0.window": "7776000",
        "audiences.0.delays.0.half.days": "22", "audiences.0.delays.0.all.isReached": "false",
        "audiences.1.audience": "staging", "audiences.1.window": nil, "audiences.1.delays": "0",
      ])
  ]

  private static let publish = "mkdir site; pintle publish site m.json --keyset 1.keyset.json --format json"
  /// The keyset comes first, and one of its signatures differs each time.
  private static let anySignature =
    "sed '0,/\"bytes\"/s/\"bytes\": [0-9]*/\"bytes\": 1089/; 0,/sha256/s/sha256:[0-9a-f]*/"
    + "sha256:\(String(repeating: "0", count: 64))/'"

  private static let published = [
    Row(
      "publish", .keyset, "\(publish) --at 2026-11-22 | \(anySignature)",
      [
        "format": "pintle-publish", "target": "site", "isDryRun": "false", "verdict": "published", "files": "3",
        "files.0.path": "test/keysets/1.keyset.json", "files.0.kind": "keyset", "files.0.version": "1",
        "files.1.path": "test/1.json", "files.1.serial": "1", "files.1.action": "create", "files.2.kind": "pointer",
        "rejection": nil,
      ]),
    Row(
      "publish-dry-run", .keyset,
      """
      mkdir site; pintle publish site --keyset 1.keyset.json --at 2026-11-22 >/dev/null 2>&1
      pintle publish site m.json --keyset 1.keyset.json --dry-run --at 2026-11-22 --format json | \(anySignature)
      """,
      ["isDryRun": "true", "verdict": "planned", "files.0.action": "keep", "files.1.action": "create"]),
    Row(
      "publish-expired", .keyset, "\(publish) --at 2027-11-22", status: 6,
      ["verdict": "rejected", "rejection.code": "keyset-expired", "files": "0"]),
    Row(
      "publish-conflict", .keyset,
      """
      mkdir -p site/test; pintle build policies -o other.json --sign-key people/dora.key --serial 1 \
        --issued-at 2026-11-22 2>/dev/null
      cp other.json site/test/1.json; pintle publish site m.json --keyset 1.keyset.json --at 2026-11-22 --format json
      """, status: 3, ["verdict": "rejected", "rejection.code": "conflicting-serial"]),
  ]

  /// A new key has another id each time.
  private static let anyID = #"sed 's/"keyID": "[0-9a-f]\{64\}"/"keyID": "\#(String(repeating: "0", count: 64))"/'"#

  private static let keys = [
    Row(
      "keys-new", "pintle key a.key --algorithm ecdsa-p256 --format json | \(anyID)",
      [
        "format": "pintle-keys-new", "algorithm": "ecdsa-p256", "privateKey": "a.key", "publicKey": "a.key.pub",
        "isEncrypted": "false",
      ]),
    Row(
      "keys-show", "pintle show people/bob.pub people/ci.key --format json",
      [
        "format": "pintle-keys-show", "keys": "2", "keys.0.algorithm": "ecdsa-p256", "keys.0.file": "people/bob.pub",
        "keys.1.keyID": ci, "keys.1.readFrom": "people/ci.key",
      ]),
    Row(
      "keys-show-encrypted",
      """
      printf 'a passphrase\\na passphrase\\n' >pass
      pintle key e.key --encrypt --passphrase-fd 3 3<pass >/dev/null 2>&1
      pintle show e.key --format json | \(anyID)
      """,
      ["keys.0.file": "e.key", "keys.0.readFrom": "e.key.pub"]),
    Row(
      "keys-rotate", .keyset,
      """
      pintle keyset next 1.keyset.json --rotate ci=ci-2=people/ci-2.pub -o 2.keyset.json --expires same \
        --issued-at 2026-12-01 --at 2026-12-01 --format json
      """,
      [
        "format": "pintle-keyset-draft", "file": "2.keyset.json", "before.version": "1", "before.signers.keys.0": "ci",
        "keyset.version": "2", "keyset.signers.keys.0": "ci-2", "signatures": "0", "isComplete": "false",
        "thresholds": "2", "thresholds.0.open": "2",
      ]),
    Row(
      "keys-revoke", .keyset,
      """
      pintle keyset next 1.keyset.json --revoke ci -o 2.keyset.json --expires same \
        --issued-at 2026-12-01 --at 2026-12-01 \
        --sign-key people/alice.key --sign-key people/bob.key --format json
      """,
      [
        "keyset.signers.keys": "1", "signatures": "2", "signatures.0.name": "alice", "signatures.0.isValid": "true",
        "signatures.0.rootOf": "2", "isComplete": "true",
      ]),
    Row(
      "keyset-init",
      """
      pintle keyset init -o 1.keyset.json --audience test --root a=people/alice.pub --root-threshold 1 \
        --signer b=people/bob.pub --threshold 1 --issued-at 2026-11-21 --expires 2027-11-21 --format json
      """,
      ["format": "pintle-keyset-draft", "before": nil, "keyset.version": "1", "thresholds.0.open.0": "a"]),
    Row(
      "keyset-sign", .keyset,
      "pintle sign 1.keyset.json --sign-key people/alice.key --at 2026-11-22 --format json",
      ["file": "1.keyset.json", "thresholds.0.signed": "2", "isComplete": "true"]),
    Row(
      "keyset-verify", .keyset, "pintle verify 1.keyset.json --audience test --at 2026-11-22 --format json",
      [
        "format": "pintle-keyset-verify", "verdict": "verified", "newest.version": "1", "newest.audience": "test",
        "versions.0.file": "1.keyset.json", "versions.0.signedBy.1": "bob", "rejection": nil,
      ]),
    Row(
      "keyset-verify-expired", .keyset, "pintle verify 1.keyset.json --at 2028-01-01 --format json", status: 6,
      ["verdict": "rejected", "rejection.code": "keyset-expired", "newest.expires": "2027-11-21T00:00:00Z"]),
    Row(
      "keyset-verify-audience", .keyset,
      "pintle verify 1.keyset.json --audience production --at 2026-11-22 --format json", status: 6,
      ["verdict": "rejected", "rejection.code": "wrong-audience", "newest": nil, "versions": "0"]),
    Row(
      "keyset-show", .keyset, "pintle show 1.keyset.json --format json",
      [
        "format": "pintle-keyset-show", "keyset.audience": "test", "keyset.roots.threshold": "2",
        "keyset.keys.2.name": "ci", "keyset.keys.2.keyID": ci, "signatures.0.rootOf": "1", "isComplete": "true",
      ]),
  ]
}
