/// Text in UTF-16 or UTF-32, which Windows's programs write: with a byte order mark, or told by its zeros.
struct WideText {
  let utf8: [UInt8]
  /// As iconv calls it.
  let encoding: String

  /// The marks, the longer ones first: that of UTF-16 begins one of UTF-32.
  private static let marks: [(bytes: [UInt8], width: Int, isLittle: Bool)] = [
    ([0xFF, 0xFE, 0, 0], 4, true), ([0, 0, 0xFE, 0xFF], 4, false), ([0xFF, 0xFE], 2, true), ([0xFE, 0xFF], 2, false),
  ]

  init?(_ bytes: [UInt8]) {
    let marked = Self.marks.first { bytes.starts(with: $0.bytes) }
    guard let form = marked ?? Self.marks.first(where: { Self.hasZeros(bytes.prefix(64), $0.width, $0.isLittle) }),
      bytes.count.isMultiple(of: form.width)
    else { return nil }
    let units = stride(from: marked?.bytes.count ?? 0, to: bytes.count, by: form.width).map { start in
      let unit = bytes[start..<start + form.width]
      return (form.isLittle ? Array(unit.reversed()) : Array(unit)).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    let text =
      form.width == 4
      ? String(String.UnicodeScalarView(units.map { Unicode.Scalar($0) ?? "\u{FFFD}" }))
      : String(decoding: units.map { UInt16(truncatingIfNeeded: $0) }, as: UTF16.self)
    guard !text.utf8.contains(0) else { return nil }
    utf8 = Array(text.utf8)
    encoding = "UTF-\(8 * form.width)" + (marked != nil ? "" : form.isLittle ? "LE" : "BE")
  }

  /// Whether a beginning is that of ASCII in a width: of each character, one byte isn't zero.
  private static func hasZeros(_ head: ArraySlice<UInt8>, _ width: Int, _ isLittle: Bool) -> Bool {
    head.count >= 2 * width
      && head.indices.allSatisfy { ($0 % width == (isLittle ? 0 : width - 1)) == (head[$0] != 0) }
  }
}
