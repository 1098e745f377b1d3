import Diagnostics
import Foundation
import PinFormat
import PinPolicy
import PinRelease
import PinRules
import PinStudies
import PinValidator
import PolicySupport
import ReleaseSupport
import TestSupport
import Testing

/// `pintle test`: what tests ask, and their results.
@Suite("Tests of a policy") struct TestRunTests {
  static let policy = """
    version: 1
    owner: web@example.com
    manifest: { audience: test, expires-after: 30d, on-stale: block }
    keys:
      root: { file: keys/example-root.pem, position: root }
      intermediate: { file: keys/example-intermediate.pem, position: intermediate }
      other: { file: keys/other-root.pem, position: root }
      api: { file: keys/api.pem, position: leaf }
      spare: { file: keys/api-spare.csr, custody: HSM A, created: 2026-09-01, position: leaf }
      leaked: { file: keys/appliance-next.csr, denied: found in a bucket }
    key-sets:
      web: { active: [root], backup: [spare, other] }
      strict: { active: [api, root], backup: [spare, other] }
    defaults: { expires: 2027-03-01, on-expiry: report-only, report-uris: [https://r.example.org] }
    hosts:
      - { host: api.example.com, keys: web }
      - { host: www.example.com, keys: strict, require: leaf-and-ca }
      - { host: trial.example.com, keys: web, mode: report-only }
      - { host: old.example.com, mode: off, reason: replaced in spring }

    """

  static let rows: [(name: String, host: String, test: String, outcome: String)] = [
    (
      "a chain of a file", "api.example.com",
      "chain: chains/api.pem, expect: allow, because: matched, step: 4, key: root, events: []",
      "passed"
    ),
    (
      "another answer", "api.example.com",
      "chain: chains/api.pem, expect: block",
      "P918 expected 'block', but clients answer 'allow': "
    ),
    (
      "another reason", "api.example.com",
      "chain: chains/api.pem, expect: allow, because: mismatch-reported",
      "P918 expected the reason 'mismatch-reported', not 'matched': "
    ),
    (
      "another step", "api.example.com",
      "chain: chains/api.pem, expect: allow, step: 5",
      "P918 expected the step '5', not '4': "
    ),
    (
      "another key", "api.example.com",
      "chain: chains/api.pem, expect: allow, key: other",
      "P918 expected the key 'other', not 'root': "
    ),
    (
      "other events", "api.example.com",
      "chain: chains/api.pem, expect: allow, events: [report-only]",
      "P918 expected the events 'report-only', not 'none': "
    ),
    (
      "several at once", "api.example.com",
      "chain: chains/api.pem, expect: block, step: 5",
      "P918 expected 'block', but clients answer 'allow', and expected the step '5', not '4': "
    ),
    (
      "a name that the certificate doesn't have", "trial.example.com",
      "chain: chains/api.pem, expect: block, because: name-mismatch",
      "passed"
    ),
    (
      "any failure of trust", "trial.example.com",
      "chain: chains/api.pem, expect: block, because: untrusted",
      "passed"
    ),
    (
      "expired", "api.example.com",
      "chain: chains/api.pem, at: [2027-04-01], expect: block, because: certificate-expired",
      "passed"
    ),
    (
      "the entry's end isn't a certificate's", "api.example.com",
      "chain: chains/api.pem, at: [2027-04-01], expect: block, because: expired",
      "P918 expected the reason 'expired', not 'certificate-expired'"
    ),
    (
      "later, with a manifest of that day", "api.example.com",
      "keys: [root], at: [2026-12-01, 2027-02-28], expect: allow, events: []",
      "passed"
    ),
    (
      "the last day and one more", "api.example.com",
      "keys: [root], at: [2027-02-28, 2027-03-01], expect: allow, events: []",
      "P918 expected the events 'none', not 'entry-expired and report-only': "
    ),
    (
      "a stale manifest", "api.example.com",
      "keys: [root], at: [2027-02-01], release: { issued: 2026-12-01 }, expect: block, because: "
        + "expired, step: 1",
      "passed"
    ),
    (
      "a backup", "api.example.com",
      "keys: [spare], expect: allow, key: spare, events: [backup-key-matched]",
      "passed"
    ),
    (
      "a root below a leaf", "api.example.com",
      "keys: [root, spare], expect: allow",
      "P919 the key 'root' can only be last: a root"
    ),
    (
      "a leaf above another key", "api.example.com",
      "keys: [intermediate, spare], expect: allow",
      "P919 the key 'spare' can only be first: a leaf"
    ),
    (
      "leaf and authority", "www.example.com",
      "keys: [api, intermediate, root], expect: allow, because: matched-both",
      "passed"
    ),
    (
      "the leaf alone, below anybody", "www.example.com",
      "keys: [api], expect: block, because: mismatch, key: api",
      "passed"
    ),
    (
      "a key that only another set has", "api.example.com",
      "keys: [api], expect: block, because: mismatch",
      "passed"
    ),
    (
      "a denied key", "api.example.com",
      "keys: [leaked], expect: block, because: denied-key, key: leaked, step: 3",
      "passed"
    ),
    (
      "a CA", "api.example.com",
      "authority: lets-encrypt, expect: block, because: mismatch",
      "passed"
    ),
    (
      "any CA, where it is only reported", "trial.example.com",
      "authority: any-other, expect: allow, because: mismatch-reported",
      "passed"
    ),
    (
      "all hosts", "*",
      "authority: any-other, expect: block",
      "P918 expected 'block', but clients answer 'not-pinned'"
    ),
    (
      "hosts below a name", "*.example.com",
      "keys: [leaked], expect: block",
      "P918 expected 'block', but clients answer 'not-pinned'"
    ),
    (
      "no such host", "elsewhere.example.net",
      "keys: [root], expect: not-pinned, because: no-entry",
      "passed"
    ),
    (
      "excluded", "old.example.com",
      "keys: [root], expect: not-pinned, because: \"off\"",
      "passed"
    ),
    (
      "a pattern of no host", "*.example.net",
      "keys: [root], expect: allow",
      "P919 no host of the policy is named by '*.example.net'"
    ),
    (
      "not a host", "https://api.example.com",
      "keys: [root], expect: allow",
      "P919 'https://api.example.com' is a URL"
    ),
    (
      "no such key is expected", "api.example.com",
      "keys: [root], expect: allow, key: rooot",
      "P919 the policy has no key 'rooot'"
    ),
    (
      "no such key", "api.example.com",
      "keys: [rot], expect: allow",
      "P919 the policy has no key 'rot'"
    ),
    (
      "no such file", "api.example.com",
      "chain: chains/none.pem, expect: allow",
      "P919 can't read 'chains/none.pem'"
    ),
    (
      "a file outside", "api.example.com",
      "chain: ../x.pem, expect: allow",
      "P919 can't read '../x.pem': it lies outside"
    ),
    (
      "a file of another kind", "api.example.com",
      "chain: policy.yaml, expect: allow",
      "P919 'policy.yaml' is a policy file"
    ),
    (
      "no such CA", "api.example.com",
      "authority: lets-encript, expect: block",
      "P919 no public CA 'lets-encript' is known"
    ),
    (
      "no such audience", "api.example.com",
      "keys: [root], audiences: [prod], expect: allow",
      "P919 the policy has no audience 'prod'"
    ),
    (
      "no releases", "api.example.com",
      "keys: [root], release: { serial: 7 }, expect: allow",
      "P919 no releases are known to ask about"
    ),
  ]

  @Test("Each kind of question, and each kind of expectation that fails")
  func kinds() throws {
    let bench = try TestBench()
    try bench.write(policy: Self.policy)
    try bench.write(
      Self.rows.map { "  - { name: \"\($0.name)\", host: \"\($0.host)\", \($0.test) }\n" }.joined())
    let found = try bench.outcomes(try bench.run())
    for row in Self.rows {
      let outcome = try #require(found[row.name], "\(row.name)")
      #expect(outcome.hasPrefix(row.outcome), "\(row.name): \(outcome)")
    }
  }

  @Test("A file that can't be read hides no other, and fails the run")
  func badFile() throws {
    let bench = try TestBench()
    try bench.write(policy: Self.policy)
    try bench.write("  - { name: good, host: api.example.com, keys: [root], expect: allow }\n", to: "b.test.yaml")
    try bench.write("  - { name: bad, host: api.example.com, keys: [root], expects: allow }\n", to: "sub/a.test.yaml")
    try bench.directory.write("version: 1\ntests: [", to: "c.test.yml")
    let run = try bench.run()
    #expect(run.outcomes.map(\.test.name.value) == ["good"] && run.outcomes[0].hasPassed && !run.hasPassed)
    let report = try TestReport(run).report
    #expect(Set(report.diagnostics.map(\.code)) == ["P103", "P105"])
    #expect(report.outcome == "1 of 1 test passed (1 answer); 2 files not run")
    // By name, only that file is run.
    #expect(try bench.run(["b.test.yaml"]).hasPassed)
    #expect(try bench.run(["sub/a.test.yaml", "b.test.yaml"], only: "oo").unreadFiles.count == 1)
  }

  @Test("The policy has no test files in it")
  func noPolicy() throws {
    let bench = try TestBench()
    try bench.write(policy: Self.policy)
    try bench.write("  - { name: good, host: api.example.com, keys: [root], expect: allow }\n")
    let loaded = try PolicyDirectory.load([bench.directory.path])
    #expect(loaded.sources.files.map { $0.path.split(separator: "/").last } == ["policy.yaml"])
    #expect(try loaded.policy().problems.isEmpty && loaded.tests == ["a.test.yaml"])
    let file = try PolicyDirectory.load([bench.directory.path("a.test.yaml")])
    #expect(file.askedTests == ["a.test.yaml"] && file.asked == [])
    try bench.directory.write("version: 1", to: "b.TEST.YAML")
    #expect(try PolicyDirectory.load([bench.directory.path]).problems.map(\.kind) == [.misnamedFile])
  }

  @Test("Releases: by serial, by time, and each that clients may still run")
  func releases() throws {
    let bench = try TestBench()
    try bench.write(policy: Self.policy)
    let lasting = Self.policy.replacing("expires-after: 30d", with: "expires-after: 90d")
    let before = lasting.replacing(
      "active: [root], backup: [spare, other]", with: "active: [other], backup: [spare]")
    let old = try Self.release(3, of: before, on: "2026-10-01", bench)
    let new = try Self.release(4, of: lasting, on: "2026-11-20", bench)
    try bench.write(
      """
        - { name: old, host: api.example.com, keys: [root], at: [2026-10-02], release: { serial: 3 }, expect: block }
        - { name: then, host: api.example.com, keys: [root], at: [2026-10-02], release: { newest-at: 2026-10-01 }, expect: block }
        - { name: now, host: api.example.com, keys: [root], release: { newest-at: 2026-12-01 }, expect: allow }
        - { name: each, host: api.example.com, keys: [other], at: [2026-11-25], release: each in the window, expect: allow }
        - { name: each but one, host: api.example.com, keys: [root], at: [2026-11-25], release: each in the window, expect: allow }
        - { name: none, host: api.example.com, keys: [root], release: { serial: 5 }, expect: allow }
        - { name: later, host: api.example.com, keys: [root], at: [2026-11-19], release: { serial: 4 }, expect: allow }
        - { name: not yet, host: api.example.com, keys: [root], at: [2026-11-19], release: each in the window, expect: block }
        - { name: future, host: api.example.com, keys: [root], at: [2026-10-02], release: { newest-at: 2026-11-20 }, expect: block }
        - { name: future policy, host: api.example.com, keys: [root], release: { issued: 2026-12-02 }, expect: allow }
        - { name: too early, host: api.example.com, keys: [root], release: { newest-at: 2026-09-30 }, expect: allow }

      """)
    let run = try bench.run(released: [old, new])
    let found = try bench.outcomes(run)
    for name in ["old", "then", "now", "each"] { #expect(found[name] == "passed", "\(name): \(found[name] ?? "")") }
    #expect(found["each but one"]?.contains("with serial 3") == true)
    #expect(found["none"] == "P919 no release has the serial 5")
    #expect(found["later"] == "P919 serial 4 is issued at 2026-11-20T00:00:00Z, after 2026-11-19T00:00:00Z")
    #expect(found["future"] == "P919 the release is asked for as of 2026-11-20T00:00:00Z, after 2026-10-02T00:00:00Z")
    #expect(found["future policy"]?.hasPrefix("P919 the policy is issued as of 2026-12-02") == true)
    #expect(found["not yet"] == "passed", "serial 4 isn't asked before it is there")
    #expect(found["too early"] == "P919 no release was issued by 2026-09-30T00:00:00Z")
    #expect(run.outcomes.first { $0.test.name.value == "each" }?.answers.map(\.release) == ["serial 3", "serial 4"])
  }

  private static func release(_ serial: Int64, of text: String, on day: String, _ bench: TestBench) throws
    -> ReleasedManifest
  {
    let other = try TestBench()
    try other.write(policy: text)
    let policy = try PolicyDirectory.load([other.directory.path]).policy()
    let issued = try #require(Instant(written: day))
    let checked = try #require(CheckedPolicy.check(CheckInput(policy: policy, at: issued)).checked)
    let manifest = try checked.lowered(
      as: Release(serial: serial, issued: issued, previous: nil, commit: nil, compiler: "pintle test"))
    return ReleasedManifest(
      name: "serial \(serial)", serial: serial, issued: issued, digest: nil, loaded: try Rehearsal().load(manifest))
  }

  @Test("The tests of the sample policy pass")
  func sample() throws {
    let folder = ExampleFiles.directory.appending(path: "../../../policies").standardized.path
    let loaded = try PolicyDirectory.load([folder])
    let run = try TestRun(loaded, try loaded.loaded(audience: nil), anchors: TrustAnchors([]), at: TestBench.day) {
      _ throws(WorkFailure) in []
    }
    let text = try TestReport(run).render(.text)
    #expect(run.hasPassed && run.outcomes.count == 13, "\(text)")
  }

  @Test("Each audience answers, and only those that are named")
  func audiences() throws {
    let bench = try TestBench()
    try bench.write(
      policy: Self.policy.replacing(
        "{ audience: test, expires-after: 30d, on-stale: block }",
        with: "{ audiences: { live: {}, trial: { overlays: [{ host: api.example.com, mode: report-only }] } } }"))
    try bench.write(
      """
        - { name: both, host: api.example.com, keys: [api], expect: block }
        - { name: live, host: api.example.com, keys: [api], audiences: [live], expect: block }
        - { name: trial, host: api.example.com, keys: [api], audiences: [trial], expect: allow, because: mismatch-reported }

      """)
    let run = try bench.run()
    #expect(run.outcomes.map(\.hasPassed) == [false, true, true])
    #expect(run.outcomes[0].answers.map(\.audience) == ["live", "trial"])
    #expect(try bench.outcomes(run)["both"]?.contains(", in 'trial'") == true)
    // What one audience's tests touch isn't touched for another one.
    try bench.write("  - { name: a, host: api.example.com, keys: [root], audiences: [live], expect: allow }\n")
    let report = try TestReport(bench.run())
    let entries = report.coverage.split(separator: "\n").filter { $0.contains("the entry 'api.example.com'") }
    #expect(entries.count == 1 && entries[0].hasSuffix("for the audience 'trial'"), "\(report.coverage)")
  }

  /// A pattern, and the places that it asks about.
  static let patterns = [
    ("*.pay.example.com", ["any-name.pay.example.com:443", "eu.pay.example.com:443"]),
    ("*.eu.pay.example.com", ["any-name.eu.pay.example.com:443"]),
    ("*.many.example.com", ["any-name-2.many.example.com:443", "any-name.many.example.com:443"]),
    ("*.ports.example.com", ["a.ports.example.com:443", "a.ports.example.com:444", "a.ports.example.com:445"]),
    (
      "*",
      [
        "a.ports.example.com:443", "a.ports.example.com:444", "a.ports.example.com:445",
        "any-name-2.many.example.com:443", "any-name.many.example.com:443", "any-name.pay.example.com:443",
        "eu.pay.example.com:443", "many.example.com:443", "pay.example.com:443",
      ]
    ),
  ]

  @Test("A pattern asks about each entry, and about a name without one where an entry covers it", arguments: patterns)
  func names(_ pattern: String, _ expected: [String]) throws {
    let bench = try TestBench()
    let policy = try #require(Self.policy.range(of: "hosts:"))
    try bench.write(
      policy: Self.policy[..<policy.lowerBound] + """
        hosts:
          - { host: pay.example.com, keys: web, include-subdomains: true, mode: report-only }
          - { host: eu.pay.example.com, keys: web }
          - { host: many.example.com, keys: web, include-subdomains: true }
          - { host: any-name.many.example.com, keys: web }
          - { host: a.ports.example.com, keys: web, mode: report-only }
          - { host: a.ports.example.com, port: 443, keys: web }
          - { host: a.ports.example.com, port: 444, keys: web }

        """)
    try bench.write("  - { name: x, host: \"\(pattern)\", keys: [leaked], expect: block }\n")
    let answers = try #require(bench.run().outcomes.first).answers
    #expect(answers.map(\.host).sorted() == expected)
    // Each entry of the pattern governs one of them.
    if pattern == "*" { #expect(Set(answers.map(\.entry)).count == 7) }
  }

  @Test("A pattern has to name a host for each audience that is asked")
  func patternsOfAudiences() throws {
    let bench = try TestBench()
    try bench.write(
      policy: Self.policy.replacing(
        "{ audience: test, expires-after: 30d, on-stale: block }", with: "{ audiences: { live: {}, trial: {} } }"
      )
      .replacing(
        "{ host: api.example.com, keys: web }", with: "{ host: eu.pay.example.com, keys: web, audiences: [trial] }"))
    try bench.write(
      """
        - { name: both, host: "*.pay.example.com", keys: [leaked], expect: block }
        - { name: one, host: "*.pay.example.com", keys: [leaked], audiences: [trial], expect: block }

      """)
    let found = try bench.outcomes(bench.run())
    #expect(found["both"] == "P919 '*.pay.example.com' names no host for the audience 'live', which is asked")
    #expect(found["one"] == "passed")
    // With one audience loaded, tests of others are counted and not run.
    let loaded = try PolicyDirectory.load([bench.directory.path])
    let run = try TestRun(loaded, try loaded.loaded(audience: "live"), anchors: TrustAnchors([]), at: TestBench.day) {
      _ throws(WorkFailure) in []
    }
    #expect(run.outcomes.map(\.test.name.value) == ["both"] && run.testsOfOthers == 1)
    #expect(try TestReport(run).report.outcome?.hasSuffix("; 1 not run, of other audiences") == true)
  }

  @Test("Kinds of clients that verify less answer for themselves")
  func clients() throws {
    let bench = try TestBench()
    let spare = "{ file: keys/api-spare.csr, custody: HSM A, created: 2026-09-01, position: leaf }"
    let other =
      "{ pin: sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=, algorithm: ed25519, custody: HSM A, "
      + "created: 2026-09-01, position: leaf }"
    try bench.write(
      policy: Self.policy.replacing("audience: test,", with: "audience: test, clients: [apple, openssl-3.0],")
        .replacing(spare, with: other))
    try bench.write("  - { name: one, host: api.example.com, keys: [spare], expect: allow }\n")
    let run = try bench.run()
    #expect(run.outcomes[0].answers.map(\.client) == ["apple", "openssl-3.0"])
    #expect(run.outcomes[0].answers.map(\.kind) == [.block, .allow])
  }

  @Test("Coverage is what was counted by hand")
  func coverage() throws {
    let bench = try TestBench()
    try bench.write(policy: Self.policy)
    try bench.write(
      """
        - { name: entry and key, host: api.example.com, chain: chains/api.pem, expect: allow }
        - { name: backup, host: api.example.com, keys: [spare], expect: allow }
        - { name: the entry alone, host: trial.example.com, keys: [leaked, root], expect: block }
        - { name: no entry, host: a.example.net, keys: [other], expect: not-pinned }
        - { name: fails and counts, host: old.example.com, keys: [root], expect: block }

      """)
    let coverage = try bench.run().coverage
    // Entries: api, trial and old, not www. Keys: root, not api. Backups: spare, not other. Denials: leaked.
    #expect(coverage.summary == "entries 3 of 4, keys 1 of 2, backups 1 of 2, denials 1 of 1: 66%")
    #expect(coverage.untouched.map { "\($0.kind) \($0.name)" } == ["entry www.example.com", "key api", "backup other"])
    #expect(coverage.percent == 66)
  }

  @Test("Four times the tests take about four times the time")
  func manyTests() throws {
    let bench = try TestBench()
    try bench.write(policy: Self.policy)
    func time(_ count: Int) throws -> Duration {
      let one = "host: api.example.com, chain: chains/api.pem, expect: allow }\n"
      try bench.write((0..<count).map { "  - { name: test \($0), \(one)" }.joined())
      _ = try bench.run()
      var found = 0
      let time = try processorTime { found = try bench.run().outcomes.count }
      #expect(found == count)
      return time
    }
    let (few, many) = (try time(500), try time(2_000))
    #expect(many < few * 7, "\(few) for 500, \(many) for 2000")
  }
}
