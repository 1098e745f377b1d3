import Diagnostics
import PinPolicy
import TestSupport
import Testing

/// The simple reading answers what libyaml's reading answers, or leaves the file to it.
@Suite("Simple and full reading")
struct PlainLinesTests {
  @Test("Every field of the format", arguments: [ValueTests.text])
  func everyField(text: String) {
    expectSame(text)
  }

  @Test("Texts at the edge of what is simple")
  func edges() {
    for text in Self.edges {
      expectSame("version: 1\n" + text)
      expectSame("version: 1\n" + text + "\n")
      expectSame("---\nversion: 1\r\n" + text.replacing("\n", with: "\r\n") + "\r\nowner: last\r\n")
      expectSame("keys:\n  k:\n    " + text.replacing("\n", with: "\n    ") + "\nversion: 1")
      expectSame("hosts:\n- " + text.replacing("\n", with: "\n  ") + "\nversion: 1")
      expectSame("hosts: [" + text + "]\nversion: 1")
    }
  }

  @Test("Random policies in every layout, and with pieces taken out, doubled and moved", arguments: 0..<10)
  func layouts(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let policy = PlainPolicy(&random)
    let text = Array(RandomLayout(policy, random).lines.joined(separator: "\n").utf8)
    expectSame(text)
    for _ in 0..<60 {
      var broken = text
      let start = random.below(broken.count)
      let piece = Array(broken[start..<min(broken.count, start + random.below(24))])
      switch random.below(3) {
      case 0: broken.removeSubrange(start..<start + piece.count)
      case 1: broken.insert(contentsOf: piece, at: random.below(broken.count))
      default: broken.insert(contentsOf: random.pick(Self.pieces).utf8, at: start)
      }
      expectSame(broken)
    }
  }

  @Test("Lines of all kinds at random", arguments: 0..<12)
  func lines(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<60 {
      var text = random.once(in: 8) ? "---\n" : ""
      var indentation = 0
      for _ in 0..<1 + random.below(14) {
        if random.once(in: 3) { indentation = random.below(7) }
        text += String(repeating: " ", count: indentation)
        while random.once(in: 4) { text += "-" + String(repeating: " ", count: random.below(3)) }
        if !random.once(in: 5) { text += random.pick(Self.names) + ":" }
        if random.once(in: 2) { text += " " + random.pick(Self.values) }
        while random.once(in: 6) { text += random.pick(Self.pieces) }
        text += random.once(in: 12) ? "\r\n" : "\n"
        if random.once(in: 3) { indentation += random.below(4) }
      }
      expectSame(text)
    }
  }

  @Test("What policies are written in is read simply")
  func isTaken() {
    for text in Self.simple {
      let bytes = Array(text.utf8)
      #expect(PolicyReader.isSimple(bytes), "\(text)")
      expectSame(bytes)
    }
    #expect(!PolicyReader.isSimple(Array("version: 1\nowner: |\n  text\n".utf8)))
  }

  private func expectSame(_ text: String) { expectSame(Array(text.utf8)) }

  private func expectSame(_ bytes: [UInt8]) {
    let simple = PolicyReader.read(bytes, file: FileID(0), isSimple: true)
    let full = PolicyReader.read(bytes, file: FileID(0), isSimple: false)
    #expect(simple.1 == full.1, "\(String(decoding: bytes, as: UTF8.self))")
    #expect(all(simple.0) == all(full.0), "\(String(decoding: bytes, as: UTF8.self))")
  }

  /// All that a file says, and where.
  private func all(_ file: ParsedFile) -> String {
    var text = ""
    dump(file, to: &text)
    return text
  }

  private static let names = [
    "version", "owner", "keys", "hosts", "host", "pin", "active", "backup", "key-sets", "trust", "a", "x.y", "\"q\"",
    "é", "defaults", "mode", "-", "1", "reason", "custody",
  ]
  private static let values = [
    "1", "a", "web", "[a, b]", "[]", "{}", "{ active: [a], backup: [b] }", "\"quoted text\"", "'quoted'", "'it''s'",
    "\"a\\n\"", "# a comment", "a # comment", "a#b", "a: b", "a:b", "https://example.org/x", "[https://a.example/r]",
    "|", ">", "*a", "&a b", "!t b", "é ü", "- a", "-a", "?", "? a", "@a", "[a", "a]", "{a: b", "%", "`", "a, b",
    "[a, [b, {c: d}]]", "[a: b]", "{a}", "[a,]", "[,]", "['x', \"y\"]", "'open", "2026-01-01", "enforce", "~", "...",
    "---", "[é]", "# pintle:allow P404 until 2027-01-01: reason", "'# pintle:allow P404 until 2027-01-01: no'",
    "a   b  ", "\"\"", "''", ":a", "a:", "[a:b]", "[ ]", "[a b, c]", "[a]b", "\"a\"b", "{a:b}", "{a: , b: c}",
  ]
  private static let pieces = [
    " ", "  ", "\n", "-", ":", ": ", "#", " #", "'", "\"", "[", "]", "{", "}", ",", ", ", "&", "*", "!", "|", ">", "%",
    "\t", "\r", "é", "?", "\u{FEFF}", "\u{2028}", "---\n", "...\n", "- ", "\n\n", "\\", "pintle:allow", "# pintle:",
  ]
  private static let edges =
    values.map { "owner: " + $0 } + values.map { "- " + $0 } + values + [
      "a:\n- b\n- c", "a:\n - b\n - c", "a:\n- b\n c", "a: b\n c", "a:\n  b", "a:\n\n  b: c", "a:\nb: c",
      "- - a\n  - b",
      "-\n  a: b", "-\n- a", "- a: b\n  c: d", "- a: b\n c: d", "-   a: b\n    c: d", "a: b\n  # x\nc: d",
      "a: # x\n  b: c",
      "a:\n# x\n  b: c", "a: [b,\n c]", "a: {b: c} # x", "a: \"b\" # x", "a: \"b\"# x", "a: [b]# x", "a: b\n--- c",
      "a : b",
      "a:  b", "a:b", "a:\n  - b\n  c: d", "? a\n: b", "a:\n  - b\n - c", "  a: b\nc: d", "a: b\n...",
      "a: b\n---\nc: d",
    ]
  private static let simple = [
    "version: 1\n", "version: 1", "---\nversion: 1\nhosts: []\n", "# x\n\nversion: 1 # y\r\n",
    "version: 1\nkeys:\n  a: { pin: sha256/x, custody: \"HSM A, slot 3\" }\n  b:\n    pin: x\n",
    "version: 1\nhosts:\n  - host: a.example\n    keys: { active: [a], backup: [b, c] }\n  - host: b.example\n",
    "version: 1\nhosts:\n- host: a.example\n  report-uris: [https://pins.example.org/reports]\n  reason: a text, plainly\n",
    "version: 1\nowner: Zoë's team\nkey-sets:\n  s:\n    active:\n    - a\n    backup:\n      - b\n",
  ]
}
