import Testing

@testable import PinLanguageServer

@Suite struct FrameReaderTests {
  @Test(arguments: [1, 2, 7, 4_096])
  func messagesAreFoundWhateverTheSizeOfThePieces(size: Int) throws {
    let stream =
      Frame.of(Array("{\"a\":1}".utf8)) + Array("content-length:2\r\nX-Y: z\r\n\r\n{}".utf8)
      + Array("Content-Length: 3\nContent-Type: application/vscode-jsonrpc; charset=utf-8\n\n[1]".utf8)
    var reader = FrameReader()
    var found: [String] = []
    for start in stride(from: 0, to: stream.count, by: size) {
      reader.append(stream[start..<min(start + size, stream.count)])
      while let content = try reader.next() { found.append(String(decoding: content, as: UTF8.self)) }
    }
    #expect(found == ["{\"a\":1}", "{}", "[1]"])
    #expect(!reader.isInside)
  }

  static let broken: [(String, String)] = [
    ("Content-Length: x\r\n\r\n", "'Content-Length' is not a number, or is given twice"),
    ("Content-Length: -1\r\n\r\n", "'Content-Length' is not a number, or is given twice"),
    ("Content-Length: 1\r\nContent-Length: 2\r\n\r\n", "'Content-Length' is not a number, or is given twice"),
    ("Content-Length: 99999999999999999999\r\n\r\n", "'Content-Length' is not a number, or is given twice"),
    ("Content-Length: 99999999\r\n\r\n", "a message has 99999999 bytes, more than 64 MiB"),
    ("X: 1\r\n\r\n", "a header has no 'Content-Length'"),
    ("{\"jsonrpc\":\"2.0\"}\r\n\r\n", "a header has no 'Content-Length'"),
    ("no header\r\n\r\n", "a line of a header has no ':'"),
    (String(repeating: "a", count: 5_000), "a header doesn't end"),
  ]

  @Test(arguments: broken)
  func whatIsNoHeaderEndsTheStream(text: String, reason: String) {
    var reader = FrameReader()
    reader.append(Array(text.utf8)[...])
    #expect(throws: FrameReader.Failure(reason: reason)) { try reader.next() }
  }
}
