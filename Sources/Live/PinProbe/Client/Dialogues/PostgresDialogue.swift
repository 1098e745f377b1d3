import PinFormat

/// SSLRequest of PostgreSQL's frontend/backend protocol ("SSL Session Encryption", "Message Formats").
struct PostgresDialogue: DialoguePart {
  var awaited: String { "the PostgreSQL server's answer to SSLRequest" }

  /// A length of eight bytes and the request's code, 1234 and 5679.
  func opening() -> [UInt8]? { [0, 0, 0, 8, 0x04, 0xD2, 0x16, 0x2F] }

  mutating func advance(_ inbox: inout Inbox) throws(TLSClientError) -> DialoguePartStep {
    guard inbox.count > 0 else { return .needMore }
    switch inbox[0] {
    case UInt8(ascii: "S"):
      _ = inbox.take(1)
      return .done
    case UInt8(ascii: "N"): throw inbox.refused("the PostgreSQL server has TLS switched off: it answered 'N'")
    case UInt8(ascii: "E"): return try takeError(&inbox)
    default: throw inbox.isNot("PostgreSQL", inbox.unread)
    }
  }

  /// Takes an ErrorResponse: a length that counts itself, then fields of a letter and a text with a zero behind it.
  private func takeError(_ inbox: inout Inbox) throws(TLSClientError) -> DialoguePartStep {
    guard inbox.count >= 5 else { return .needMore }
    let length = (1...4).reduce(0) { $0 << 8 | Int(inbox[$1]) }
    guard length >= 5, length < Inbox.maximumBytes else { throw inbox.isNot("PostgreSQL", inbox.unread) }
    guard let message = inbox.take(1 + length) else { return .needMore }
    let fields = message.dropFirst(5).split(separator: 0)
    guard let text = fields.first(where: { $0.first == UInt8(ascii: "M") })?.dropFirst() else {
      throw inbox.refused("the PostgreSQL server answered SSLRequest with an error")
    }
    throw inbox.refused("the PostgreSQL server answered SSLRequest with an error: \(ServerWords.quoted(text))")
  }
}
