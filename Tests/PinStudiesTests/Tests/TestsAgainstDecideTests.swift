import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinRelease
import PinRotation
import PinRules
import PinStudies
import PinValidator
import PolicySupport
import TestSupport
import Testing

/// What `pintle test` answers is what `pintle decide` says with the released manifest and the same chain.
@Suite("Tests of a policy, and decide") struct TestsAgainstDecideTests {
  /// A policy at random, and what is asked about it.
  private struct Question {
    var policy: String
    var host: String
    var chain: String
    var day: String
    var tlsVersion: TLSVersion

    init(_ random: inout SeededGenerator) {
      let keys = ["root", "other", "middle", "api", "spare"]
      func set(_ random: inout SeededGenerator) -> String {
        let shuffled = keys.shuffled(using: &random)
        let active = random.below(2) + 1
        return "{ active: [\(shuffled.prefix(active).joined(separator: ", "))], "
          + "backup: [\(shuffled[active..<active + random.below(2) + 1].joined(separator: ", "))] }"
      }
      var settings = ["audience: test", "on-stale: \(random.pick(["enforce", "report-only", "block", "unpinned"]))"]
      settings.append("unpinned-hosts: \(random.pick(["allow", "allow", "deny"]))")
      var hosts = ""
      for host in ["api.example.com", "example.com", "appliance.example.internal", "www.example.com"]
      where !random.once(in: 4) {
        var fields = ["host: \(host)", "keys: \(set(&random))"]
        if host == "example.com" { fields.append("include-subdomains: true") }
        fields.append("mode: \(random.pick(["enforce", "enforce", "report-only"]))")
        if random.once(in: 4) { fields.append("require: leaf-and-ca") }
        fields.append("expires: \(random.pick(["2026-12-20", "2027-06-01"]))")
        fields.append("on-expiry: \(random.pick(["enforce", "report-only", "block", "unpinned"]))")
        let anchor = random.pick(["example-root", "other-root"])
        let trust = ["minimum-tls: \"1.3\"", "anchors: [keys/\(anchor).pem]"]
        if random.once(in: 3) { fields.append("trust: { \(random.pick(trust)), reason: ours }") }
        hosts += "  - { \(fields.joined(separator: ", ")) }\n"
      }
      if hosts.isEmpty { hosts = "  - { host: api.example.com, keys: \(set(&random)) }\n" }
      let denied = random.once(in: 4) ? random.pick(["intermediate", "appliance"]) : "api-spare-2"
      policy = """
        version: 1
        owner: web@example.com
        manifest: { \(settings.joined(separator: ", ")) }
        keys:
          root: { file: keys/example-root.pem, position: root }
          other: { file: keys/other-root.pem, position: root }
          middle: { file: keys/example-intermediate.pem, position: intermediate }
          api: { file: keys/api.pem\(random.once(in: 2) ? ", position: leaf" : "") }
          spare: { file: keys/api-spare.csr, custody: HSM A, created: 2026-09-01 }
          bad: { file: keys/\(denied == "intermediate" ? "other-intermediate" : denied).pem, denied: stolen }
        hosts:
        \(hosts)
        """
      host = random.pick([
        "api.example.com", "www.example.com", "example.com", "a.b.example.com", "appliance.example.internal",
        "example.net",
      ])
      chain = random.pick(["api", "api", "api", "other", "self-signed", "alone"])
      day = random.pick(["2026-12-01", "2026-12-20", "2027-01-15", "2027-04-01"])
      tlsVersion = random.pick([.tls12, .tls13])
    }

    var test: String {
      "  - { name: x, host: \(host), chain: chains/\(chain).pem, tls-version: \"\(tlsVersion.rawValue)\", "
        + "at: [\(day)], expect: allow }\n"
    }
  }

  @Test("Random policies and questions, a thousand in full", arguments: 0..<10)
  func random(_ part: Int) throws {
    let bench = try TestBench()
    var asked = 0
    var kinds: Set<String> = []
    var seed = part * 1_000
    while asked < Thoroughness.pick(20, full: 100) {
      seed += 1
      try #require(seed < part * 1_000 + 400, "nearly all policies have errors")
      var random = SeededGenerator(seed: UInt64(seed))
      let question = Question(&random)
      try bench.write(policy: question.policy)
      try bench.write(question.test)
      let policy = try PolicyDirectory.load([bench.directory.path]).policy()
      let outcome = CheckedPolicy.check(CheckInput(policy: policy, at: TestBench.day))
      guard let checked = outcome.checked else { continue }
      let expected = try Self.decide(question, checked)
      let run = try bench.run()
      let answers = try #require(run.outcomes.first).answers
      #expect(answers.count == 1, "seed \(seed)")
      let answer = try #require(answers.first)
      let verdict = expected.verdict
      #expect(answer.verdict == verdict, "seed \(seed): \(question.policy)\n\(question.test)")
      #expect(answer.entry == verdict.context.entry.flatMap { expected.manifest?.entryLabel($0) }, "seed \(seed)")
      #expect(answer.keys == verdict.matches.compactMap { expected.manifest?.keyName($0.key) }, "seed \(seed)")
      #expect(answer.reason == expected.manifest?.reason(for: verdict), "seed \(seed)")
      kinds.insert("\(verdict.kind) \(answer.because) \(verdict.context.step)")
      asked += 1
    }
    #expect(kinds.count > 6, "\(kinds.sorted())")
  }

  /// What `simulate` finds of the clients of the policy if a server presents some keys from then on.
  @Test("Made-up chains of random policies block where 'simulate' locks out", arguments: 0..<4)
  func madeUp(_ part: Int) throws {
    let bench = try TestBench()
    // With their leaf, which 'simulate' otherwise takes over from the chain before.
    let chains = [
      ["api", "middle", "root"], ["spare", "middle", "root"], ["api", "root"], ["spare", "other"], ["api", "other"],
      ["bad", "root"], ["api", "bad"],
    ]
    var found = ["allow": 0, "block": 0]
    var seed = part * 1_000
    while found.values.reduce(0, +) < Thoroughness.pick(30, full: 250) {
      seed += 1
      try #require(seed < part * 1_000 + 900, "nearly all policies have errors")
      var random = SeededGenerator(seed: UInt64(seed))
      let question = Question(&random)
      let keys = random.pick(chains)
      try bench.write(policy: question.policy)
      try bench.write(
        "  - { name: x, host: \(question.host), keys: [\(keys.joined(separator: ", "))], expect: allow }\n")
      let policy = try PolicyDirectory.load([bench.directory.path]).policy()
      let input = CheckInput(policy: policy, at: TestBench.day)
      guard CheckedPolicy.check(input).checked != nil, let outcome = try bench.run().outcomes.first,
        let answer = outcome.answers.first, answer.entry != nil, answer.kind != .notPinned
      else { continue }
      let host = try HostName(canonicalising: question.host)
      let study = try RotationStudy(of: LoadedPolicy(policy: policy), after: [], at: TestBench.day) { study in
        study.serverChanges = [.init(host: host, port: nil, keys: keys, instant: TestBench.day)]
      }
      let isLockedOut = study.lockouts.contains { lockout in
        lockout.release.origin == .candidate && lockout.server.host == host && lockout.phase.source == .planned
          && lockout.begin <= TestBench.day
      }
      #expect(
        isLockedOut == outcome.answers.contains { $0.kind == .block },
        "seed \(seed): \(keys), \(answer.reason)\n\(question.policy)")
      found[answer.kind.rawValue, default: 0] += 1
    }
    #expect((found["allow"] ?? 0) > 5 && (found["block"] ?? 0) > 5, "\(found)")
  }

  /// As the command does it: the manifest's file is signed, written, verified and read, and then asked.
  private static func decide(_ question: Question, _ checked: CheckedPolicy) throws -> Decision {
    let instant = try #require(Instant(written: question.day))
    let manifest = try checked.lowered(
      as: Release(serial: 9, issued: instant, previous: nil, commit: nil, compiler: "pintle test"))
    let signer = try Signer(privateKey: PrivateKey(generating: .ed25519))
    let signers = try TrustedSigners(publicKeys: signer.keys.map(\.publicKey), threshold: 1)
    let loaded = try LoadedManifest.load(
      try SignedManifest.sign(manifest, with: [signer]).bytes, signers: signers, audience: "test")
    let anchors = try TrustAnchors(TestBench.anchors.map { try ExampleFiles.bytes("keys/\($0).pem") })
    let files = try #require(TestBench.chains[question.chain])
    let chain = try files.flatMap { try CertificateBlock.read(ExampleFiles.bytes("keys/\($0).pem")).map(\.der) }
    return Validator(manifest: loaded, evaluator: TrustEvaluator(anchors: anchors, findsAllFailures: true)).evaluate(
      PeerHandshake(host: question.host, port: 443, certificates: chain, tlsVersion: question.tlsVersion), at: instant)
  }
}
