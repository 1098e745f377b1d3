import PinFormat
import PinValidator
import Synchronization
import TestSupport
import Testing

/// An answer is remembered until a date changes it, for a minute at most, and never for an instant before it was given.
@Suite struct MemoryTimeTests {
  /// Something that changes 30 seconds after the start.
  struct Boundary: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let change: @Sendable (MemoryScene.Place, inout WovenProfile) -> Void
    var ends: ExcusableFailure?

    init(
      _ name: String, ends: ExcusableFailure? = nil,
      _ change: @escaping @Sendable (MemoryScene.Place, inout WovenProfile) -> Void
    ) {
      testDescription = name
      self.ends = ends
      self.change = change
    }
  }

  private static let moment = "20260601000030Z"

  static let boundaries =
    MemoryScene.Place.allCases.map { place in
      Boundary("\(place) expires") { if $0 == place { $1.end = Self.moment } }
    }
    + [MemoryScene.Place.surplus, .otherRoot].map { place in
      Boundary("\(place) begins") { if $0 == place { $1.begin = Self.moment } }
    }
    + [
      Boundary("an exception for an expired leaf ends", ends: .expired) {
        if $0 == .leaf { $1.end = "20260101000000Z" }
      },
      Boundary("an exception ends that nothing needs", ends: .weakKey) { _, _ in },
    ]

  @Test(arguments: boundaries) func `is evaluated again from a date on that could change the answer`(
    _ boundary: Boundary
  ) throws {
    let scene = try MemoryScene(boundary.change)
    let trust = try boundary.ends.map { failure in
      Manifest.Trust(exceptions: [
        Manifest.Exception(
          failure: failure, certificate: try scene.fingerprint(.leaf), until: MemoryScene.start.adding(seconds: 30),
          reason: "a test")
      ])
    }
    func validator() throws -> Validator { try scene.validator(scene.evaluator(otherRoot: true), trust: trust) }
    let remembering = try validator()
    for (second, evaluations) in [(Int64(0), 1), (29, 1), (30, 2), (31, 2)] {
      #expect(remembering.say(scene.handshake, second) == (try validator()).say(scene.handshake, second))
      // Failures aren't kept.
      let isKept = remembering.memory.counts.answers == 1
      #expect(remembering.evaluations == (isKept || second < 31 ? evaluations : 3))
    }
  }

  @Test func `an identity token's own dates count`() throws {
    let scene = try MemoryScene { if $0 == .leaf { $1.end = Self.moment } }
    let trust = Manifest.Trust(certificate: try scene.fingerprint(.leaf))
    let validator = try scene.validator(trust: trust)
    #expect(validator.say(scene.handshake).chain?.count == 1)
    #expect(validator.say(scene.handshake, 29).chain?.count == 1)
    #expect(validator.evaluations == 1)
    #expect(validator.say(scene.handshake, 30).failures.map(\.code) == [.expired])
  }

  @Test func `is evaluated again after a minute`() throws {
    let scene = try MemoryScene()
    let validator = try scene.validator()
    for (second, evaluations) in [(Int64(0), 1), (59, 1), (60, 2), (119, 2), (120, 3)] {
      #expect(validator.say(scene.handshake, second).chain?.count == 3)
      #expect(validator.evaluations == evaluations)
    }
  }

  /// As while the clock is behind the manifest's `issued`, when the store's time stands still.
  @Test func `is evaluated again after a minute while the time stands still`() throws {
    let scene = try MemoryScene()
    let uptime = Mutex(Int64(1_000))
    let validator = Validator(
      manifest: try scene.validator().manifest, evaluator: try scene.evaluator(),
      memory: EvaluationMemory { uptime.withLock { $0 } })
    for (second, evaluations) in [(Int64(1_000), 1), (1_059, 1), (1_060, 2), (1_119, 2), (1_120, 3)] {
      uptime.withLock { $0 = second }
      #expect(validator.say(scene.handshake).chain?.count == 3)
      #expect(validator.evaluations == evaluations)
    }
  }

  @Test func `what is outdated is dropped, also where nobody asks for it again`() throws {
    let scene = try MemoryScene()
    let validator = try scene.validator()
    for number in 0..<20 {
      var handshake = scene.handshake
      handshake.port = UInt16(1_000 + number)
      #expect(validator.say(handshake, Int64(number)).chain?.count == 3)
    }
    #expect(validator.memory.counts.answers == 20)
    #expect(validator.say(scene.handshake, 69).chain?.count == 3)
    #expect(validator.memory.counts.answers == 11)
    let bytes = validator.memory.counts.bytes
    #expect(bytes == 11 * MemoryScene.Place.path.reduce(0) { $0 + scene[$1].count })
    // The clock was set back, so none of them is used.
    #expect(validator.say(scene.handshake, 5).chain?.count == 3)
    #expect(validator.memory.counts.answers == 1)
  }

  @Test func `is evaluated again if the clock was set back`() throws {
    let scene = try MemoryScene { if $0 == .leaf { $1.begin = "20260601000000Z" } }
    let validator = try scene.validator()
    #expect(validator.say(scene.handshake, 10).chain?.count == 3)
    #expect(validator.say(scene.handshake, -1).failures.map(\.code) == [.notYetValid])
    #expect(validator.evaluations == 2)
    // And the earlier ones are gone.
    #expect(validator.say(scene.handshake, 10).chain?.count == 3)
    #expect(validator.evaluations == 3)
    #expect(validator.say(scene.handshake, 9).chain?.count == 3)
    #expect(validator.evaluations == 4)
  }

  /// A path that the search had to find depends on more certificates than libcrypto's own.
  @Test func `what libcrypto's own path didn't give isn't remembered`() throws {
    let scene = try MemoryScene { if $0 == .authority { $1.end = "20210101000000Z" } }
    let trust = Manifest.Trust(exceptions: [
      Manifest.Exception(
        failure: .expired, certificate: try scene.fingerprint(.authority), until: .latest, reason: "a test")
    ])
    let validator = try scene.validator(trust: trust)
    for count in 1...2 {
      #expect(validator.say(scene.handshake).excused.count == 1)
      #expect(validator.evaluations == count)
    }
  }

  /// The oracle: whatever changes within the minute, the answer is the one of a validator that remembers nothing.
  @Test(arguments: 0..<Thoroughness.pick(12, full: 600)) func `never differs from a new evaluation`(
    _ seed: Int
  ) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    func moment(_ random: inout SeededGenerator) -> String { "202606010000\(10 + random.below(50))Z" }
    let count = 3
    let keys = try (0...count).map { try WovenKey(seed * 16 + $0) }
    let names = (0..<count).map { "Authority \($0)" } + ["leaf"]
    var serial = 0
    func link(_ subject: Int, by issuer: Int, _ random: inout SeededGenerator) throws -> PathWorld.Link {
      serial += 1
      return try PathWorld.link(keys, names, subject, by: issuer, serial: serial) { profile in
        profile.isLeaf = subject == count
        if random.once(in: 3) { profile.begin = moment(&random) }
        if random.once(in: 3) { profile.end = moment(&random) }
      }
    }
    var world = PathWorld(leaf: try link(count, by: 0, &random), served: [], anchors: [])
    for _ in 0...random.below(5) {
      world.served.append(try link(random.below(count), by: random.below(count), &random))
    }
    for number in 0..<count where random.once(in: 2) || number == count - 1 {
      for _ in 0...random.below(2) { world.anchors.append(try link(number, by: number, &random)) }
    }
    let handshake = PeerHandshake(
      host: "example.com", port: 443, certificates: [world.leaf.der] + world.served.map(\.der), tlsVersion: .tls13)
    let manifest = try loaded(.sample(hosts: [Manifest.HostEntry("example.com")]))
    let remembering = Validator(manifest: manifest, evaluator: try world.evaluator())
    // In random steps, sometimes backwards.
    for _ in 0..<40 {
      let second = Int64(random.below(70))
      let anew = Validator(manifest: manifest, evaluator: try world.evaluator())
      #expect(remembering.say(handshake, second) == anew.say(handshake, second), "at second \(second)")
    }
  }
}
