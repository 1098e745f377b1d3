import PinFormat

/// STARTTLS of IMAP (RFC 9051 section 6.2.1).
struct IMAPDialogue: DialoguePart {
  private var isGreeted = false

  var awaited: String { isGreeted ? "the IMAP server's answer to STARTTLS" : "the IMAP server's greeting" }

  func opening() -> [UInt8]? { nil }

  mutating func advance(_ inbox: inout Inbox) throws(TLSClientError) -> DialoguePartStep {
    while let line = try inbox.takeLine(of: "IMAP") {
      let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        .map { String(decoding: $0, as: UTF8.self).uppercased() }
      guard words.count >= 2 else { throw inbox.isNot("IMAP", line) }
      switch (isGreeted, words[0], words[1]) {
      case (_, "*", "BYE"): throw inbox.refused("the IMAP server said goodbye: \(ServerWords.quoted(line))")
      case (false, "*", "PREAUTH"):
        throw inbox.refused("the IMAP server is authenticated already (PREAUTH), which is too late for STARTTLS")
      case (false, "*", "OK"):
        isGreeted = true
        // Untagged lines may come at any time (section 2.2.2); the tagged answer can't come before the command.
        if inbox.count > 0, inbox[0] != UInt8(ascii: "*") { try inbox.requireNothingBehind() }
        return .send(Array("a1 STARTTLS\r\n".utf8))
      case (true, "*", _): continue
      case (true, "A1", "OK"): return .done
      case (true, "A1", "NO"), (true, "A1", "BAD"):
        throw inbox.refused("the IMAP server refused STARTTLS: \(ServerWords.quoted(line))")
      default: throw inbox.isNot("IMAP", line)
      }
    }
    return .needMore
  }
}
