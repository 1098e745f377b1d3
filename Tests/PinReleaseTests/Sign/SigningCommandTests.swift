import PinPolicy
import PinRelease
import Testing

/// What a command that signs comes to, whatever it does.
struct SigningCommandTests {
  private static func command(_ text: String, limit: Duration = .seconds(30)) -> SigningCommand {
    SigningCommand(text, limit: limit) { name, _ in preconditionFailure("\(name) was interrupted") }
  }

  @Test(arguments: [
    ("cat", "message"), ("cat >/dev/null; printf x", "x"), ("printf x", "x"), ("true", ""),
    ("cat >/dev/null; printf $PINTLE_SIGN_SHA256", "ab530a13e45914982b79f9b7e3fba994cfd1f3fb22f71cea1afbf02b460c6d1d"),
    ("printf a; sleep 0.1; printf b", "ab"),
  ])
  func answers(_ text: String, _ expected: String) throws {
    let answer = try Self.command(text).answer(to: Array("message".utf8))
    #expect(String(decoding: answer, as: UTF8.self) == expected)
  }

  @Test(arguments: [
    ("exit 3", "'exec:exit …' failed with status 3"),
    ("KEY=x nothing-of-this-name 2>/dev/null", "'exec:…' failed with status 127"),
    ("kill -9 $$", "'exec:kill …' was ended by signal 9 (Killed)"),
    ("head -c 9999 /dev/zero", "'exec:head …' wrote more than 4096 bytes"),
  ])
  func failures(_ text: String, _ message: String) throws {
    let failure = #expect(throws: SignerFailure.self) { try Self.command(text).answer(to: [1]) }
    #expect(failure?.message == message)
  }

  @Test func lateOnesAreEnded() throws {
    let start = ContinuousClock.now
    let failure = #expect(throws: SignerFailure.self) {
      try Self.command("sleep 600", limit: .seconds(1)).answer(to: [1])
    }
    #expect(failure?.message == "'exec:sleep …' took more than 1 second and was ended")
    #expect(ContinuousClock.now - start < .seconds(300))
  }
}
