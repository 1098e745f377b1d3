/// Reads the messages from a stream of bytes: a header with `Content-Length`, an empty line, the content
/// (Language Server Protocol 3.17, "Base Protocol").
struct FrameReader {
  /// Why the stream can't be read any further: where the next message begins is then unknown.
  struct Failure: Error, Hashable {
    /// One clause.
    let reason: String
  }

  /// More than any client's header has.
  static let headerLimit = 4_096
  /// The largest policy file, with every character escaped, takes less than twice this; nobody edits such a file.
  static let contentLimit = 64 << 20

  private var bytes: [UInt8] = []
  private var start = 0
  /// The length of the content that comes next, once its header is read.
  private var length: Int?

  mutating func append(_ more: ArraySlice<UInt8>) {
    if start > 0, start == bytes.count || start > 1 << 20 {
      bytes.removeFirst(start)
      start = 0
    }
    bytes += more
  }

  /// True where a message has begun and isn't there as a whole.
  var isInside: Bool { length != nil || start < bytes.count }

  /// The content of the next message, or nil where more bytes have to come first.
  mutating func next() throws(Failure) -> [UInt8]? {
    if length == nil { length = try header() }
    guard let length, bytes.count - start >= length else { return nil }
    let content = Array(bytes[start..<start + length])
    start += length
    self.length = nil
    return content
  }

  /// Reads the header's fields up to the empty line; nil where it isn't there as a whole.
  private mutating func header() throws(Failure) -> Int? {
    guard let end = endOfHeader() else {
      guard bytes.count - start <= Self.headerLimit else { throw Failure(reason: "a header doesn't end") }
      return nil
    }
    var length: Int?
    for line in bytes[start..<end].split(separator: UInt8(ascii: "\n")) {
      let text = String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
      guard !text.isEmpty else { continue }
      guard let colon = text.firstIndex(of: ":") else { throw Failure(reason: "a line of a header has no ':'") }
      let value = text[text.index(after: colon)...].drop { $0 == " " }
      switch text[..<colon].lowercased() {
      case "content-length":
        guard length == nil, (1...9).contains(value.utf8.count),
          value.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let number = Int(value)
        else { throw Failure(reason: "'Content-Length' is not a number, or is given twice") }
        length = number
      // UTF-8, under either of its names, is the only content type.
      case "content-type": continue
      default: continue
      }
    }
    guard let length else { throw Failure(reason: "a header has no 'Content-Length'") }
    guard length <= Self.contentLimit else {
      throw Failure(reason: "a message has \(length) bytes, more than \(Self.contentLimit >> 20) MiB")
    }
    start = end
    return length
  }

  /// Behind the empty line that ends the header, which begins at `start`.
  private func endOfHeader() -> Int? {
    var index = start
    let limit = min(bytes.count, start + Self.headerLimit)
    var isLineEmpty = true
    while index < limit {
      switch bytes[index] {
      case UInt8(ascii: "\n"):
        if isLineEmpty, index > start { return index + 1 }
        isLineEmpty = true
      case UInt8(ascii: "\r"): break
      default: isLineEmpty = false
      }
      index += 1
    }
    return nil
  }
}

/// Puts the header in front of a message's content.
enum Frame {
  static func of(_ content: [UInt8]) -> [UInt8] {
    Array("Content-Length: \(content.count)\r\n\r\n".utf8) + content
  }
}
