import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinRules
import PinValidator
import Testing

@Suite("Trust and reachability of live servers")
struct LiveTrustTests {
  typealias Scene = EvidenceRecorder.Scene

  private static let hosts = """
    hosts:
      - host: api.example.com
        keys: { active: [example-root], backup: [other-root] }
    """
  private static let twoHosts =
    hosts + """

        - host: legacy.example.com
          keys: { active: [example-root], backup: [other-root] }
      """
  private static let refuses = Scene.Behaviour.fails(.refused, "the connection was refused")

  private static func legacy(_ behaviour: Scene.Behaviour) -> Scene {
    var scene = Scene.at(behaviour)
    scene.host = "legacy.example.com"
    return scene
  }

  static let expired = Scene.Behaviour.serves(ecdsa: ["keys/legacy", "keys/example-intermediate"])

  @Test("Which names a certificate has, for who asked for another")
  func coverage() throws {
    let fingerprint = try #require(SHA256Digest([UInt8](repeating: 0, count: 32)))
    func record(_ names: [String], commonName: String? = nil, uris: [String] = []) -> CertificateRecord {
      CertificateRecord(
        fingerprint: fingerprint, pin: nil, subject: "", issuer: "", commonName: commonName, notBefore: nil,
        notAfter: nil,
        algorithm: nil, signature: "", names: names, uris: uris, isCA: false, isSelfSigned: false)
    }
    let names =
      [
        (
          [],
          "its only names are URIs: 'spiffe://example.org/a'. A server is accepted by a DNS name or an address"
        ), (["a.example.com"], "it covers 'a.example.com'"),
      ] as [([String], String)]
    for (names, said) in names {
      #expect(record(names, uris: ["spiffe://example.org/a"]).coverage(of: "b.example.com") == said)
    }
    for (names, common, asked, said) in [
      (["a.example.com", "*.example.org"], nil, "b.example.com", "it covers 'a.example.com' and '*.example.org'"),
      (["203.0.113.7"], nil, "203.0.113.7", "it has '203.0.113.7' as a DNS name, but not as an iPAddress"),
      ([], nil, "b.example.com", "it names no host in its Subject Alternative Name"),
      (
        [], "b.example.com", "b.example.com",
        "it names no host in its Subject Alternative Name: the common name 'b.example.com' doesn't count"
      ),
    ] as [([String], String?, String, String)] {
      #expect(record(names, commonName: common).coverage(of: asked) == said)
    }
  }

  /// A path that only other clients take is a warning where it fails, and says by which one all is well.
  @Test func alternativePath() throws {
    let scene = Scene.at(
      .serves(ecdsa: Scene.crossSigned), stores: ["system": ["keys/example-root", "keys/old-root"]])
    let check = try LiveCheck(Self.hosts, [scene]) { live in
      live.change { path in
        guard path.chain.count == 4 else { return }
        path.failures = [
          TrustFailure(.expired, certificate: 3, fingerprint: path.chain.last, "the certificate has expired")
        ]
      }
    }
    #expect(
      check.findings == [
        "P504 warning 6 'api.example.com:443' leads to the root 'Old Root CA', which expired at 2030-01-01T00:00:00Z on "
          + "the path over 'Old Root CA'; it holds over 'Example Root CA'"
      ])
  }

  @Test func hostOfTheCommandLine() throws {
    let place = Place(
      file: FileID(0), start: Position(line: 1, column: 1), end: Position(line: 1, column: 5))
    let legacy = try HostName(canonicalising: "legacy.example.com")
    let check = try LiveCheck(Self.hosts, [Self.legacy(Self.expired)]) { live in
      live.places = [HostPort(legacy, 443): place]
      live.coversPolicy = false
    }
    #expect(
      check.findings == [
        "P504 error 1 'legacy.example.com:443' sends a certificate that expired at 2026-11-01T00:00:00Z"
      ])
    #expect(check.first("P504")?.help.contains("in a host entry's 'trust:'") == true)
    let nowhere = try LiveCheck(Self.hosts, [Self.legacy(Self.expired)]) { $0.coversPolicy = false }
    #expect(nowhere.findings == [])
  }

  struct Reach: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var minimum: MinimumSuccess
    var severity: String
  }

  @Test(arguments: [
    Reach(testDescription: "all", minimum: .all, severity: "error"),
    Reach(testDescription: "half", minimum: .percent(50), severity: "warning"),
    Reach(testDescription: "more than half", minimum: .percent(51), severity: "error"),
    Reach(testDescription: "one", minimum: .count(1), severity: "warning"),
    Reach(testDescription: "two", minimum: .count(2), severity: "error"),
  ])
  func minimumSuccess(_ test: Reach) throws {
    let check = try LiveCheck(Self.twoHosts, [Scene.at(.serves(ecdsa: Scene.api)), Self.legacy(Self.refuses)]) {
      $0.minimumSuccess = test.minimum
    }
    #expect(check.findings == ["P531 \(test.severity) 8 'legacy.example.com:443' refuses connections at 192.0.2.10"])
  }

  @Test func oneAddressRefuses() throws {
    let check = try LiveCheck(Self.hosts, [Scene.at(.serves(ecdsa: Scene.api), Self.refuses)])
    #expect(
      check.findings == [
        "P531 warning 6 'api.example.com:443' refuses connections at 192.0.2.11 (and not at 192.0.2.10)"
      ])
  }

  /// Offers of which one is met with silence: nothing is known of its certificate.
  @Test func oneOfferIsNotAnswered() throws {
    let check = try LiveCheck(Self.hosts, [Scene.at(.serves(ecdsa: Scene.api))]) { live in
      for visit in live.assessment.targets[0].visits.indices
      where live.assessment.targets[0].visits[visit].offer.keyFamily == .rsa {
        live.assessment.targets[0].visits[visit].outcome = .failed(Evidence.Failure(.timedOut, "no answer"))
      }
    }
    #expect(
      check.findings == [
        "P532 warning 6 'api.example.com:443' doesn't answer in time for clients that offer RSA (and not for clients "
          + "that offer ECDSA)"
      ])
  }

  /// Two certificates that ended at the same time are one statement; of two that didn't, each has its own.
  @Test func severalCertificatesThatExpired() throws {
    let both = Scene.Behaviour.serves(ecdsa: Scene.api, rsa: Scene.apiRSA)
    let same = try LiveCheck(Self.hosts, [Scene.at(both)], at: "2027-04-02T00:00:00Z")
    #expect(
      same.findings.filter { $0.hasPrefix("P504") } == [
        "P504 error 6 'api.example.com:443' sends a certificate that expired at 2027-04-01T00:00:00Z"
      ])
    let check = try LiveCheck(Self.hosts, [Scene.at(both)], at: "2027-04-02T00:00:00Z") { live in
      for fingerprint in live.assessment.certificates.keys
      where live.assessment.certificates[fingerprint]?.key == "RSA 2048" {
        live.assessment.certificates[fingerprint]?.notAfter = Instant(secondsSinceEpoch: 1_800_000_000)
      }
    }
    #expect(
      check.findings.filter { $0.hasPrefix("P504") } == [
        "P504 error 6 'api.example.com:443' sends a certificate that expired at 2027-04-01T00:00:00Z with its ECDSA "
          + "certificate; and sends a certificate that expired at 2027-01-15T08:00:00Z with its RSA certificate"
      ])
  }

  /// An intermediate of the policy replaces what a server doesn't send, which is reported nevertheless.
  @Test func intermediateOfThePolicy() throws {
    let hosts =
      Self.hosts + """

            trust: { intermediates: [keys/example-intermediate.pem], reason: the vendor is told }
        """
    let check = try LiveCheck(hosts, [Scene.at(.serves(ecdsa: ["keys/api"]))])
    #expect(
      check.findings == [
        "P527 note 6 'api.example.com:443' is accepted only because of the intermediate 'Example Intermediate CA 1' in the policy, "
          + "which it doesn't send"
      ])
  }

  @Test func shardsAndPartialEvidence() throws {
    let scenes = [Scene.at(.serves(ecdsa: Scene.api))]
    let shard = try LiveCheck(Self.twoHosts, scenes) {
      $0.assessment.shards = [Evidence.Shard(number: 3, count: 10)]
    }
    #expect(
      shard.findings == ["P538 note 8 'legacy.example.com' isn't in this evidence, which covers only shard 3/10"])
    let partial = try LiveCheck(Self.twoHosts, scenes) { $0.assessment.isPartial = true }
    #expect(partial.findings == ["P538 note 8 'legacy.example.com' was not probed: probing was stopped early"])
    let whole = try LiveCheck(Self.twoHosts, scenes)
    #expect(whole.findings == ["P538 warning 8 'legacy.example.com' isn't in the evidence"])
    let unasked = try LiveCheck(
      Self.twoHosts, scenes + [Self.legacy(.fails(.cancelled, "probing was ended"))]
    ) { $0.assessment.isPartial = true }
    #expect(
      unasked.findings == ["P538 note 8 'legacy.example.com' was not probed: probing was stopped early"])
    #expect(try LiveCheck(Self.twoHosts, scenes) { $0.coversPolicy = false }.findings == [])
    let more =
      Self.twoHosts + """

          - host: new.example.com
            keys: { active: [example-root], backup: [other-root] }
        """
    let several = try LiveCheck(more, scenes) {
      $0.assessment.shards = [Evidence.Shard(number: 1, count: 10), Evidence.Shard(number: 3, count: 10)]
    }
    #expect(
      several.findings == [
        "P538 note 8 'legacy.example.com' and 'new.example.com' aren't in this evidence, which covers only shards 1/10, "
          + "3/10"
      ])
  }

  @Test(arguments: [
    ("certificate: keys/legacy.pem, until: 2026-11-15", "ended at 2026-11-15T00:00:00Z"),
    ("certificate: keys/api.pem, until: 2027-04-15", "names another certificate"),
  ])
  func exceptionsThatDoNotHelp(exception: String, saying: String) throws {
    let hosts = """
      hosts:
        - host: legacy.example.com
          keys: { active: [example-root], backup: [other-root] }
          trust: { exceptions: [{ failure: expired, \(exception), reason: the renewal is late }] }
      """
    let check = try LiveCheck(hosts, [Self.legacy(Self.expired)])
    let finding = try #require(check.first("P504"))
    #expect(finding.help.contains(saying))
    #expect(finding.related.map(\.place.start.line) == [8])
  }

  /// A missing issuer is described by any certificate with its name, or else by the name.
  @Test func chainsThatStopShort() throws {
    let stopped = Self.legacy(.serves(ecdsa: ["keys/legacy"]))
    let alone = try LiveCheck(Self.twoHosts, [stopped]) { $0.coversPolicy = false }
    #expect(alone.findings.map { $0.prefix(4) } == ["P501", "P504"])
    #expect(
      alone.first("P501")?.message.contains(
        "doesn't send the certificate of 'Example Intermediate CA 1', which issued 'legacy.example.com'") == true)
    #expect(alone.first("P501")?.help.contains("If it is a root") == true)
    let known = try LiveCheck(Self.twoHosts, [stopped, Scene.at(.serves(ecdsa: Scene.api))])
    #expect(known.first("P501")?.message.contains("doesn't send the intermediate 'Example Intermediate CA 1'") == true)
    #expect(known.first("P501")?.help.contains("If it is a root") == false)
    let unknown = Scene.at(.serves(ecdsa: Scene.api), stores: ["system": ["keys/other-root"]])
    #expect(
      try LiveCheck(Self.hosts, [unknown]).findings == [
        "P507 error 6 'api.example.com:443' has a chain that ends at 'Example Intermediate CA 1', whose issuer 'Example "
          + "Root CA' isn't a trust anchor"
      ])
    // A store that has the issuer shows what it is, even for a chain that fails in another store.
    let direct = Scene.at(
      .serves(ecdsa: Scene.api), stores: ["system": ["keys/other-root"], "own": ["keys/example-root"]])
    let own = try LiveCheck(Self.hosts, [direct]).findings
    #expect(own.count == 1)
    #expect(
      own.allSatisfy { $0.hasPrefix("P507 ") && $0.hasSuffix(" under the trust store 'system'; it holds under 'own'") })
    let gap = try LiveCheck(Self.hosts, [unknown]) { live in
      for fingerprint in live.assessment.certificates.keys
      where live.assessment.certificates[fingerprint]?.isCA == true {
        live.assessment.certificates[fingerprint]?.issuer = "O=Example,CN=Upper CA"
      }
    }
    #expect(
      gap.findings == [
        "P501 error 6 'api.example.com:443' doesn't send the certificate of 'Upper CA', which issued 'Example Intermediate "
          + "CA 1', and no trust store has it"
      ])
  }

  /// A list that is written a second time replaces the first, and an entry's `trust:` that of `defaults:`.
  @Test(arguments: [
    ("", "keys/other-root", "Add 'keys/example-root.pem' to this entry's 'trust:': 'anchors: [keys/example-root.pem]'"),
    (
      "trust: { anchors: [keys/other-root.pem], reason: our own }", "keys/example-root",
      "A pinned key isn't a trust anchor. Add 'keys/example-root.pem' to the list at policy.yaml:8."
    ),
    (
      "trust: { intermediates: [keys/example-intermediate.pem], reason: our own }", "keys/other-root",
      "Add 'keys/example-root.pem' to the 'trust:' at policy.yaml:8: 'anchors: [keys/example-root.pem]'"
    ),
  ])
  func whereAnAnchorGoes(_ trust: String, _ store: String, _ says: String) throws {
    let text = Self.hosts + (trust.isEmpty ? "" : "\n    " + trust)
    let check = try LiveCheck(text, [Scene.at(.serves(ecdsa: Scene.api), stores: ["system": [store]])])
    #expect(check.first("P507")?.help.contains(says) == true, "\(check.findings) \(check.first("P507")?.help ?? "")")
  }

  /// Reissuing the server's certificate doesn't help where another certificate of the path is at fault.
  @Test(
    arguments: [
      (TrustFailure.Code.weakKey, "P512"), (.weakSignature, "P511"), (.wrongUsage, "P509"), (.expired, "P504"),
      (.notYetValid, "P505"), (.malformed, "P515"), (.keyEncoding, "P515"),
    ],
    [(1, "send its CA's current certificate of 'Example Intermediate CA 1'"), (2, "present a chain to another root")])
  func whoHasToChangeWhat(_ failure: (code: TrustFailure.Code, rule: String), _ at: (place: Int, says: String)) throws {
    let check = try LiveCheck(Self.hosts, [Scene.at(.serves(ecdsa: Scene.api))]) { live in
      live.change { path in
        let fingerprint = path.chain[at.place]
        path.failures = [TrustFailure(failure.code, certificate: at.place, fingerprint: fingerprint, "it fails")]
      }
    }
    let help = try #require(check.first(failure.rule)?.help)
    #expect(help.contains(at.says), "\(help)")
    for wrong in ["Reissue the server's", "Renew the server's", "Make a new key", "earlier certificate"] {
      #expect(!help.contains(wrong), "\(help)")
    }
  }

  /// What a server says of itself can't steer a terminal.
  @Test func namesOfServersAreMadeVisible() throws {
    let check = try LiveCheck(Self.hosts, [Scene.at(.serves(ecdsa: Scene.otherCA))]) { live in
      for fingerprint in live.assessment.certificates.keys {
        live.assessment.certificates[fingerprint]?.commonName = "a\u{1B}[2Jb" + String(repeating: "x", count: 1_000)
      }
      live.change { $0.failures = [TrustFailure(.unknownIssuer, "the path ends in a root that is not a trust anchor")] }
    }
    let finding = try #require(check.first("P507"))
    #expect(finding.message.contains("a<U+001B>[2Jbx"))
    #expect(finding.message.utf8.count < 400)
  }
}

extension LiveInput {
  /// Changes each judged path.
  mutating func change(_ body: (inout PathJudgement) -> Void) {
    for target in assessment.targets.indices {
      for visit in assessment.targets[target].visits.indices {
        guard var report = assessment.targets[target].visits[visit].served else { continue }
        for store in report.judgements.indices {
          for path in report.judgements[store].paths.indices { body(&report.judgements[store].paths[path]) }
        }
        assessment.targets[target].visits[visit].outcome = .served(report)
      }
    }
  }
}
