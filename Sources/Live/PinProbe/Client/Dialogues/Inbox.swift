import PinFormat

/// What the other side of a dialogue has sent and nobody has read yet, capped.
struct Inbox: Sendable {
  /// Most bytes that are taken in a whole dialogue.
  static let maximumBytes: Int = 16 * 1_024
  /// Most lines that are taken in a whole dialogue.
  static let maximumLines = 64

  /// What it is called when the other side breaks the protocol.
  var refusal = ConnectionFailure.startTLSRefused
  private var bytes: [UInt8] = []
  private var start = 0
  /// Up to here there is no end of a line: a server that sends byte by byte must not cost a scan each time.
  private var scanned = 0
  private var lines = 0

  var count: Int { bytes.count - start }

  /// The byte at an offset that is below ``count``.
  subscript(offset: Int) -> UInt8 { bytes[start + offset] }

  /// The failure that the other side is to blame for.
  func refused(_ message: String) -> TLSClientError { TLSClientError(refusal, message) }

  mutating func append(_ more: [UInt8]) throws(TLSClientError) {
    guard bytes.count + more.count <= Self.maximumBytes else {
      throw refused("more than \(Self.maximumBytes) bytes came before TLS could begin")
    }
    bytes += more
  }

  /// Takes the next whole line without its end (CRLF, or LF alone); nil where it is not all there yet.
  ///
  /// Bytes that no line of text has are a failure at once: there may never be an end of the line to wait for.
  mutating func takeLine(of protocolName: String) throws(TLSClientError) -> [UInt8]? {
    let fresh = bytes[max(start, scanned)...]
    let end = fresh.firstIndex(of: UInt8(ascii: "\n"))
    scanned = end ?? bytes.count
    guard fresh[..<scanned].allSatisfy(ServerWords.isText) else { throw isNot(protocolName, unread) }
    guard let end else { return nil }
    lines += 1
    guard lines <= Self.maximumLines else {
      throw refused("more than \(Self.maximumLines) lines came before TLS could begin")
    }
    var line = bytes[start..<end]
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    start = end + 1
    return Array(line)
  }

  /// Takes so many bytes; nil where they are not all there yet.
  mutating func take(_ count: Int) -> [UInt8]? {
    guard count <= self.count else { return nil }
    defer { start += count }
    return Array(bytes[start..<start + count])
  }

  /// The bytes that are there, for saying what they are.
  var unread: [UInt8] { Array(bytes[start...]) }

  /// The failure for something that isn't what the protocol has at this place.
  func isNot(_ protocolName: String, _ sent: [UInt8]) -> TLSClientError {
    if sent.count >= 2, sent[0] == 0x15 || sent[0] == 0x16, sent[1] == 3 {
      return refused("it speaks TLS from the first byte on, not \(protocolName)")
    }
    return refused("it doesn't speak \(protocolName); it sent \(ServerWords.quoted(sent))")
  }

  /// Fails where the other side says something before it can know that it is its turn.
  ///
  /// What is behind an answer in clear text can be put there by anybody on the way, and a client that keeps it takes
  /// it for something that came under TLS (CVE-2011-0411 and its like).
  func requireNothingBehind() throws(TLSClientError) {
    guard count > 0 else { return }
    throw refused(
      "\(ServerWords.quoted(unread)) came in clear text after the answer, which anybody on the way can have inserted "
        + "(STARTTLS injection), so the connection isn't used")
  }
}
