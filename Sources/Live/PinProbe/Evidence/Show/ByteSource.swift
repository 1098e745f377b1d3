import Diagnostics
import Glibc
import PinPolicy
import PinValidator

/// Why a file isn't JSON in pieces.
struct PieceError: Error {
  var text: String
}

/// A file that is read from any place, and value by value of JSON.
final class ByteSource {
  private let descriptor: Int32
  private var buffer = [UInt8](repeating: 0, count: 1 << 18)
  /// Where in the file the buffer begins, how much of it is filled, and what is next in it.
  private var start = 0
  private var filled = 0
  private var place = 0

  /// Opens a regular file; anything else can't be read twice.
  init(_ path: String) throws(WorkFailure) {
    guard InputFile.isRegular(path) else {
      // What is missing gets the error that every input file has.
      _ = try InputFile.read(path, limit: 0)
      throw WorkFailure(.failed, "'\(path)' is not a regular file", help: "Name a file on disk.")
    }
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    let number = errno
    guard descriptor >= 0 else {
      throw WorkFailure(
        .failed, "can't read '\(path)': \(String(cString: strerror(number)))",
        help: number == EMFILE ? "Merge some of the records first, and then what comes out." : nil)
    }
  }

  /// How long a regular file is; 0 for anything else.
  static func size(of path: String) -> Int {
    FileIdentity(of: path).map { $0.isRegular ? Int($0.size) : 0 } ?? 0
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The place of the next byte.
  var offset: Int { start + place }

  func seek(to offset: Int) { (start, filled, place) = (offset, 0, 0) }

  /// Bytes anywhere in the file; the next byte stays the same.
  func bytes(at offset: Int, count: Int) throws(PieceError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let step = bytes.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress.map { $0 + done }, count - done, off_t(offset + done))
      }
      if step < 0, errno == EINTR { continue }
      guard step > 0 else { throw PieceError(text: "the file ends too early, or can't be read") }
      done += step
    }
    return bytes
  }

  func require(_ character: Unicode.Scalar) throws(PieceError) {
    guard try next() == UInt8(ascii: character) else { throw unexpected }
  }

  func requireEnd() throws(PieceError) {
    guard try peek() == nil else { throw PieceError(text: "something is behind its end, at byte \(offset)") }
  }

  /// Takes `,` and answers false, or takes what closes a list and answers true.
  func isLast(closing: UInt8) throws(PieceError) -> Bool {
    let byte = try next()
    guard byte == closing || byte == UInt8(ascii: ",") else { throw unexpected }
    return byte == closing
  }

  /// The bytes of the next value.
  func value(atMost most: Int) throws(PieceError) -> [UInt8] {
    var bytes: [UInt8] = []
    try scan(atMost: most) { bytes.append($0) }
    return bytes
  }

  func skipValue(atMost most: Int) throws(PieceError) { try scan(atMost: most) { _ in } }

  /// Goes through a value: a text, something in brackets, or what is before the next comma or bracket.
  private func scan(atMost most: Int, _ take: (UInt8) -> Void) throws(PieceError) {
    let begin = offset
    var depth = 0
    var isInText = false
    while let byte = try peek() {
      guard offset - begin < most else {
        throw PieceError(text: "a value at byte \(begin) has more than \(most) bytes")
      }
      switch byte {
      case UInt8(ascii: "\\") where isInText:
        take(byte)
        place += 1
        guard let escaped = try peek() else { throw unexpected }
        take(escaped)
        place += 1
        continue
      case UInt8(ascii: "\""): isInText.toggle()
      case _ where isInText: break
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard depth > 0 else { return try requireValue(since: begin) }
        depth -= 1
      case UInt8(ascii: ","), UInt8(ascii: ":"):
        if depth == 0 { return try requireValue(since: begin) }
      default: break
      }
      take(byte)
      place += 1
      if depth == 0, !isInText, [UInt8(ascii: "\""), UInt8(ascii: "}"), UInt8(ascii: "]")].contains(byte) { return }
    }
    throw unexpected
  }

  private func requireValue(since begin: Int) throws(PieceError) {
    guard offset > begin else { throw unexpected }
  }

  private var unexpected: PieceError { PieceError(text: "it is not canonical JSON at byte \(offset)") }

  private func next() throws(PieceError) -> UInt8 {
    guard let byte = try peek() else { throw unexpected }
    place += 1
    return byte
  }

  private func peek() throws(PieceError) -> UInt8? {
    if place < filled { return buffer[place] }
    start += filled
    (filled, place) = (0, 0)
    while true {
      let count = buffer.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(start)) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw PieceError(text: "it can't be read: \(String(cString: strerror(errno)))") }
      filled = count
      return count == 0 ? nil : buffer[0]
    }
  }
}
