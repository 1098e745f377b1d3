import PinFormat
import PinValidator
import TestSupport
import Testing

/// The whole order of decision on real chains.
@Suite struct ValidatorTests {
  private static let host = "example.com"

  @Test func allowsThePinnedAuthority() throws {
    let make = try Maker()
    let decision = try decide(make, pins: make.intermediate, serves: [make.leaf, make.intermediate])
    guard case .allow(.matched(let match), let context) = decision.verdict else {
      Issue.record("\(decision.verdict)")
      return
    }
    #expect(match.certificate == 1)
    #expect(match.position == .intermediate)
    #expect(context.step == .requirement)
    #expect(try decision.chain?.certificates == [make.leaf.der, make.intermediate.der, make.root.der])
    #expect(decision.failures.isEmpty)
  }

  /// The impostor has a valid certificate for the name, by another public authority, and appends the pinned ones.
  @Test func blocksPinnedCertificatesAppendedToAnotherChain() throws {
    let make = try Maker()
    let impostor = try make.leaf("impostor", by: try make.otherIntermediate)
    for pinned in [try make.leaf, try make.intermediate, try make.root] {
      let served = [impostor, try make.otherIntermediate, try make.leaf, try make.intermediate, try make.root]
      let decision = try decide(make, pins: pinned, serves: served)
      guard case .block(.mismatch(.noKey), let context) = decision.verdict else {
        Issue.record("\(decision.verdict)")
        return
      }
      #expect(context.step == .mismatch)
      #expect(try decision.chain?.certificates == [impostor.der, make.otherIntermediate.der, make.otherRoot.der])
    }
  }

  /// Pins only add restrictions: neither a matching pin nor `report-only` lets an untrusted chain pass.
  @Test(arguments: [Mode.enforce, .reportOnly])
  func blocksWhatIsNotTrusted(_ mode: Mode) throws {
    let make = try Maker()
    let expired = try make.leaf("expired") { $0.notAfter = "2026-01-01" }
    let decision = try decide(make, pins: make.root, mode: mode, serves: [expired, make.intermediate])
    guard case .block(.untrusted(let failure), let context) = decision.verdict else {
      Issue.record("\(decision.verdict)")
      return
    }
    #expect(failure.code == .expired)
    #expect(failure.certificate == 0)
    #expect(try failure.fingerprint == expired.fingerprint)
    #expect(context.events.contains(.untrusted))
    #expect(decision.chain == nil)
    #expect(decision.failures == [failure])
  }

  /// What each chain comes to, in order: one that matches, one that doesn't, an expired one, one with a denied key.
  ///
  /// The clock is the entry's or the manifest's: what they ask for means the same.
  @Test(arguments: [
    (Mode.enforce, nil as ExpiryAction?, ["allow 4", "block 5", "block 2", "block 3"]),
    (.enforce, .enforce, ["allow 4", "block 5", "block 2", "block 3"]),
    (.enforce, .reportOnly, ["allow 4", "allow 5", "block 2", "block 3"]),
    (.enforce, .unpinned, ["notPinned 1", "notPinned 1", "notPinned 1", "notPinned 1"]),
    (.enforce, .block, ["block 1", "block 1", "block 1", "block 1"]),
    (.reportOnly, nil, ["allow 4", "allow 5", "block 2", "block 3"]),
    (.reportOnly, .enforce, ["allow 4", "allow 5", "block 2", "block 3"]),
    (.reportOnly, .reportOnly, ["allow 4", "allow 5", "block 2", "block 3"]),
    (.reportOnly, .unpinned, ["notPinned 1", "notPinned 1", "notPinned 1", "notPinned 1"]),
    (.reportOnly, .block, ["block 1", "block 1", "block 1", "block 1"]),
    (.off, nil, ["notPinned 1", "notPinned 1", "notPinned 1", "notPinned 1"]),
  ])
  func everyModeAndExpiry(_ mode: Mode, _ action: ExpiryAction?, _ expected: [String]) throws {
    let make = try Maker()
    let expired = try make.leaf("expired") { $0.notAfter = "2026-01-01" }
    let denied = try make.leaf("denied")
    let chains = [
      [try make.leaf, try make.intermediate],
      [try make.leaf("other", by: try make.otherIntermediate), try make.otherIntermediate],
      [expired, try make.intermediate], [denied, try make.intermediate],
    ]
    for isEntrys in [true, false] {
      var manifest = try manifest(pinning: make.root, denying: denied, mode: mode)
      if isEntrys, let action {
        manifest.hosts[0].expires = try instant("2026-11-10")
        manifest.hosts[0].onExpiry = action
      } else if let action {
        manifest.refreshAfter = try instant("2026-11-09")
        manifest.expires = try instant("2026-11-10")
        manifest.onStale = action
      }
      let anchors = try TrustAnchors([try make.root.pem, try make.otherRoot.pem])
      let validator = Validator(manifest: try loaded(manifest), evaluator: TrustEvaluator(anchors: anchors))
      let found = try chains.map { chain in
        let decision = validator.evaluate(
          PeerHandshake(host: Self.host, port: 443, certificates: chain.map(\.der), tlsVersion: .tls13),
          at: try instant("2026-11-15"))
        let context = decision.verdict.context
        #expect(context.events.contains(.entryExpired) == (isEntrys && action != nil && mode != .off))
        #expect(context.events.contains(.manifestStale) == (!isEntrys && action != nil))
        let name =
          switch decision.verdict {
          case .allow: "allow"
          case .block: "block"
          case .notPinned: "notPinned"
          }
        return "\(name) \(context.step.rawValue)"
      }
      #expect(found == expected, "by the \(isEntrys ? "entry" : "manifest")'s clock")
    }
  }

  @Test func reportOnlyAllowsAMismatch() throws {
    let make = try Maker()
    let decision = try decide(make, pins: make.otherRoot, mode: .reportOnly, serves: [make.leaf, make.intermediate])
    guard case .allow(.mismatchReported(.noKey), let context) = decision.verdict else {
      Issue.record("\(decision.verdict)")
      return
    }
    #expect(context.events.contains([.mismatch, .reportOnly]))
  }

  @Test(arguments: [Mode.enforce, .reportOnly])
  func blocksADeniedKey(_ mode: Mode) throws {
    let make = try Maker()
    let decision = try decide(
      make, pins: make.root, denies: make.intermediate, mode: mode, serves: [make.leaf, make.intermediate])
    guard case .block(.deniedKey(let match), let context) = decision.verdict else {
      Issue.record("\(decision.verdict)")
      return
    }
    #expect(match.certificate == 1)
    #expect(context.step == .denial)
  }

  @Test func countsAnException() throws {
    let make = try Maker()
    let expired = try make.leaf("expired") { $0.notAfter = "2026-01-01" }
    let trust = Manifest.Trust(exceptions: [
      Manifest.Exception(
        failure: .expired, certificate: try expired.fingerprint, until: try instant("2027-01-01"), reason: "a test")
    ])
    let decision = try decide(make, pins: make.root, trust: trust, serves: [expired, make.intermediate])
    guard case .allow(.matched, let context) = decision.verdict else {
      Issue.record("\(decision.verdict)")
      return
    }
    #expect(context.events.contains(.exceptionUsed))
    #expect(decision.excused.map(\.failure.code) == [.expired])
    #expect(decision.excused.map(\.exception) == trust.exceptions)
    // A connection that is kept open ends with the exception for its chain.
    let chain = try #require(decision.chain)
    let validator = Validator(manifest: try #require(decision.manifest))
    for (time, kind) in [("2026-12-31", Verdict.Kind.allow), ("2027-01-01", .block)] {
      #expect(validator.decide(chain, host: Self.host, port: 443, at: try instant(time)).kind == kind, "\(time)")
    }
  }

  @Test func findsTheCertificatesThatTheManifestCarries() throws {
    let make = try Maker()
    let trust = Manifest.Trust(
      systemAnchors: false, anchors: [try make.otherRoot.fingerprint],
      intermediates: [try make.otherIntermediate.fingerprint])
    let leaf = try make.leaf("other", by: try make.otherIntermediate)
    let decision = try decide(
      make, pins: make.otherRoot, trust: trust, carries: [make.otherRoot, make.otherIntermediate], serves: [leaf])
    guard case .allow(.matched(let match), _) = decision.verdict else {
      Issue.record("\(decision.verdict)")
      return
    }
    #expect(match.position == .root)
    // Without an entry, only the transport's own validation could accept the chain.
    let later = Validator(manifest: try loaded(try Manifest.sample(hosts: [try Manifest.HostEntry("other.test")])))
    let chain = try #require(decision.chain)
    for (transport, kind) in [(TransportValidation.stands, Verdict.Kind.notPinned), (.replaced, .block)] {
      let verdict = later.decide(chain, host: Self.host, port: 443, at: try instant("2026-11-15"), transport: transport)
      #expect(verdict.kind == kind)
    }
  }

  @Test func leavesAHostWithoutAnEntryToTheTransport() throws {
    let make = try Maker()
    let manifest = try loaded(try manifest(pinning: make.root))
    let decision = Validator(manifest: manifest).evaluate(
      PeerHandshake(host: "example.org", port: 443, certificates: [[1, 2, 3]], tlsVersion: nil),
      at: try instant("2026-11-15"))
    guard case .notPinned(.noEntry, _) = decision.verdict else {
      Issue.record("\(decision.verdict)")
      return
    }
  }

  @Test(arguments: [0, 33])
  func blocksAnUnusableChain(_ count: Int) throws {
    let make = try Maker()
    let validator = Validator(manifest: try loaded(try manifest(pinning: make.root)))
    let decision = validator.evaluate(
      PeerHandshake(
        host: Self.host, port: 443, certificates: Array(repeating: try make.leaf.der, count: count), tlsVersion: .tls13),
      at: try instant("2026-11-15"))
    guard case .block(.untrusted(let failure), _) = decision.verdict else {
      Issue.record("\(decision.verdict)")
      return
    }
    #expect(failure.code == .unusableChain)
  }

  private func decide(
    _ make: Maker, pins pinned: TestCertificate, denies denied: TestCertificate? = nil, mode: Mode = .enforce,
    trust: Manifest.Trust? = nil, carries carried: [TestCertificate] = [], serves served: [TestCertificate]
  ) throws -> Decision {
    let manifest = try manifest(pinning: pinned, denying: denied, mode: mode, trust: trust, carrying: carried)
    let anchors = try TrustAnchors([try make.root.pem, try make.otherRoot.pem])
    return Validator(manifest: try loaded(manifest), evaluator: TrustEvaluator(anchors: anchors)).evaluate(
      PeerHandshake(host: Self.host, port: 443, certificates: served.map(\.der), tlsVersion: .tls13),
      at: try instant("2026-11-15"))
  }

  private func manifest(
    pinning pinned: TestCertificate, denying denied: TestCertificate? = nil, mode: Mode = .enforce,
    trust: Manifest.Trust? = nil, carrying carried: [TestCertificate] = []
  ) throws -> Manifest {
    let entry = try Manifest.HostEntry(Self.host, mode, keys: "pinned", trust: trust)
    var manifest = try Manifest.sample(hosts: [entry], denied: false)
    manifest.keys = [Manifest.Key(name: "pinned", pin: try pinned.pin, position: nil, denied: nil)]
    if let denied {
      manifest.keys.insert(Manifest.Key(name: "lost", pin: try denied.pin, position: nil, denied: "lost"), at: 0)
    }
    manifest.keySets = [Manifest.KeySet(name: "pinned", active: ["pinned"], backup: [])]
    manifest.certificates = try carried.map { Manifest.Certificate(fingerprint: try $0.fingerprint, der: $0.der) }
      .sorted { $0.fingerprint.hex < $1.fingerprint.hex }
    return manifest
  }
}

extension TestCertificate {
  /// The pin as `openssl` computes it, without any code of ours.
  var pin: Pin {
    get throws {
      let key = try runSuccessfully("openssl", ["x509", "-in", path, "-noout", "-pubkey"])
      let spki = try runSuccessfully("openssl", ["pkey", "-pubin", "-outform", "DER"], stdin: key)
      let digest = try runSuccessfully("openssl", ["dgst", "-sha256", "-binary"], stdin: spki)
      return Pin(try #require(SHA256Digest(digest)))
    }
  }
}
