import Testing

@testable import PinFormat

@Suite("Reading single values")
struct CanonicalScannerTests {
  /// What is read of a text and where the scanner is then, or the error; the same whatever follows the end.
  private func scan(
    _ text: [UInt8], _ read: (inout CanonicalScanner) throws(FormatError) -> Any
  ) -> String {
    let results = ["", "\"", "0\"", "9", "a\"", "}", "]\"", ",", "\\n\"", "\u{80}", "Z\"\"\""].map { behind in
      var scanner = CanonicalScanner(text + behind.utf8, from: 0, to: text.count)
      scanner.place = "x"
      do throws(FormatError) {
        let value = try read(&scanner)
        return "\(value) at \(scanner.offset)"
      } catch {
        return "\(error.code): \(error)"
      }
    }
    for result in results { #expect(result == results[0]) }
    return results[0]
  }

  private static let digits = String(repeating: "0", count: 64)
  private static let pin = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
  private static let instant = "2027-01-01T00:00:00Z"
  private static let longest = [63, 63, 63, 61].map { String(repeating: "a", count: $0) }.joined(separator: ".")

  @Test(
    "Strings of any text",
    arguments: [
      (#""abcd""#, "1..<5 at 6"), (#""a""#, "1..<2 at 3"), (#""é""#, "1..<3 at 4"),
      (#""\n\t""#, "1..<5 at 6"), ("\" \u{7F}\"", "1..<3 at 4"),
      (#""""#, "invalid-value: x: a text is empty (byte 1)"),
      (#""abcde""#, "over-limit: x: a text has more than 4 bytes (byte 1)"),
      (#""ab\n\n""#, "over-limit: x: a text has more than 4 bytes (byte 1)"),
      ("\"a\u{1F}\"", "not-canonical: x: a control character that is not escaped (byte 2)"),
      ("\"\u{0}\"", "not-canonical: x: a control character that is not escaped (byte 1)"),
      (#""a"#, "truncated: x: the bytes end inside a string (byte 2)"),
      (#"""#, "truncated: x: the bytes end inside a string (byte 1)"),
      (#""a\n"#, "truncated: x: the bytes end inside a string (byte 4)"),
      (#""\u001f"#, "truncated: x: the bytes end inside a string (byte 7)"),
      (#""é"#, "truncated: x: the bytes end inside a string (byte 3)"),
      (#""a\"#, #"not-canonical: x: not an escape of RFC 8785: "\" (byte 2)"#),
      ("", "truncated: x: the bytes end where \" must stand (byte 0)"),
      ("7", "not-canonical: x: expected \", found \"7\" (byte 0)"),
    ])
  func strings(text: String, expected: String) {
    #expect(
      scan(Array(text.utf8)) { scanner throws(FormatError) in try scanner.string("a text", atMost: 4) } == expected)
  }

  @Test("Each character has one form: plain, or the one escape of RFC 8785")
  func escapes() {
    let short: [UInt32: String] = [8: "b", 9: "t", 10: "n", 12: "f", 13: "r", 0x22: "\"", 0x5C: "\\"]
    func decoded(_ form: String) -> String {
      scan(Array("\"\(form)\"".utf8)) { scanner throws(FormatError) in
        try scanner.decodedString("a text", atMost: 99).unicodeScalars.map(\.value)
      }
    }
    for character in UInt32(0)...0x7F {
      let digits = String(character, radix: 16)
      let long = #"\u00\#(digits.count == 1 ? "0" : "")\#(digits)"#
      let isLong = character < 0x20 && short[character] == nil
      #expect((decoded(long) == "[\(character)] at 8") == isLong, "\(long)")
      #expect(
        (decoded(long.uppercased().replacing("U", with: "u")) == "[\(character)] at 8")
          == (isLong && !digits.contains { $0.isLetter }))
      guard let scalar = Unicode.Scalar(character) else { continue }
      let isPlain = character >= 0x20 && short[character] == nil
      #expect((decoded(String(Character(scalar))) == "[\(character)] at 3") == isPlain, "\(character)")
      let letter = short.first { $0.value == String(Character(scalar)) }
      let expected = letter.map { "[\($0.key)] at 4" }
      #expect(decoded("\\" + String(Character(scalar))).hasPrefix("[") == (expected != nil), "\(character)")
      if let expected { #expect(decoded("\\" + String(Character(scalar))) == expected) }
    }
    #expect(decoded(#"a\u0001é\\n\n\u001f"#) == "[97, 1, 233, 92, 110, 10, 31] at 22")
    for other in [#"\u0101"#, #"\u1001"#, #"\u001"#, #"\u00"#, #"\u"#, #"\u000g"#, #"\u00 1"#, #"\u00+1"#] {
      #expect(decoded(other).hasPrefix("not-canonical: x: not an escape of RFC 8785: "), "\(other)")
    }
  }

  @Test("Characters above U+007F are those that Unicode's own reader takes")
  func scalars() {
    let edges: [UInt8] = [0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF]
    let tails: [[UInt8]] = [
      [], [0x80], [0xBF], [0x7F], [0xC0], [0x80, 0x80], [0xBF, 0xBF], [0x80, 0x7F], [0x80, 0xC0], [0x7F, 0x80],
      [0x80, 0x80, 0x80],
    ]
    for first in UInt8(0x80)...0xFF {
      for rest in [[]] + edges.flatMap({ second in tails.map { [second] + $0 } }) {
        let bytes = [first] + rest
        for ending: [UInt8] in [[0x22], []] {
          var scanner = CanonicalScanner([0x22] + bytes + ending, from: 0, to: bytes.count + 1 + ending.count)
          let isText = (try? scanner.string("a text", atMost: 9)) != nil
          #expect(isText == (!ending.isEmpty && String(validating: bytes, as: UTF8.self) != nil), "\(bytes)")
        }
      }
    }
  }

  @Test(
    "Strings of some characters only",
    arguments: [
      (#""0af9""#, "1..<5 at 6"), (#""""#, "invalid-value: x: a word can't be \"\"\" (byte 1)"),
      (#""0af90""#, "over-limit: x: a word has more than 4 bytes (byte 1)"),
      (#""0ag""#, "invalid-value: x: a word can't be \"0ag\"\" (byte 1)"),
      (#""0af9"#, "truncated: x: the bytes end inside a string (byte 5)"),
      (#"""#, "truncated: x: the bytes end inside a string (byte 1)"),
    ])
  func texts(text: String, expected: String) {
    #expect(
      scan(Array(text.utf8)) { scanner throws(FormatError) in
        try scanner.text("a word", atMost: 4, of: .hexadecimal)
      } == expected)
  }

  @Test(
    "Integers",
    arguments: [
      ("1", "1 at 1"), ("10", "10 at 2"), ("9x", "9 at 1"), ("1/", "1 at 1"), ("1:", "1 at 1"), ("0", "0 at 1"),
      ("9999999999999999", "9999999999999999 at 16"),
      ("10000000000000000", "invalid-value: x: a number can't be \"1000000000000000\" (byte 0)"),
      ("00", "invalid-value: x: a number can't be \"00\" (byte 0)"),
      ("01", "invalid-value: x: a number can't be \"01\" (byte 0)"),
      ("", "truncated: x: the bytes end where a number must stand (byte 0)"),
      ("-1", "not-canonical: x: expected a number, found \"-1\" (byte 0)"),
      ("/", "not-canonical: x: expected a number, found \"/\" (byte 0)"),
      (":", "not-canonical: x: expected a number, found \":\" (byte 0)"),
    ])
  func integers(text: String, expected: String) {
    #expect(
      scan(Array(text.utf8)) { scanner throws(FormatError) in try scanner.integer("a number", 0...Int64.max) }
        == expected)
  }

  @Test("Integers in a range")
  func ranges() {
    for (text, isTaken) in [("2", false), ("3", true), ("12", true), ("13", false)] {
      let result = scan(Array(text.utf8)) { scanner throws(FormatError) in try scanner.integer("a number", 3...12) }
      #expect(result.hasPrefix(text + " at ") == isTaken, "\(result)")
    }
  }

  @Test("Instants, and the same one again")
  func instants() throws {
    let other = "2027-01-02T00:00:00Z"
    let values = try [Self.instant, other].map { try #require(Instant(Array($0.utf8)[...])) }
    func twice(_ text: String) -> String {
      scan(Array(text.utf8)) { scanner throws(FormatError) in
        [try scanner.instant("an instant"), try scanner.instant("an instant")]
      }
    }
    for (text, expected) in [
      (#""\#(Self.instant)""\#(Self.instant)""#, "\([values[0], values[0]]) at 44"),
      (#""\#(Self.instant)""\#(other)""#, "\([values[0], values[1]]) at 44"),
      (#""\#(Self.instant)""\#(Self.instant)"#, "truncated: x: the bytes end inside an instant (byte 43)"),
      (#""\#(Self.instant)""\#(Self.instant)x"#, "not-canonical: x: expected \", found \"x\" (byte 43)"),
      (#""\#(Self.instant)""\#(other)x"#, "not-canonical: x: expected \", found \"x\" (byte 43)"),
      (#""\#(Self.instant)""#, "truncated: x: the bytes end where \" must stand (byte 22)"),
      (#""\#(Self.instant)"#, "truncated: x: the bytes end inside an instant (byte 21)"),
      (#""2027-13-01T00:00:00Z""#, "invalid-value: x: an instant can't be \"2027-13-01T00:00\" (byte 1)"),
    ] { #expect(twice(text) == expected) }
  }

  @Test("Digests, pins and Base64")
  func bytes() {
    func digest(_ text: String) -> String {
      scan(Array(text.utf8)) { scanner throws(FormatError) in try scanner.digest("a digest").hex }
    }
    #expect(digest("\"\(Self.digits)\"") == "\(Self.digits) at 66")
    #expect(digest("\"\(Self.digits.dropLast(2))\"").hasPrefix("invalid-value: x: a digest can't be"))
    #expect(digest("\"\(Self.digits)0\"").hasPrefix("over-limit"))
    func pin(_ text: String) -> String {
      scan(Array(text.utf8)) { scanner throws(FormatError) in try scanner.pin().hex.prefix(8) }
    }
    #expect(pin("\"\(Self.pin)\"") == "e3b0c442 at 46")
    #expect(pin("\"\(Self.pin)") == "truncated: x: the bytes end inside a pin (byte 45)")
    #expect(pin("\"\(Self.pin)x") == "not-canonical: x: expected \", found \"x\" (byte 45)")
    #expect(pin("\"\(Self.pin.dropLast())\"") == "truncated: x: the bytes end inside a pin (byte 45)")
    for (text, limit, expected) in [
      ("AAAA", 3, "[0, 0, 0] at 6"), ("AAA=", 2, "[0, 0] at 6"), ("AA==", 1, "[0] at 6"),
      ("AAAA", 2, "over-limit: x: a value has more than 2 bytes (byte 1)"),
      ("AAA=", 1, "over-limit: x: a value has more than 1 bytes (byte 1)"),
      ("AAAAAA==", 3, "over-limit: x: a value has more than 4 bytes (byte 1)"),
      ("AAB=", 3, "invalid-value: x: a value can't be \"AAB=\"\" (byte 1)"),
    ] {
      let result = scan(Array("\"\(text)\"".utf8)) { scanner throws(FormatError) in
        try scanner.base64("a value", atMost: limit)
      }
      #expect(result == expected)
    }
  }

  @Test("Names, words and hosts")
  func names() {
    for (text, expected) in [
      (#"["a","b"]"#, #"["a", "b"] at 9"#), (#"["a","b","c"]"#, "over-limit: x: too many names (byte 10)"),
      (#"["b","a"]"#, "not-sorted: x: names are not sorted, or one is listed twice (byte 6)"),
      (#"["a","#, "truncated: x: the bytes end where \" must stand (byte 5)"),
      (#"["a""#, "truncated: x: the bytes end where \",\" or \"]\" must stand (byte 4)"),
      (#"["a"}"#, "not-canonical: x: expected \",\" or \"]\", found \"}\" (byte 4)"),
    ] {
      #expect(
        scan(Array(text.utf8)) { scanner throws(FormatError) in try scanner.names("a name", atMost: 2) } == expected)
    }
    for (text, expected) in [
      ("enforce", "enforce at 9"), ("off", "off at 5"), ("of", "invalid-value: x: a mode can't be \"of\"\" (byte 1)"),
    ] {
      #expect(
        scan(Array("\"\(text)\"".utf8)) { scanner throws(FormatError) in try scanner.word("a mode", Mode.self) }
          == expected)
    }
    for (text, expected) in [
      ("a.example", "name at 11"), ("10.0.0.5", "ipv4 at 10"), ("::1", "ipv6 at 5"), (Self.longest, "name at 255"),
      (Self.longest + "a", "over-limit: x: a host has more than 253 bytes (byte 1)"),
      ("A.b", "invalid-value: x: \"A.b\"\" is a host that is not in canonical form (byte 1)"),
      ("a..b", "invalid-value: x: \"a..b\"\" is not a valid host name (byte 1)"),
      ("a_b", "invalid-value: x: \"a_b\"\" is not a valid host name (byte 1)"),
      ("A_b", "invalid-value: x: \"A_b\"\" is not a valid host name (byte 1)"),
    ] {
      #expect(scan(Array("\"\(text)\"".utf8)) { scanner throws(FormatError) in try scanner.host().kind } == expected)
    }
  }

  @Test("A certificate comes behind one with a lower fingerprint")
  func certificates() throws {
    let item = #""\#(Self.digits.dropLast())5":"AAAA""#
    for (last, isTaken) in [(4, true), (5, false), (6, false)] {
      let before = try #require(SHA256Digest(hex: Array("\(Self.digits.dropLast())\(last)".utf8)[...]))
      let result = scan(Array(item.utf8)) { scanner throws(FormatError) in
        try scanner.certificate(after: before, atMost: 3).der
      }
      #expect(
        result
          == (isTaken
            ? "[0, 0, 0] at 73"
            : "not-sorted: x: certificates are not sorted by fingerprint, or one is listed twice (byte 0)"))
    }
  }

  @Test(
    "Fields in their order",
    arguments: [
      (#""type":7,"version":"#, "true true at 19"), (#""type":7,"version""#, "true false at 8"),
      (#""type":7;"version":"#, "true false at 8"), (#""type":7,"version";"#, "true false at 8"),
      (#""type":7,"versiom":"#, "true false at 8"), (#""type":7,"version1:"#, "true false at 8"),
      (#""type":7,'version":"#, "true false at 8"), (#","type":7,"version":"#, "false false at 0"),
      (#""typ":7,"version":"#, "false false at 0"), (#""type":"#, "true false at 7"), (#""type""#, "false false at 0"),
      ("", "false false at 0"), ("\"", "false false at 0"),
    ])
  func fields(text: String, expected: String) {
    let result = scan(Array(text.utf8)) { scanner in
      var first = true
      let hasType = scanner.take(field: "type", first: &first)
      _ = scanner.take(UInt8(ascii: "7"))
      return "\(hasType) \(scanner.take(field: "version", first: &first))"
    }
    #expect(result == expected)
  }

  @Test(
    "What is in the place of a field is named",
    arguments: [
      ("}", "missing-field: x: the field \"type\" is missing (byte 0)"),
      ("\"\":", "unknown-field: x: unknown field \"\", expected the field \"type\" (byte 0)"),
      ("\"tipe\":", "unknown-field: x: unknown field \"tipe\", expected the field \"type\" (byte 0)"),
      ("\"tipe", "unknown-field: x: unknown field \"tipe\", expected the field \"type\" (byte 0)"),
      ("\"t \u{1F}~\u{7F}é\":", "unknown-field: x: unknown field \"t ?~??\", expected the field \"type\" (byte 0)"),
      (
        "\"serial\":",
        "misplaced-field: x: the field \"serial\" is misplaced or repeated, expected the field \"type\" (byte 0)"
      ),
      (",\"serial\":", "not-canonical: x: expected the field \"type\", found \",\"serial\":\" (byte 0)"),
      ("", "truncated: x: the bytes end where the field \"type\" must stand (byte 0)"),
      ("7", "not-canonical: x: expected the field \"type\", found \"7\" (byte 0)"),
    ])
  func firstField(text: String, expected: String) {
    let result = scan(Array(text.utf8)) { scanner throws(FormatError) in
      var first = true
      try scanner.require(field: "type", first: &first)
      return first
    }
    #expect(result == expected)
  }

  @Test(
    "What is in the place of a later field is named",
    arguments: [
      ("}", "missing-field: x: the field \"type\" is missing (byte 0)"),
      (",\"tipe\":", "unknown-field: x: unknown field \"tipe\", expected the field \"type\" (byte 1)"),
      (
        ",\"serial\":",
        "misplaced-field: x: the field \"serial\" is misplaced or repeated, expected the field \"type\" (byte 1)"
      ),
      (";\"serial\":", "not-canonical: x: expected the field \"type\", found \";\"serial\":\" (byte 0)"),
      (",", "not-canonical: x: expected the field \"type\", found \",\" (byte 0)"),
      (",7", "not-canonical: x: expected the field \"type\", found \",7\" (byte 0)"),
      ("", "truncated: x: the bytes end where the field \"type\" must stand (byte 0)"),
    ])
  func laterField(text: String, expected: String) {
    let result = scan(Array(text.utf8)) { scanner throws(FormatError) in
      var first = false
      try scanner.require(field: "type", first: &first)
      return first
    }
    #expect(result == expected)
  }

  @Test("Of a long name of a field the beginning is shown", arguments: [(64, 64), (65, 65), (66, 65), (200, 65)])
  func longField(count: Int, shown: Int) {
    let text = "\"\(String(repeating: "n", count: count))\":"
    let result = scan(Array(text.utf8)) { scanner throws(FormatError) in try scanner.finishObject(first: true) }
    #expect(
      result == "unknown-field: x: unknown field \"\(String(repeating: "n", count: shown))\", expected \"}\" (byte 0)")
  }

  @Test(
    "Of what is wrong sixteen bytes are shown, harmless to print",
    arguments: [
      ("", "\"\""), ("a", "\"a\""), ("0123456789abcde", "\"0123456789abcde\""),
      ("0123456789abcdef", "\"0123456789abcdef\""), ("0123456789abcdefg", "\"0123456789abcdef\""),
      ("\u{0}\u{1F} ~\u{7F}é", "\"\\x00\\x1f ~\\x7f\\xc3\\xa9\""),
    ])
  func excerpts(text: String, expected: String) {
    #expect(scan(Array(text.utf8)) { $0.excerpt(from: 0) } == expected + " at 0")
    #expect(scan(Array(text.utf8)) { $0.excerpt(from: text.utf8.count + 1) } == "\"\" at 0")
  }

  @Test(
    "A place has the number of its item, from the first on", arguments: [(0, "x: y"), (1, "x[1]: y"), (2, "x[2]: y")])
  func places(item: Int, expected: String) {
    var scanner = CanonicalScanner([], from: 0, to: 0)
    scanner.place = "x"
    scanner.item = item
    #expect(scanner.error(.notSorted, at: 0, "y").message == expected)
  }

  @Test("A text is matched only where it is as a whole")
  func matching() {
    let scanner = CanonicalScanner(Array("abcabc".utf8), from: 0, to: 5)
    for start in -1...7 { #expect(scanner.matches("abc", at: start) == (start == 0), "\(start)") }
    for start in -1...6 { #expect(scanner.matches("", at: start) == (0...5).contains(start), "\(start)") }
    #expect(CanonicalScanner([1, 2], from: 0, to: 9).end == 2)
  }
}
