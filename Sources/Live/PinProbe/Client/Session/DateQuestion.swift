/// Asks an HTTP server, with a HEAD request, what its clock shows, and finds the `Date` field in the answer.
struct DateQuestion {
  /// Most bytes of an answer that are read.
  static let maximumBytes = 16 * 1_024

  /// The request (RFC 9112 section 3).
  let request: [UInt8]
  private(set) var isSent = false
  private var answer: [UInt8] = []
  private var isLineEmpty = false
  /// True behind the empty line that ends the fields.
  private var hasEnded = false

  /// Nil where the host can't be in a request.
  init?(host: String, port: UInt16) {
    guard host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
    let name = Endpoint(host: host, port: port).description
    request = Array("HEAD / HTTP/1.1\r\nHost: \(name)\r\nUser-Agent: pintle\r\nConnection: close\r\n\r\n".utf8)
  }

  mutating func noteSent() { isSent = true }

  /// Takes some of the answer; true once there is nothing left to wait for.
  mutating func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    answer.append(contentsOf: bytes)
    for byte in bytes where byte != UInt8(ascii: "\r") {
      if byte == UInt8(ascii: "\n"), isLineEmpty { hasEnded = true }
      isLineEmpty = byte == UInt8(ascii: "\n")
    }
    return answer.count >= Self.maximumBytes || !answer.starts(with: "HTTP/1.".utf8.prefix(answer.count)) || hasEnded
  }

  /// The field's value as it was sent, if it came and is text that can be a date.
  var date: String? {
    guard answer.starts(with: "HTTP/1.".utf8) else { return nil }
    for line in answer.split(separator: UInt8(ascii: "\n"), maxSplits: 256).dropFirst() {
      let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      if line.isEmpty { return nil }
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
        line[..<colon].elementsEqual("date".utf8, by: Self.isLetter)
      else { continue }
      let value = line[(colon + 1)...].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      guard value.count <= 64, value.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
      return String(decoding: value, as: UTF8.self)
    }
    return nil
  }

  private static func isLetter(_ byte: UInt8, is letter: UInt8) -> Bool { byte | 0x20 == letter }
}
