package import Diagnostics
package import PinFormat

/// A text that looks like a pin, in any file.
package struct FoundPin: Hashable, Sendable {
  package var pin: Pin
  /// Where it is, without what is written before it.
  package var place: Place
  /// False where it may as well be the digest of a script, an image or a download.
  package var isLikely: Bool

  /// The pins of a file, in order.
  ///
  /// Looked for are `sha256/` and 43 characters of Base64, with `=` or without, 44 characters of Base64 that end in `=`, and
  /// 64 hexadecimal digits, in one word or as 32 bytes that are separated alike (`9D:7C:…`, `9d 7c …`, `0x9d, 0x7c, …`),
  /// each with something else before and behind it. Certificates and keys in PEM are ignored.
  package static func all(in bytes: [UInt8], file: FileID) -> [FoundPin] {
    var scan = PinScan(bytes)
    scan.run()
    guard !scan.found.isEmpty else { return [] }
    let lines = LineOffsets(bytes)
    return scan.found.map {
      FoundPin(pin: $0.pin, place: lines.visiblePlace(of: $0.range, in: file), isLikely: $0.isLikely)
    }
  }
}

/// Walks over a text from one run of letters and digits to the next.
private struct PinScan {
  package private(set) var found: [(pin: Pin, range: Range<Int>, isLikely: Bool)] = []
  private let text: [UInt8]
  /// The place of each character in the file, where that isn't its place in the text.
  private let offsets: [Int]?
  /// Once no end of PEM is ahead, none is looked for again.
  private var hasEndAhead = true

  private let listsAppSigners: Bool

  /// JSON and PHP write `\/` for a slash.
  package init(_ bytes: [UInt8]) {
    listsAppSigners = bytes.contains("sha256_cert_fingerprints".utf8)
    let kept = bytes.indices.filter { index in
      bytes[index] != UInt8(ascii: "\\") || index + 1 == bytes.count || bytes[index + 1] != UInt8(ascii: "/")
    }
    guard kept.count < bytes.count else {
      (text, offsets) = (bytes, nil)
      return
    }
    text = kept.map { bytes[$0] }
    offsets = kept
  }

  package mutating func run() {
    var index = 0
    while index < text.count {
      if isPEM(at: index) {
        index = endOfPEM(from: index)
        continue
      }
      guard Self.isSymbol(text[index]) else {
        index += 1
        continue
      }
      if let bytes = SeparatedBytes(text, at: index), !isOfURLs(before: index) {
        if bytes.digits.count == 64, let pin = Hex.decode(bytes.digits).flatMap({ SHA256Digest($0) }).map({ Pin($0) }) {
          // The certificates that sign an Android app are listed alike (assetlinks.json).
          add(pin, index..<bytes.end, isLikely: !listsAppSigners)
        }
        index = bytes.end
        continue
      }
      var end = index
      while end < text.count, Self.isSymbol(text[end]) { end += 1 }
      look(at: index..<end)
      index = end
    }
  }

  private mutating func look(at run: Range<Int>) {
    let padding = text[run.upperBound...].prefix(2).prefix { $0 == UInt8(ascii: "=") }.count
    let behind = run.upperBound + padding
    guard behind >= text.count || !(Self.isSymbol(text[behind]) || Self.isOfURLs(text[behind])) else { return }
    if padding == 0, let pin = hexadecimal(run) {
      let isWord = run.count == 64 || isPrefixed(run)
      add(pin, run.upperBound - 64..<run.upperBound, isLikely: isWord && !follows("sha256:", run.lowerBound))
    } else if padding < 2, run.count >= 43, let pin = base64(run.upperBound - 43..<run.upperBound) {
      let prefix = run.lowerBound..<run.upperBound - 43
      let isNamed = endsInName(prefix)
      // Without padding, 43 characters are a pin only after a name such as `sha256/`.
      guard isNamed || padding == 1 && prefix.isEmpty && !isOfURLs(before: run.lowerBound) else { return }
      let isScript = prefix.isEmpty && (follows("sha256-", run.lowerBound) || follows("sha256:", run.lowerBound))
      add(pin, prefix.upperBound..<behind, isLikely: !isScript)
    }
  }

  private mutating func add(_ pin: Pin, _ range: Range<Int>, isLikely: Bool) {
    let place = offsets.map { $0[range.lowerBound]..<($0[range.upperBound - 1] + 1) } ?? range
    found.append((pin, place, isLikely))
  }

  /// The unused bits of the last character are ignored, as by the readers of pins.
  private func base64(_ range: Range<Int>) -> Pin? {
    Base64.decode(text[range], accepting: .pins).flatMap { SHA256Digest($0) }.map { Pin($0) }
  }

  /// `0x` and 64 more.
  private func isPrefixed(_ run: Range<Int>) -> Bool {
    run.count == 66 && text[run.lowerBound] == UInt8(ascii: "0") && text[run.lowerBound + 1] | 0x20 == UInt8(ascii: "x")
  }

  /// 64 digits and no more, behind nothing, `0x` or a slash.
  private func hexadecimal(_ run: Range<Int>) -> Pin? {
    let start = run.upperBound - 64
    guard start >= run.lowerBound,
      start == run.lowerBound || isPrefixed(run) || text[start - 1] == UInt8(ascii: "/"),
      start > run.lowerBound || !isOfURLs(before: start)
    else { return nil }
    // 0x20 makes letters lower-case, and is set in digits already.
    return Hex.decode(text[start..<run.upperBound].map { $0 | 0x20 }).flatMap { SHA256Digest($0) }.map { Pin($0) }
  }

  /// Whether a run ends in `sha256/` or curl's `sha256//`.
  private func endsInName(_ range: Range<Int>) -> Bool {
    let name = String(decoding: text[range].suffix(8), as: UTF8.self).lowercased()
    return name.hasSuffix("sha256/") || name.hasSuffix("sha256//")
  }

  private func follows(_ name: String, _ index: Int) -> Bool {
    String(decoding: text[max(0, index - name.utf8.count)..<index], as: UTF8.self).lowercased() == name
  }

  /// Whether the text before belongs to the same word; false for `sha256-`, which is handled separately.
  private func isOfURLs(before index: Int) -> Bool {
    index > 0 && Self.isOfURLs(text[index - 1]) && !follows("sha256-", index)
  }

  private static func isOfURLs(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") }

  fileprivate static func isSymbol(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
      true
    default: false
    }
  }

  private static let begin = Array("-----BEGIN ".utf8)
  private static let end = Array("-----END ".utf8)

  private func isPEM(at index: Int) -> Bool {
    text[index] == UInt8(ascii: "-") && text[index...].starts(with: Self.begin)
  }

  /// Behind the end of PEM, or where it begins if it has none.
  private mutating func endOfPEM(from start: Int) -> Int {
    var index = start + Self.begin.count
    while hasEndAhead, index < text.count {
      if text[index] == UInt8(ascii: "-"), text[index...].starts(with: Self.end) { return index + Self.end.count }
      index += 1
    }
    hasEndAhead = false
    return start + Self.begin.count
  }
}

/// Bytes in hexadecimal with one kind of separator between them: `9D:7C:3F`, `9d 7c 3f`, `0x9d, 0x7c, 0x3f`.
private struct SeparatedBytes {
  /// Two for each byte, in small letters.
  private(set) var digits: [UInt8] = []
  /// Behind the last byte.
  private(set) var end: Int

  /// The longest run of bytes that begins at a place; nil where no separator follows the first one.
  init?(_ text: [UInt8], at start: Int) {
    end = start
    guard let first = Self.byte(text, at: start), let separator = Self.separator(text, at: first.end) else {
      return nil
    }
    var next: (digits: [UInt8], end: Int)? = first
    while let byte = next {
      digits += byte.digits
      end = byte.end
      let between = Self.separator(text, at: end)
      next = between.flatMap { $0.mark == separator.mark ? Self.byte(text, at: $0.end) : nil }
    }
    guard digits.count > 2 else { return nil }
  }

  /// `9D`, `0x9d` or `\x9d`, and not the beginning of a longer word, which may be a pin.
  private static func byte(_ text: [UInt8], at start: Int) -> (digits: [UInt8], end: Int)? {
    var index = start
    if index + 1 < text.count, text[index + 1] | 0x20 == UInt8(ascii: "x"),
      text[index] == UInt8(ascii: "0") || text[index] == UInt8(ascii: "\\")
    {
      index += 2
    }
    guard index + 1 < text.count, text[index...].prefix(2).allSatisfy(FingerprintText.isDigit) else { return nil }
    let end = index + 2
    guard end >= text.count || !PinScan.isSymbol(text[end]) else { return nil }
    return ([text[index] | 0x20, text[index + 1] | 0x20], end)
  }

  /// A colon, dot, hyphen or comma, or only space, and the space around it.
  private static func separator(_ text: [UInt8], at start: Int) -> (mark: UInt8, end: Int)? {
    var index = start
    func skipSpace() {
      while index < text.count, [0x20, 0x09, 0x0A, 0x0D].contains(text[index]) { index += 1 }
    }
    skipSpace()
    guard index < text.count else { return nil }
    var mark = UInt8(ascii: " ")
    if ":.-,".utf8.contains(text[index]) {
      mark = text[index]
      index += 1
      skipSpace()
    }
    return index > start ? (mark, index) : nil
  }
}
