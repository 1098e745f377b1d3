/// What matters of an ExtendedResponse of LDAP (RFC 4511 section 4.12).
struct LDAPExtendedResponse {
  var messageID: Int
  var resultCode: Int
  var diagnostic: [UInt8]
  var referral: [UInt8]?

  /// Reads a whole LDAPMessage; nil where it is anything else.
  init?(_ message: [UInt8]) {
    var outer = BERReader(message[...])
    guard var body = outer.take(0x30).map(BERReader.init), outer.isAtEnd else { return nil }
    guard let messageID = body.takeInteger(0x02), var response = body.take(0x78).map(BERReader.init) else { return nil }
    guard let resultCode = response.takeInteger(0x0A), response.take(0x04) != nil,
      let diagnostic = response.take(0x04)
    else { return nil }
    self.messageID = messageID
    self.resultCode = resultCode
    self.diagnostic = Array(diagnostic)
    if var referrals = response.take(0xA3).map(BERReader.init) { referral = referrals.take(0x04).map(Array.init) }
  }

  /// The result code by name, and what the server says to it.
  var summary: String {
    var text = "result \(resultCode)"
    if let name = Self.names[resultCode] { text += " (\(name))" }
    if !diagnostic.isEmpty { text += ": \(ServerWords.quoted(diagnostic))" }
    if let referral { text += "; it refers to \(ServerWords.quoted(referral))" }
    return text
  }

  /// Result codes (RFC 4511 appendix A.1) that StartTLS meets.
  private static let names: [Int: String] = [
    1: "operationsError", 2: "protocolError", 8: "strongerAuthRequired", 10: "referral", 11: "adminLimitExceeded",
    13: "confidentialityRequired", 50: "insufficientAccessRights", 51: "busy", 52: "unavailable",
    53: "unwillingToPerform", 80: "other",
  ]
}

/// Reads BER elements with one-byte tags and definite lengths (ITU-T X.690 section 8.1), never beyond the end.
struct BERReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    rest = bytes
  }

  var isAtEnd: Bool { rest.isEmpty }

  /// Takes an element with this tag and answers its content; nil, and nothing is taken, where it isn't next.
  mutating func take(_ tag: UInt8) -> ArraySlice<UInt8>? {
    var reader = rest
    guard reader.popFirst() == tag, let first = reader.popFirst() else { return nil }
    var length = Int(first)
    if first >= 0x80 {
      let octets = Int(first & 0x7F)
      guard (1...4).contains(octets), reader.count >= octets else { return nil }
      length = reader.prefix(octets).reduce(0) { $0 << 8 | Int($1) }
      reader = reader.dropFirst(octets)
    }
    guard length <= reader.count else { return nil }
    rest = reader.dropFirst(length)
    return reader.prefix(length)
  }

  /// Takes an INTEGER or ENUMERATED that is not negative and fits four octets.
  mutating func takeInteger(_ tag: UInt8) -> Int? {
    guard let content = take(tag), (1...4).contains(content.count), let first = content.first, first < 0x80 else {
      return nil
    }
    return content.reduce(0) { $0 << 8 | Int($1) }
  }
}
