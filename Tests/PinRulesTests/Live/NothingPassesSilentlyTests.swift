import Diagnostics
import PinFormat
import PinProbe
import PinRules
import PinValidator
import Testing

/// Whatever clients don't accept ends in a finding, and what wasn't asked isn't taken for what holds.
@Suite("Nothing that doesn't hold passes silently")
struct NothingPassesSilentlyTests {
  typealias Scene = EvidenceRecorder.Scene

  private static let hosts = """
    hosts:
      - host: api.example.com
        keys: { active: [example-root], backup: [other-root] }
    """
  private static let fine = Scene.at(.serves(ecdsa: Scene.api))

  static let verdicts: [(verdict: @Sendable (DecisionContext) -> Verdict, says: String)] = [
    ({ .block(.expired(.entry), $0) }, "the entry has expired and blocks from then on"),
    ({ .block(.expired(.manifest), $0) }, "the manifest has expired and blocks from then on"),
    ({ .block(.unpinnedHost(.noEntry), $0) }, "the manifest denies hosts that aren't pinned"),
    ({ .block(.unreadableChain, $0) }, "the public key of a certificate can't be read"),
    ({ .block(.invalidHost(.empty), $0) }, "the host can't be looked up"),
    ({ .block(.untrusted(TrustFailure(.other, "why")), $0) }, "trust evaluation failed: why"),
    ({ .notPinned(.noEntry, $0) }, "the manifest doesn't pin it"),
  ]

  /// A valid chain on which the verdict isn't about its pins.
  @Test(arguments: verdicts.indices)
  func everyVerdictIsSaid(number: Int) throws {
    let (verdict, says) = Self.verdicts[number]
    let check = try LiveCheck(Self.hosts, [Self.fine]) { live in
      live.change { $0.verdict = $0.verdict.map { verdict($0.context) } }
    }
    #expect(
      check.findings == ["P519 error 6 'api.example.com:443' is blocked by clients: \(says)"])
  }

  /// As above where the validator says it by itself.
  @Test func hostsThatThePolicyDenies() throws {
    let deny = Self.hosts.replacing("hosts:", with: "manifest: { unpinned-hosts: deny }\nhosts:", maxReplacements: 1)
    var scene = Self.fine
    scene.host = "shop.example.com"
    let place = Place(file: FileID(0), start: Position(line: 1, column: 1), end: Position(line: 1, column: 5))
    let shop = try HostName(canonicalising: scene.host)
    let check = try LiveCheck(deny, [scene]) { live in
      live.places = [HostPort(shop, 443): place]
      live.coversPolicy = false
    }
    #expect(check.findings.contains { $0.hasPrefix("P519 error 1 ") && $0.contains("denies hosts that aren't pinned") })
  }

  /// Every failure of trust has a rule, alone or beside others of its kind.
  @Test(arguments: [1, 2, 3])
  func failuresOfNoKind(count: Int) throws {
    let check = try LiveCheck(Self.hosts, [Self.fine]) { live in
      live.change { path in
        path.failures = (0..<count).map { TrustFailure(.other, certificate: $0, "the path could not be checked") }
      }
    }
    #expect(check.findings.map { $0.prefix(10) } == ["P515 error"])
  }

  @Test func evidenceWithGaps() throws {
    let partial = try LiveCheck(Self.hosts, [Self.fine]) { $0.assessment.isPartial = true }
    let says = "P538 warning 6 the evidence is partial: probing was stopped early"
    #expect(partial.findings == [says])
    // A visit that was interrupted is reported, whatever else the evidence says.
    let ended = try LiveCheck(Self.hosts, [Self.fine]) { live in
      live.assessment.targets[0].visits[1].outcome = .failed(Evidence.Failure(.cancelled, "ended"))
    }
    #expect(ended.findings == [says])
    let oneOffer = try LiveCheck(Self.hosts, [Self.fine]) { live in
      live.assessment.targets[0].visits.removeAll { $0.offer.keyFamily == .rsa }
    }
    #expect(
      oneOffer.findings == [
        "P538 note 6 'api.example.com:443' was not probed for RSA in TLS 1.3 or RSA in TLS 1.2"
      ])
  }

  /// Addresses that could not be looked up are places where clients can land.
  @Test(arguments: [ConnectionFailure.nameNotResolved, .local, .cancelled])
  func addressesThatAreMissing(kind: ConnectionFailure) throws {
    let message = "its IPv6 addresses could not be looked up: no DNS server answered in time"
    let check = try LiveCheck(Self.hosts, [Self.fine]) { live in
      live.assessment.targets[0].unresolved = Evidence.Failure(kind, message)
      live.minimumSuccess = .all
    }
    #expect(check.findings == ["P530 warning 6 'api.example.com:443' was probed only at 192.0.2.10: \(message)"])
    let ended = try LiveCheck(Self.hosts, [Self.fine]) { live in
      live.assessment.targets[0].unresolved = Evidence.Failure(kind, message)
      for visit in live.assessment.targets[0].visits.indices {
        live.assessment.targets[0].visits[visit].outcome = .failed(Evidence.Failure(.cancelled, "ended"))
      }
    }
    #expect(ended.findings.contains("P538 warning 6 'api.example.com' isn't in the evidence"))
  }

  /// A subdomain that answered says nothing of the host itself.
  @Test func theHostItself() throws {
    let hosts = """
      hosts:
        - host: example.com
          include-subdomains: true
          probe: [api.example.com]
          keys: { active: [example-root], backup: [other-root] }
      """
    #expect(
      try LiveCheck(hosts, [Self.fine]).findings == ["P538 warning 6 'example.com' isn't in the evidence"])
  }
}
