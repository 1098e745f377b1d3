/// Names findings so that a later run can tell which of them it has seen before.
///
/// A fingerprint is made of the rule's code, the path, the marked text and the message without its numbers, and not of
/// lines and columns: a finding keeps it when lines above it come and go, and when a message counts days. Findings that
/// are alike in all of that are numbered in their order, so that no two of a report share one.
struct Fingerprints {
  private var reader: SourceReader
  private let report: Report
  private var given: Set<UInt128> = []
  /// How many findings were alike so far.
  private var alike: [UInt128: Int] = [:]

  /// Of a marked text, this many scalars count.
  private static let limit = 200

  init(_ report: Report) {
    self.report = report
    reader = SourceReader(report.sources)
  }

  /// The fingerprint of the next finding: 32 hexadecimal digits.
  mutating func next(_ diagnostic: Diagnostic) -> String {
    let parts = [
      diagnostic.code, report.path(of: diagnostic.place), markedText(at: diagnostic.place),
      Self.withoutNumbers(diagnostic.message),
    ]
    var common = FNV1a()
    for part in parts { common.add(part) }
    while true {
      let number = alike[common.state, default: 0]
      alike[common.state] = number + 1
      var digest = common
      digest.add(String(number))
      if given.insert(digest.state).inserted { return digest.text }
    }
  }

  /// What the place marks of its first line; nothing where there is no such text.
  private mutating func markedText(at place: Place) -> String {
    let region = place.region
    let count = region.startLine == region.endLine ? region.endColumn - region.startColumn : Self.limit
    let limit = min(max(0, count), Self.limit)
    let found = reader.scalars(of: region.startLine, in: place.file, from: region.startColumn, limit: limit)
    var text = String.UnicodeScalarView()
    text.append(contentsOf: found?.scalars ?? [])
    return String(text)
  }

  /// The text with `0` in the place of each run of digits: "81 days" is "80 days" tomorrow.
  private static func withoutNumbers(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var wasDigit = false
    for scalar in text.unicodeScalars {
      let isDigit = ("0"..."9").contains(scalar)
      if !isDigit { result.append(scalar) } else if !wasDigit { result.append("0") }
      wasDigit = isDigit
    }
    return String(result)
  }
}

/// FNV-1a of 128 bits (draft-eastlake-fnv-17): it only has to tell findings of one report apart, against nobody.
private struct FNV1a {
  private(set) var state: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d

  mutating func add(_ text: String) {
    for byte in text.utf8 { add(byte) }
    // 0xFF never occurs in UTF-8, so it separates the parts.
    add(0xFF)
  }

  private mutating func add(_ byte: UInt8) {
    state = (state ^ UInt128(byte)) &* 0x100_0000_0000_0000_0000_013b
  }

  var text: String {
    let digits = String(state, radix: 16)
    return String(repeating: "0", count: 32 - digits.count) + digits
  }
}
