import PinFormat

/// The StartTLS operation of LDAP (RFC 4511 section 4.14), an extended operation in BER.
struct LDAPDialogue: DialoguePart {
  var awaited: String { "the LDAP server's answer to StartTLS" }

  /// An LDAPMessage with messageID 1: an ExtendedRequest, application 23, whose requestName is StartTLS's.
  func opening() -> [UInt8]? {
    let name = Array("1.3.6.1.4.1.1466.20037".utf8)
    let request = [0x80, UInt8(name.count)] + name
    let message = [0x02, 1, 1, 0x77, UInt8(request.count)] + request
    return [0x30, UInt8(message.count)] + message
  }

  mutating func advance(_ inbox: inout Inbox) throws(TLSClientError) -> DialoguePartStep {
    guard inbox.count > 0 else { return .needMore }
    guard inbox[0] == 0x30 else { throw inbox.isNot("LDAP", inbox.unread) }
    guard let length = try Self.lengthOfMessage(inbox) else { return .needMore }
    guard let message = inbox.take(length) else { return .needMore }
    guard let answer = LDAPExtendedResponse(message) else { throw inbox.isNot("LDAP", message) }
    guard answer.messageID == 1 else {
      // An unsolicited notification (section 4.4), such as the notice of disconnection.
      throw inbox.refused("the LDAP server ended the connection with \(answer.summary)")
    }
    guard answer.resultCode == 0 else { throw inbox.refused("the LDAP server refused StartTLS with \(answer.summary)") }
    return .done
  }

  /// The bytes of the message that begins the inbox, tag and length included; nil where the length isn't there yet.
  private static func lengthOfMessage(_ inbox: Inbox) throws(TLSClientError) -> Int? {
    guard inbox.count >= 2 else { return nil }
    guard inbox[1] >= 0x80 else { return 2 + Int(inbox[1]) }
    let octets = Int(inbox[1] & 0x7F)
    // BER allows longer lengths than needed, but such a message would exceed the limit anyway.
    guard (1...4).contains(octets) else { throw inbox.isNot("LDAP", inbox.unread) }
    guard inbox.count >= 2 + octets else { return nil }
    let length = (2..<2 + octets).reduce(0) { $0 << 8 | Int(inbox[$1]) }
    guard length <= Inbox.maximumBytes else { throw inbox.isNot("LDAP", inbox.unread) }
    return 2 + octets + length
  }
}
