import PinFormat

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
