import OpenSSLKit
import PinFormat

/// Lines of words for files that only this module reads, with a digest at their end: what is damaged is never believed.
///
/// Not JSON, because what a client keeps on disk must be read without a general parser.
struct SealedLines {
  private var text: [UInt8]

  /// Begins a file with its kind and version.
  init(_ kind: String) {
    text = Array((kind + " 1\n").utf8)
  }

  /// Adds a line; no word has a space or a line break in it.
  mutating func line(_ words: String...) {
    for index in words.indices {
      if index > 0 { text.append(UInt8(ascii: " ")) }
      text.append(contentsOf: words[index].utf8)
    }
    text.append(UInt8(ascii: "\n"))
  }

  /// The whole file; nil where libcrypto fails.
  func sealed() -> [UInt8]? {
    guard let digest = try? SHA256.digest(of: text) else { return nil }
    return text + Array(("end " + SHA256Digest(digest).hex + "\n").utf8)
  }

  /// Reads a file back: its lines, each as its words, and what follows them.
  ///
  /// - Returns: Nil where the kind, the version or the digest isn't right.
  static func read(_ bytes: [UInt8], kind: String) -> (lines: [[String]], rest: ArraySlice<UInt8>)? {
    var lines: [[String]] = []
    var start = 0
    while let length = bytes[start...].firstIndex(of: UInt8(ascii: "\n")).map({ $0 - start }) {
      let words = bytes[start..<start + length].split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
      if words.first == "end" {
        guard words.count == 2, let digest = try? SHA256.digest(of: bytes, in: 0..<start),
          SHA256Digest(digest).hex == words[1], lines.first == [kind, "1"]
        else { return nil }
        return (Array(lines.dropFirst()), bytes[(start + length + 1)...])
      }
      lines.append(words)
      start += length + 1
    }
    return nil
  }
}

extension Instant {
  /// As a word of ``SealedLines``.
  var word: String { String(secondsSinceEpoch) }

  /// Reads such a word.
  init?(word: String) {
    guard let seconds = Int64(word) else { return nil }
    self.init(secondsSinceEpoch: seconds)
  }
}
