import PinFormat
import PinValidator
import Testing

/// Each part of what an answer depends on: if only that differs, trust is evaluated again.
@Suite struct MemoryKeyTests {
  struct Part: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let change: @Sendable (inout PeerHandshake, MemoryScene) throws -> Void

    init(_ name: String, _ change: @escaping @Sendable (inout PeerHandshake, MemoryScene) throws -> Void) {
      testDescription = name
      self.change = change
    }
  }

  static let parts = [
    Part("the leaf") { $0.certificates[0] = try $1.otherLeaf() },
    Part("a certificate that no path needs") { $0.certificates[2] = $1[.otherRoot] },
    Part("the order") { handshake, _ in handshake.certificates.swapAt(1, 2) },
    Part("one certificate more") { $0.certificates.append($1[.root]) },
    Part("one certificate twice") { $0.certificates.append($1[.surplus]) },
    Part("one certificate less") { handshake, _ in handshake.certificates.removeLast() },
    Part("where a certificate ends") { handshake, _ in
      let last = handshake.certificates.removeLast()
      handshake.certificates[1] += last
    },
    Part("one byte of the last certificate's signature") { handshake, _ in
      let end = handshake.certificates[2].count - 1
      handshake.certificates[2][end] ^= 1
    },
    Part("the host") { handshake, _ in handshake.host = "a.example.com" },
    Part("a host that the certificate isn't for") { handshake, _ in handshake.host = "b.example.com" },
    Part("the spelling of the host") { handshake, _ in handshake.host = "EXAMPLE.com" },
    Part("the port") { handshake, _ in handshake.port = 8_443 },
    Part("an older TLS version") { handshake, _ in handshake.tlsVersion = .tls12 },
    Part("a TLS version that nobody tells") { handshake, _ in handshake.tlsVersion = nil },
    Part("the role") { handshake, _ in handshake.peer = .client },
  ]

  @Test(arguments: parts) func `is evaluated again if one part differs`(_ part: Part) throws {
    let scene = try MemoryScene()
    let trust = Manifest.Trust(minimumTLS: .tls13)
    let validator = try scene.validator(trust: trust)
    var changed = scene.handshake
    try part.change(&changed, scene)
    #expect(changed != scene.handshake)
    let first = validator.say(scene.handshake)
    #expect(first.chain?.count == 3)
    #expect(validator.say(scene.handshake, 1) == first)
    #expect(validator.evaluations == 1)
    #expect(validator.say(changed) == (try scene.validator(trust: trust)).say(changed))
    #expect(validator.evaluations == 2)
    // Neither replaces the other.
    #expect(validator.say(scene.handshake, 2) == first)
    #expect(validator.evaluations == 2)
  }

  /// By the same manifest, for the same name and port: its `trust` counts until the entry expires.
  @Test func `is evaluated again if the entry's trust no longer counts`() throws {
    let scene = try MemoryScene()
    var handshake = scene.handshake
    handshake.host = "moved.example.com"
    let validator = try scene.validator(
      trust: Manifest.Trust(serverName: HostName(canonicalising: "example.com")), expires: "2026-06-01T00:00:10Z")
    #expect(validator.say(handshake, 9).chain?.count == 3)
    let after = validator.say(handshake, 10)
    #expect(after.disposition == .cancel)
    #expect(after.failures.map(\.code) == [.nameMismatch])
    #expect(validator.evaluations == 2)
  }

  @Test func `two entries with different trust don't share an answer`() throws {
    let scene = try MemoryScene()
    let name = try HostName(canonicalising: "example.com")
    let hosts = [
      try Manifest.HostEntry("moved.example.com", port: 1, trust: Manifest.Trust(serverName: name)),
      try Manifest.HostEntry("moved.example.com", port: 2),
    ]
    let validator = Validator(manifest: try loaded(.sample(hosts: hosts)), evaluator: try scene.evaluator())
    var handshake = scene.handshake
    handshake.host = "moved.example.com"
    for (port, count) in [(UInt16(1), 3), (2, nil)] {
      handshake.port = port
      #expect(validator.say(handshake).chain?.count == count)
    }
  }

  @Test func `a failure is evaluated again each time`() throws {
    let scene = try MemoryScene()
    var handshake = scene.handshake
    handshake.host = "b.example.com"
    let validator = try scene.validator()
    for count in 1...3 {
      #expect(validator.say(handshake).failures.map(\.code) == [.nameMismatch])
      #expect(validator.evaluations == count)
    }
    #expect(validator.memory.counts.answers == 0)
  }

  @Test func `hosts that aren't pinned are remembered apart from those that are`() throws {
    let scene = try MemoryScene()
    let validator = Validator(
      manifest: try loaded(.sample(hosts: [Manifest.HostEntry("elsewhere.test")])), evaluator: try scene.evaluator())
    let first = validator.say(scene.handshake)
    #expect(first.disposition == .useCredential && first.chain?.count == 3)
    #expect(validator.say(scene.handshake, 5) == first)
    #expect(validator.evaluations == 1)
    // If the transport validates by itself, nothing is evaluated.
    #expect(validator.evaluate(scene.handshake, at: MemoryScene.start).disposition == .performDefaultHandling)
    var client = scene.handshake
    client.peer = .client
    #expect(validator.say(client).disposition == .cancel)
  }

  @Test func `another manifest and another trust store begin with nothing`() throws {
    let scene = try MemoryScene()
    let evaluator = try scene.evaluator()
    let validator = try scene.validator(evaluator)
    let first = validator.say(scene.handshake)
    // The same manifest again, with another memory.
    let again = Validator(manifest: validator.manifest, evaluator: evaluator)
    #expect(again.say(scene.handshake) == first && again.evaluations == 1)
    let stranger = Validator(manifest: validator.manifest, evaluator: TrustEvaluator(anchors: try TrustAnchors([])))
    #expect(stranger.say(scene.handshake).failures.map(\.code) == [.unknownIssuer])
    #expect(validator.evaluations == 1)
  }

  /// One evaluation, and yet another verdict: the entry begins to report only.
  @Test func `pins and modes are decided on each time`() throws {
    let scene = try MemoryScene()
    let entry = try Manifest.HostEntry("example.com", expires: "2026-06-01T00:00:10Z", onExpiry: .reportOnly)
    let validator = Validator(manifest: try loaded(.sample(hosts: [entry])), evaluator: try scene.evaluator())
    guard case .block(.mismatch(.noKey), _) = validator.say(scene.handshake, 9).verdict,
      case .allow(.mismatchReported(.noKey), _) = validator.say(scene.handshake, 10).verdict
    else {
      Issue.record("another verdict")
      return
    }
    #expect(validator.evaluations == 1)
  }
}
