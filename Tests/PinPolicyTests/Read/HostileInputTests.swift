import Diagnostics
import PinPolicy
import PolicySupport
import TestSupport
import Testing

@Suite("Files that mean harm")
struct HostileInputTests {
  @Test(
    "Invalid UTF-8, with the place of the bad byte",
    arguments: [
      (
        [0x61, 0xFF],
        [
          "1:1-3 wrongShape(field: \"policy file\", expected: \"a mapping\", found: \"a single value\")",
          "1:2-3 invalidUTF8",
        ]
      ),
      (
        Array("version: 1\n# 日本".utf8) + [0xC3] + Array("\nfoo: 1\n".utf8),
        [
          "2:5-6 invalidUTF8", "3:1-4 unknownField(name: \"foo\", within: \"policy file\")",
        ]
      ),
      (Array("version: 1\n# ".utf8) + [0xED, 0xA0, 0x80], ["2:3-4 invalidUTF8"]),
      (Array("version: 1\n# ".utf8) + [0xC0, 0x80], ["2:3-4 invalidUTF8"]),
      (Array("version: 1\n# ".utf8) + [0xF0, 0x9F, 0x98], ["2:3-4 invalidUTF8"]),
      (
        [0xFF, 0xFE, 0x76, 0x00, 0x65, 0x00],
        [
          "1:1-2 invalidUTF8", "1:4-5 invalidYAML(reason: \"the file contains the control character U+0000\")",
        ]
      ),
    ] as [([UInt8], [String])])
  func invalidUTF8(bytes: [UInt8], expected: [String]) {
    #expect(problems(bytes) == expected)
  }

  @Test("A file over the size cap isn't read")
  func tooLarge() {
    var bytes = Array("version: 1\n#".utf8)
    bytes += [UInt8](repeating: UInt8(ascii: "x"), count: PolicyReader.sizeLimit + 1 - bytes.count)
    let policy = read(bytes)
    #expect(policy.problems.map(describe) == ["1:1-2 fileTooLarge(bytes: 67108865, limit: 67108864)"])
    #expect(!policy.files[0].isComplete)
  }

  @Test("Aliases that would expand to billions aren't expanded")
  func aliasBomb() {
    var text = "version: 1\na: &a [x, x, x, x, x, x, x, x, x]\n"
    for (name, previous) in zip("bcdefghi", "abcdefgh") {
      text += "\(name): &\(name) [" + Array(repeating: "*\(previous)", count: 9).joined(separator: ", ") + "]\n"
    }
    let kinds = read(text).problems.map(\.kind)
    #expect(kinds.count == 9 + 9 + 8 * 9)
    #expect(kinds.filter { if case .alias = $0 { true } else { false } }.count == 72)
  }

  /// The end of such a line looked for at each of them would take minutes.
  @Test("A line of what might be comments is looked through once")
  func manyMarkersOnALine() {
    let markers = String(repeating: "# pintle:- ", count: 180_000)
    let time = processorTime {
      #expect(problems("version: 1\nowner: a \(markers)# pintle:allow\n").count == 1)
    }
    #expect(time < .seconds(20))
  }

  @Test("Deep nesting ends at the cap", arguments: ["[", "{a: ", "- ", "? ", "[{a: "])
  func deep(opening: String) {
    let policy = read("version: 1\nowner:\n " + String(repeating: opening, count: 100_000))
    #expect(!policy.problems.isEmpty)
    #expect(!policy.files[0].isComplete)
  }

  @Test("A file of nothing but mistakes is read only so far")
  func tooManyProblems() {
    let policy = read("version: 1\nhosts:\n" + String(repeating: "- x\n", count: 20_000))
    #expect(policy.problems.count == 10_001)
    #expect(policy.problems.last?.kind == .tooManyProblems(limit: 10_000))
    #expect(!policy.files[0].isComplete)
  }

  @Test("Changed at random, a file is read to an end, and every place is in it", arguments: UInt64(1)...8)
  func mutated(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let seeds = [ValueTests.text, "---\n{version: 1, keys: {a: !t &x {pin: *x}}}\n...\n# pintle:allow P1\r\n\u{FEFF}"]
    let pieces = [
      "\t", "\r", "\n", "\u{0}", ": ", "- ", "[", "]", "{", "}", "&a ", "*a ", "!!s ", "|", ">", "\"", "'", "#",
      "? ", "---\n", "...\n", "%YAML", "日", "😀", "\u{2028}", "\u{FEFF}", "# pintle:allow ", "<<: ",
    ].map { Array($0.utf8) }
    for _ in 0..<400 {
      var bytes = Array(random.pick(seeds).utf8)
      for _ in 0...random.below(8) {
        let start = random.below(bytes.count)
        let end = min(bytes.count, start + random.below(20))
        switch random.below(5) {
        case 0: bytes[start] = UInt8(random.below(256))
        case 1: bytes.removeSubrange(start..<end)
        case 2: bytes.insert(contentsOf: bytes[start..<end], at: random.below(bytes.count))
        case 3: bytes.removeSubrange(end...)
        default: bytes.insert(contentsOf: random.pick(pieces), at: start)
        }
        if bytes.isEmpty { bytes = [0x20] }
      }
      check(bytes)
    }
  }

  private func check(_ bytes: [UInt8]) {
    let policy = read(bytes)
    #expect(policy.problems.map(\.place) == policy.problems.map(\.place).sorted())
    for problem in policy.problems {
      let place = problem.place
      #expect(place.start < place.end)
      // At most one character after the end, if something is missing.
      let bytes = policy.sources[place.file].bytes
      let line = LineOffsets(bytes).range(ofLine: Int(place.start.line))
      let columns = String(decoding: bytes[line ?? 0..<0], as: UTF8.self).unicodeScalars.count
      #expect(line != nil && Int(place.start.column) <= columns + 1, "\(describe(problem))")
    }
    #expect(policy.files[0].isComplete || !policy.problems.isEmpty)
  }
}
