import PinFormat
import PinProbe
import TestSupport
import Testing

/// Servers that are not of the protocol, or that say more than they should.
struct HostileDialogueTests {
  private static let ldapYes: [UInt8] = [0x30, 12, 2, 1, 1, 0x78, 7, 0x0A, 1, 0, 4, 0, 4, 0]

  /// What follows the last answer in the same packet may come from an attacker.
  @Test(arguments: [
    DialogueScript(.smtp, "220 mx\r\n", "250-mx\r\n250 STARTTLS\r\n", "220 go\r\n250 injected\r\n"),
    DialogueScript(.smtp, "220 mx\r\n", "250-mx\r\n250 STARTTLS\r\n220 go\r\n"),
    DialogueScript(.smtp, "220 mx\r\n250-mx\r\n250 STARTTLS\r\n220 go\r\n"),
    DialogueScript(.imap, "* OK hi\r\n", "a1 OK\r\n* CAPABILITY INJECTED\r\n"),
    DialogueScript(.imap, "* OK hi\r\na1 OK\r\n"),
    DialogueScript(.imap, "* OK hi\r\n", "a1 OK\r\nx"),
    DialogueScript(.pop3, "+OK\r\n", "+OK\r\n+OK injected\r\n"),
    DialogueScript(.pop3, "+OK\r\n+OK\r\n"),
    DialogueScript(.ldap, [ldapYes + [0]]),
    DialogueScript(.ldap, [ldapYes + ldapYes]),
    DialogueScript(.postgres, "SS"),
    DialogueScript(.postgres, "S\0"),
  ])
  func whatStandsBehindAnAnswerEndsIt(script: DialogueScript) throws {
    let failure = try #require(script.held().failure)
    #expect(failure.code == .startTLSRefused)
    #expect(failure.message.contains(" came in clear text after the answer"))
    #expect(failure.message.contains("STARTTLS injection"))
  }

  @Test(arguments: [
    (
      DialogueScript(.smtp, "HTTP/1.1 400 Bad Request\r\n"), "it doesn't speak SMTP; it sent 'HTTP/1.1 400 Bad Request'"
    ),
    (DialogueScript(.smtp, "SSH-2.0-OpenSSH_9.2\r\n"), "it doesn't speak SMTP; it sent 'SSH-2.0-OpenSSH_9.2'"),
    (DialogueScript(.smtp, "22\r\n"), "it doesn't speak SMTP; it sent '22'"),
    (DialogueScript(.smtp, "999 x\r\n"), "it doesn't speak SMTP; it sent '999 x'"),
    (DialogueScript(.smtp, "220+x\r\n"), "it doesn't speak SMTP; it sent '220+x'"),
    (DialogueScript(.imap, "220 mx\r\n"), "it doesn't speak IMAP; it sent '220 mx'"),
    (DialogueScript(.imap, "\r\n"), "it doesn't speak IMAP; it sent ''"),
    (DialogueScript(.imap, "* OK hi\r\n", "a2 OK\r\n"), "it doesn't speak IMAP; it sent 'a2 OK'"),
    (DialogueScript(.imap, "* OK hi\r\n", "+ go on\r\n"), "it doesn't speak IMAP; it sent '+ go on'"),
    (DialogueScript(.pop3, "* OK hi\r\n"), "it doesn't speak POP3; it sent '* OK hi'"),
    (DialogueScript(.pop3, "+OKAY\r\n"), "it doesn't speak POP3; it sent '+OKAY'"),
    (DialogueScript(.postgres, "HTTP/1.1 400"), "it doesn't speak PostgreSQL; it sent 'HTTP/1.1 400'"),
    (DialogueScript(.ldap, "HTTP/1.1 400"), "it doesn't speak LDAP; it sent 'HTTP/1.1 400'"),
    (DialogueScript(.smtp, [[0x15, 3, 3, 0, 2, 2, 40]]), "it speaks TLS from the first byte on, not SMTP"),
    (DialogueScript(.ldap, [[0x15, 3, 1, 0, 2, 2, 40]]), "it speaks TLS from the first byte on, not LDAP"),
    (DialogueScript(.postgres, [[0x16, 3, 1]]), "it speaks TLS from the first byte on, not PostgreSQL"),
    (
      DialogueScript(.smtp, [[0x4A, 0, 0, 0, 10]]), "it doesn't speak SMTP; it sent 'J<U+0000><U+0000><U+0000><U+000A>'"
    ),
  ])
  func anotherProtocolIsToldByWhatItSent(script: DialogueScript, message: String) {
    #expect(script.held().failure == TLSClientError(.startTLSRefused, message))
    // Cut at any place, it is still rejected, but less can be shown.
    for outcome in script.heldInPieces { #expect(outcome.failure?.code == .startTLSRefused) }
  }

  @Test func whatIsShownCanDoNoHarm() throws {
    let words = "550 \u{1B}[2J\u{202E}\u{7}\u{300}é漢 " + String(repeating: "x", count: 500)
    // An answer with control characters is rejected as a whole; the others are shown.
    #expect(
      try #require(DialogueScript(.smtp, words + "\r\n").held().failure).message
        .hasPrefix("it doesn't speak SMTP; it sent '550 <U+001B>[2J<U+202E><U+0007><U+0300>é漢 xxx"))
    let long = try #require(
      DialogueScript(.smtp, "550 \u{202E}é" + String(repeating: "x", count: 500) + "\r\n").held().failure)
    #expect(long.message.hasPrefix("the SMTP server rejects this client: '550 <U+202E>éxxx"))
    #expect(long.message.hasSuffix("xxx…'"))
    #expect(long.message.count < 260)
  }

  @Test(arguments: [StartTLS.smtp, .imap, .pop3])
  func endlessTextEnds(startTLS: StartTLS) throws {
    let line = startTLS == .pop3 ? "+OK " : startTLS == .imap ? "* X" : "220-"
    let endless = line + String(repeating: "x", count: 20_000)
    for size in [1, 1_000, 20_000] {
      let failure = try #require(DialogueScript(startTLS, endless).held(first: size, then: size).failure)
      #expect(failure == TLSClientError(.startTLSRefused, "more than 16384 bytes came before TLS could begin"))
    }
  }

  @Test func endlessLinesEnd() throws {
    for script in [
      DialogueScript(.smtp, String(repeating: "220-\r\n", count: 100)),
      DialogueScript(.imap, "* OK\r\n", String(repeating: "* X\r\n", count: 100)),
    ] {
      #expect(
        script.held(first: 1, then: 1).failure
          == TLSClientError(.startTLSRefused, "more than 64 lines came before TLS could begin"))
    }
  }

  @Test(
    arguments: [
      [0x30, 0x80], [0x30, 0x85, 0, 0, 0, 0, 1], [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 0x83, 0, 0x50, 0],
      [0x30, 0], [0x30, 2, 2, 1], [0x30, 3, 2, 1, 1], [0x30, 5, 2, 1, 1, 0x78, 0], [0x30, 5, 2, 1, 1, 0x78, 9],
      [0x30, 12, 2, 1, 0x81, 0x78, 7, 0x0A, 1, 0, 4, 0, 4, 0], [0x30, 12, 2, 1, 1, 0x61, 7, 0x0A, 1, 0, 4, 0, 4, 0],
      [0x30, 12, 2, 1, 1, 0x78, 7, 0x0A, 1, 0, 4, 0, 4, 9], [0x30, 12, 2, 1, 1, 0x78, 7, 0x0A, 0, 4, 0, 4, 0, 0],
      [0x30, 12, 2, 0x88, 1, 0x78, 7, 0x0A, 1, 0, 4, 0, 4, 0],
    ] as [[UInt8]])
  func brokenBERIsRefused(bytes: [UInt8]) {
    for outcome in [DialogueScript(.ldap, [bytes]).held(), DialogueScript(.ldap, [bytes]).held(first: 1, then: 1)] {
      #expect(outcome.failure?.code == .startTLSRefused || outcome.end == .needMore)
      #expect(outcome.end != .done)
    }
  }

  @Test(arguments: [[0x45, 0, 0, 0, 4, 0], [0x45, 0xFF, 0xFF, 0xFF, 0xFF], [0x45, 0, 0, 0, 0]] as [[UInt8]])
  func brokenPostgresErrorsAreRefused(bytes: [UInt8]) {
    #expect(DialogueScript(.postgres, [bytes]).held().failure?.code == .startTLSRefused)
  }

  /// Random bytes, and answers with random changes, in pieces of random size.
  @Test(arguments: StartTLS.allCases) func nothingThatIsSentDoesHarm(startTLS: StartTLS) {
    var random = SeededGenerator(seed: 3)
    let good: [StartTLS: [[UInt8]]] = [
      .smtp: ["220 mx\r\n", "250-mx\r\n250 STARTTLS\r\n", "220 go\r\n"].map { Array($0.utf8) },
      .imap: ["* OK hi\r\n", "* X\r\na1 OK\r\n"].map { Array($0.utf8) },
      .pop3: ["+OK\r\n", "+OK\r\n"].map { Array($0.utf8) },
      .ldap: [Self.ldapYes], .postgres: [Array("E\0\0\0\u{15}SFATAL\0Mtoo many\0\0".utf8)],
    ]
    for _ in 0..<2_000 {
      var turns = good[startTLS] ?? []
      for _ in 0...random.below(3) {
        let turn = random.below(turns.count)
        let place = random.below(turns[turn].count)
        switch random.below(4) {
        case 0: turns[turn][place] = UInt8(random.below(256))
        case 1: turns[turn].insert(UInt8(random.below(256)), at: place)
        case 2: turns[turn].insert(contentsOf: random.bytes(random.below(40)), at: place)
        default: if turns[turn].count > 1 { turns[turn].remove(at: place) }
        }
      }
      let outcome = DialogueScript(startTLS, turns).held(first: 1 + random.below(9), then: 1 + random.below(9))
      if let failure = outcome.failure {
        #expect(failure.code == .startTLSRefused)
        #expect(failure.message.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
        #expect(failure.message.unicodeScalars.count < 2_000)
      }
    }
  }
}
