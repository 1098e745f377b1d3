import PinFormat

/// STARTTLS of SMTP (RFC 3207), over the commands and replies of RFC 5321 section 4.
struct SMTPDialogue: DialoguePart {
  private enum State: Sendable {
    case greeting
    case hello
    case startTLS
  }

  private var state = State.greeting
  /// The lines of the reply that is coming in, without their codes.
  private var texts: [[UInt8]] = []

  var awaited: String {
    switch state {
    case .greeting: "the SMTP server's greeting"
    case .hello: "the SMTP server's answer to EHLO"
    case .startTLS: "the SMTP server's answer to STARTTLS"
    }
  }

  func opening() -> [UInt8]? { nil }

  mutating func advance(_ inbox: inout Inbox) throws(TLSClientError) -> DialoguePartStep {
    guard let code = try takeReply(&inbox) else { return .needMore }
    defer { texts = [] }
    switch state {
    case .greeting:
      guard code == 220 else { throw inbox.refused("the SMTP server rejects this client: \(words(code))") }
      try inbox.requireNothingBehind()
      state = .hello
      // An address literal (RFC 5321 section 4.1.1.1), because no host name would be right everywhere.
      return .send(Array("EHLO [127.0.0.1]\r\n".utf8))
    case .hello:
      guard code == 250 else { throw inbox.refused("the SMTP server refused EHLO: \(words(code))") }
      guard texts.dropFirst().contains(where: Self.isStartTLS) else {
        throw inbox.refused("the SMTP server doesn't offer STARTTLS; it offers \(offers)")
      }
      try inbox.requireNothingBehind()
      state = .startTLS
      return .send(Array("STARTTLS\r\n".utf8))
    case .startTLS:
      guard code == 220 else { throw inbox.refused("the SMTP server refused STARTTLS: \(words(code))") }
      return .done
    }
  }

  /// Takes the lines of a reply; answers its code once the last is there.
  private mutating func takeReply(_ inbox: inout Inbox) throws(TLSClientError) -> Int? {
    while let line = try inbox.takeLine(of: "SMTP") {
      guard let code = Self.code(of: line) else { throw inbox.isNot("SMTP", line) }
      texts.append(Array(line.dropFirst(4)))
      if line.count == 3 || line[3] == UInt8(ascii: " ") { return code }
    }
    return nil
  }

  /// The code of a line of a reply: three digits, then the end, a space, or a hyphen where more lines follow.
  private static func code(of line: [UInt8]) -> Int? {
    guard line.count >= 3, line.count == 3 || line[3] == UInt8(ascii: " ") || line[3] == UInt8(ascii: "-") else {
      return nil
    }
    var code = 0
    for digit in line.prefix(3) {
      guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
      code = code * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return (200...599).contains(code) ? code : nil
  }

  /// True for the keyword, whatever its case and whatever is behind it.
  private static func isStartTLS(_ text: [UInt8]) -> Bool {
    String(decoding: text.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self).uppercased() == "STARTTLS"
  }

  private func words(_ code: Int) -> String {
    ServerWords.quoted(Array("\(code) ".utf8) + texts.joined(separator: Array(" ".utf8)))
  }

  private var offers: String {
    texts.count < 2 ? "nothing" : ServerWords.quoted(Array(texts.dropFirst().joined(separator: Array(", ".utf8))))
  }
}

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

/// STLS of POP3 (RFC 2595 section 4).
struct POP3Dialogue: DialoguePart {
  private var isGreeted = false

  var awaited: String { isGreeted ? "the POP3 server's answer to STLS" : "the POP3 server's greeting" }

  func opening() -> [UInt8]? { nil }

  mutating func advance(_ inbox: inout Inbox) throws(TLSClientError) -> DialoguePartStep {
    guard let line = try inbox.takeLine(of: "POP3") else { return .needMore }
    switch String(decoding: line.prefix(while: { $0 != UInt8(ascii: " ") }), as: UTF8.self) {
    case "+OK": break
    case "-ERR":
      let refused = isGreeted ? "refused STLS" : "rejects the connection"
      throw inbox.refused("the POP3 server \(refused): \(ServerWords.quoted(line))")
    default: throw inbox.isNot("POP3", line)
    }
    guard !isGreeted else { return .done }
    try inbox.requireNothingBehind()
    isGreeted = true
    return .send(Array("STLS\r\n".utf8))
  }
}
