import PinFormat
import PinProbe
import Testing

/// The dialogues before TLS begins, with servers that follow their protocol.
struct DialogueTests {
  struct Agreement: Sendable, CustomTestStringConvertible {
    var script: DialogueScript
    var sent: [String]
    var testDescription: String { script.startTLS?.rawValue ?? "proxy" }

    init(_ script: DialogueScript, sends sent: String...) {
      self.script = script
      self.sent = sent
    }
  }

  private static let ldapYes: [UInt8] = [0x30, 12, 2, 1, 1, 0x78, 7, 0x0A, 1, 0, 4, 0, 4, 0]
  private static let ldapLongYes: [UInt8] =
    [0x30, 0x84, 0, 0, 0, 42, 2, 1, 1, 0x78, 0x84, 0, 0, 0, 33, 0x0A, 1, 0, 4, 0, 4, 0, 0x8A, 24]
    + Array("1.3.6.1.4.1.1466.20037".utf8) + [0x2E, 0x31]

  @Test(arguments: [
    Agreement(
      DialogueScript(.smtp, "220 mx ESMTP\r\n", "250-mx\r\n250-SIZE 1\r\n250 STARTTLS\r\n", "220 go\r\n"),
      sends: "EHLO [127.0.0.1]\r\n", "STARTTLS\r\n"),
    Agreement(
      DialogueScript(
        .smtp, "220-mx\r\n220-wait\r\n220\r\n", "250-mx\n250-starttls x\n250 8BITMIME\n", "220-a\n220 b\n"),
      sends: "EHLO [127.0.0.1]\r\n", "STARTTLS\r\n"),
    Agreement(
      DialogueScript(.imap, "* OK [CAPABILITY IMAP4rev1 LOGINDISABLED] hi\r\n", "* CAPABILITY X\r\na1 OK now\r\n"),
      sends: "a1 STARTTLS\r\n"),
    Agreement(DialogueScript(.imap, "* ok hi\r\n", "A1 ok begin\r\n"), sends: "a1 STARTTLS\r\n"),
    Agreement(DialogueScript(.pop3, "+OK hi <1@mx>\r\n", "+OK\r\n"), sends: "STLS\r\n"),
    Agreement(
      DialogueScript(.ldap, [ldapYes]), sends: "0\u{1D}\u{2}\u{1}\u{1}w\u{18}\u{FFFD}\u{16}1.3.6.1.4.1.1466.20037"),
    Agreement(
      DialogueScript(.ldap, [ldapLongYes]), sends: "0\u{1D}\u{2}\u{1}\u{1}w\u{18}\u{FFFD}\u{16}1.3.6.1.4.1.1466.20037"),
    Agreement(DialogueScript(.postgres, "S"), sends: "\0\0\0\u{8}\u{4}\u{FFFD}\u{16}/"),
  ])
  func agreementIsFoundHoweverTheBytesArrive(agreement: Agreement) {
    for outcome in [agreement.script.held()] + agreement.script.heldInPieces {
      #expect(outcome.end == .done)
      #expect(outcome.sentText == agreement.sent)
    }
  }

  @Test func withoutProxyAndProtocolThereIsNoDialogue() throws {
    let request = HandshakeRequest(
      target: Endpoint(host: "example.com", port: 443), address: IPAddress("127.0.0.1"), port: 443,
      serverName: "example.com", timeout: .seconds(1))
    #expect(Dialogue(for: request, through: nil) == nil)
  }

  struct Refusal: Sendable, CustomTestStringConvertible {
    var script: DialogueScript
    var message: String
    var testDescription: String { message }

    init(_ script: DialogueScript, _ message: String) {
      self.script = script
      self.message = message
    }
  }

  @Test(arguments: [
    Refusal(
      DialogueScript(.smtp, "554-no\r\n554 service\r\n"),
      "the SMTP server rejects this client: '554 no service'"),
    Refusal(DialogueScript(.smtp, "220 mx\r\n", "502 what?\r\n"), "the SMTP server refused EHLO: '502 what?'"),
    Refusal(
      DialogueScript(.smtp, "220 mx\r\n", "250-STARTTLS\r\n250-SIZE 9\r\n250 HELP\r\n"),
      "the SMTP server doesn't offer STARTTLS; it offers 'SIZE 9, HELP'"),
    Refusal(
      DialogueScript(.smtp, "220 mx\r\n", "250 mx\r\n"), "the SMTP server doesn't offer STARTTLS; it offers nothing"),
    Refusal(
      DialogueScript(.smtp, "220 mx\r\n", "250-mx\r\n250 STARTTLS\r\n", "454 4.7.0 TLS not available\r\n"),
      "the SMTP server refused STARTTLS: '454 4.7.0 TLS not available'"),
    Refusal(DialogueScript(.imap, "* BYE full\r\n"), "the IMAP server said goodbye: '* BYE full'"),
    Refusal(
      DialogueScript(.imap, "* PREAUTH hello you\r\n"),
      "the IMAP server is authenticated already (PREAUTH), which is too late for STARTTLS"),
    Refusal(
      DialogueScript(.imap, "* OK hi\r\n", "* X\ta\r\na1 BAD Unknown command.\r\n"),
      "the IMAP server refused STARTTLS: 'a1 BAD Unknown command.'"),
    Refusal(
      DialogueScript(.imap, "* OK hi\r\n", "a1 NO\r\n"), "the IMAP server refused STARTTLS: 'a1 NO'"),
    Refusal(DialogueScript(.pop3, "-ERR busy\r\n"), "the POP3 server rejects the connection: '-ERR busy'"),
    Refusal(
      DialogueScript(.pop3, "+OK\r\n", "-ERR no TLS\r\n"), "the POP3 server refused STLS: '-ERR no TLS'"),
    Refusal(DialogueScript(.postgres, "N"), "the PostgreSQL server has TLS switched off: it answered 'N'"),
    Refusal(
      DialogueScript(.postgres, "E\0\0\0\u{15}SFATAL\0Mtoo many\0\0"),
      "the PostgreSQL server answered SSLRequest with an error: 'too many'"),
    Refusal(
      DialogueScript(.postgres, "E\0\0\0\u{5}\0"), "the PostgreSQL server answered SSLRequest with an error"),
    Refusal(
      DialogueScript(.ldap, [[0x30, 16, 2, 1, 1, 0x78, 11, 0x0A, 1, 2, 4, 0, 4, 4] + Array("none".utf8)]),
      "the LDAP server refused StartTLS with result 2 (protocolError): 'none'"),
    Refusal(
      DialogueScript(
        .ldap, [[0x30, 22, 2, 1, 1, 0x78, 17, 0x0A, 1, 10, 4, 0, 4, 0, 0xA3, 8, 4, 6] + Array("ldap:x".utf8)]),
      "the LDAP server refused StartTLS with result 10 (referral); it refers to 'ldap:x'"),
    Refusal(
      DialogueScript(.ldap, [[0x30, 12, 2, 1, 0, 0x78, 7, 0x0A, 1, 52, 4, 0, 4, 0]]),
      "the LDAP server ended the connection with result 52 (unavailable)"),
  ])
  func aRefusalIsToldInTheServersWords(refusal: Refusal) {
    for outcome in [refusal.script.held()] + refusal.script.heldInPieces {
      #expect(outcome.failure == TLSClientError(.startTLSRefused, refusal.message))
    }
  }

  @Test(arguments: [
    (StartTLS.smtp, "the SMTP server's greeting"), (.imap, "the IMAP server's greeting"),
    (.pop3, "the POP3 server's greeting"), (.ldap, "the LDAP server's answer to StartTLS"),
    (.postgres, "the PostgreSQL server's answer to SSLRequest"),
  ])
  func silenceIsToldByWhatWasWaitedFor(startTLS: StartTLS, awaited: String) throws {
    let server = Endpoint(host: "example.com", port: 1)
    var dialogue = try #require(Dialogue(destination: server, through: nil, startTLS: startTLS))
    _ = dialogue.begin()
    #expect(dialogue.closed == TLSClientError(.closed, "the connection was closed before \(awaited) came"))
    #expect(dialogue.timedOut == TLSClientError(.timedOut, "\(awaited) did not come in time"))
  }
}
