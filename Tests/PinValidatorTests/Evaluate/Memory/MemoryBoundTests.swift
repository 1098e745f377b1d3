import PinFormat
import PinValidator
import Testing

/// What is remembered is bounded, and what was used last stays, whatever a peer sends.
@Suite struct MemoryBoundTests {
  /// A peer with a valid certificate appends something else on each connection.
  @Test func `an attacker with a new chain each time takes no more than the bound, and nobody else's place for long`()
    throws
  {
    let scene = try MemoryScene()
    let validator = try scene.validator()
    var other = scene.handshake
    other.host = "a.example.com"
    let expected = validator.say(other)
    let attempts = EvaluationMemory.maximumCount + 200
    for number in 1...attempts {
      var handshake = scene.handshake
      // Another signature each time; no path needs this certificate.
      let end = handshake.certificates[2].count - 1
      handshake.certificates[2][end] = UInt8(number & 0xFF)
      handshake.certificates[2][end - 1] = UInt8(number >> 8)
      #expect(validator.say(handshake).chain?.count == 3)
      if number % 100 == 0 { #expect(validator.say(other) == expected) }
    }
    #expect(validator.evaluations == attempts + 1)
    #expect(validator.memory.counts.answers == EvaluationMemory.maximumCount)
    // The first ones are evicted, the latest aren't.
    #expect(validator.say(scene.handshake).chain?.count == 3)
    #expect(validator.evaluations == attempts + 2)
    #expect(validator.say(other) == expected)
    #expect(validator.evaluations == attempts + 2)
  }

  @Test func `the bytes of all paths together are bounded`() throws {
    let scene = try MemoryScene()
    let validator = try scene.validator()
    // 50 KB each.
    let names = ["example.com"] + (0..<2_000).map { "name-number-\($0).example.com" }
    var each = 0
    for number in 0..<100 {
      var handshake = scene.handshake
      handshake.certificates[0] = try scene.otherLeaf {
        $0.names = names
        $0.serial = 1_000 + number
      }
      let chain = validator.say(handshake).chain ?? []
      each = chain.reduce(0) { $0 + $1.count }
      #expect(chain.count == 3 && each <= EvaluationMemory.maximumBytesOfPath)
    }
    let (evaluations, answers, bytes) = validator.memory.counts
    #expect(evaluations == 100)
    #expect(answers == EvaluationMemory.maximumBytes / each)
    #expect(bytes <= EvaluationMemory.maximumBytes && bytes == answers * each)
  }

  @Test func `a path that is too long isn't remembered`() throws {
    let scene = try MemoryScene()
    let validator = try scene.validator()
    var handshake = scene.handshake
    handshake.certificates[0] = try scene.otherLeaf {
      $0.names = ["example.com"] + (0..<5_000).map { "name-number-\($0).example.com" }
    }
    for count in 1...2 {
      #expect(validator.say(handshake).chain?.count == 3)
      #expect(validator.evaluations == count)
    }
    #expect(validator.memory.counts.bytes == 0)
  }
}
