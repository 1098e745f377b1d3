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
  /// 64 hexadecimal digits, each with something else before and behind it. Certificates and keys in PEM are ignored.
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

  /// JSON and PHP write `\/` for a slash.
  package init(_ bytes: [UInt8]) {
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
      add(pin, run.upperBound - 64..<run.upperBound, isLikely: run.count == 64 && !follows("sha256:", run.lowerBound))
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

  /// 64 digits and no more, behind nothing or a slash.
  private func hexadecimal(_ run: Range<Int>) -> Pin? {
    let start = run.upperBound - 64
    guard start >= run.lowerBound, start == run.lowerBound || text[start - 1] == UInt8(ascii: "/"),
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

  private static func isSymbol(_ byte: UInt8) -> Bool {
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
