import Diagnostics
import PinExchange
import PinFormat
import TestSupport
import Testing

struct OkHttpImportTests {
  private func read(_ source: String, _ name: String = "Pins.kt") throws -> ImportedPins {
    try ImportFormat.okHttp.read(
      [ExchangedFile(name: name, bytes: Array(source.utf8))], ImportSettings(at: PinListScene.instant))
  }

  /// `pattern: pin numbers`, by pins whose text is written as `A`, `B` and so on in a source.
  private func entries(_ source: String, _ name: String = "Pins.kt") throws -> [String] {
    var text = source
    for (number, letter) in ["A", "B", "C", "D"].enumerated() {
      text = try text.replacing("<\(letter)>", with: "\(PinListScene.pin(number))")
    }
    let list = try read(text, name).list
    return try list.hosts.map { host in
      let letters = try list.keys(of: host).map { key in
        try #require((0..<4).first { try PinListScene.pin($0) == key.pin }.map { ["A", "B", "C", "D"][$0] })
      }
      let pattern: String =
        switch (host.subdomains, host.coversItself) {
        case (.none, _): ""
        case (.direct, true): "*+"
        case (.direct, false): "*"
        case (.all, _): "**"
        }
      return "\(pattern)\(host.host.text) \(letters.joined(separator: " "))"
    }
  }

  static let sources: [(source: String, entries: [String])] = [
    (#"CertificatePinner.Builder().add("a.com", "<A>", "<B>").add("b.com", "<C>").build()"#, ["a.com A B", "b.com C"]),
    (#"x.add("a.com", "<A>"); x.add("a.com", "<B>"); x.add("A.COM", "<A>")"#, ["a.com A B"]),
    // Patterns.
    (#"b.add("*.a.com", "<A>")"#, ["*a.com A"]),
    (#"b.add("**.a.com", "<A>")"#, ["**a.com A"]),
    (#"b.add("a.com", "<A>").add("*.a.com", "<A>")"#, ["*+a.com A"]),
    (#"b.add("*.a.com", "<A>").add("a.com", "<B>")"#, ["a.com B"]),
    (#"b.add("a.com", "<B>").add("*.a.com", "<A>")"#, ["a.com B"]),
    (#"b.add("*.a.com", "<A>", "<B>").add("a.com", "<B>")"#, ["*a.com A B", "a.com B"]),
    (#"b.add("a.com", "<A>").add("**.a.com", "<A>", "<B>")"#, ["**a.com A B"]),
    (#"b.add("bücher.example", "<A>")"#, ["xn--bcher-kva.example A"]),
    (#"b.add("[2001:DB8::1]", "<A>").add("10.0.0.5", "<B>")"#, ["10.0.0.5 B", "2001:db8::1 A"]),
    // OkHttp takes the pins of all patterns that match.
    (#"b.add("**.a.com", "<A>").add("x.a.com", "<B>")"#, ["**a.com A", "x.a.com B A"]),
    (
      #"b.add("*.a.com", "<A>").add("x.a.com", "<B>").add("y.x.a.com", "<C>")"#,
      ["*a.com A", "x.a.com B A", "y.x.a.com C"]
    ),
    (
      #"b.add("**.com", "<A>").add("**.a.com", "<B>").add("x.a.com", "<C>")"#,
      ["**a.com B A", "**com A", "x.a.com C B A"]
    ),
    (#"b.add("*.a.com", "<A>").add("*.x.a.com", "<B>")"#, ["*a.com A", "*x.a.com B"]),
    // A policy's entry goes on to names further down, which OkHttp holds to the pins above alone.
    (#"b.add("**.a.com", "<A>").add("*.x.a.com", "<B>")"#, ["**a.com A"]),
    (#"b.add("**.a.com", "<A>").add("*.x.a.com", "<B>").add("y.x.a.com", "<C>")"#, ["**a.com A", "y.x.a.com C B A"]),
    (
      #"b.add("**.a.com", "<A>").add("*.x.a.com", "<B>").add("x.a.com", "<B>")"#, ["**a.com A", "x.a.com B A"]
    ),
    (#"b.add("**.a.com", "<A>", "<B>").add("*.x.a.com", "<B>")"#, ["**a.com A B", "*x.a.com B A"]),
    // Comments, and what only looks like code.
    ("// b.add(\"a.com\", \"<A>\")\nb.add(\"b.com\", \"<B>\")", ["b.com B"]),
    ("/* b.add(\"a.com\", \"<A>\") /* */ */ b.add(\"b.com\", \"<B>\")", ["b.com B"]),
    (#"val s = "b.add(\"a.com\", \"<A>\")"; b.add("b.com", "<B>")"#, ["b.com B"]),
    (#"names.add("x"); list.add(1, "y"); b.add("b.com", "<B>")"#, ["b.com B"]),
    // Over several lines, with commas at the end, with names of arguments.
    ("b\n  .add(\n    \"a.com\",\n    \"<A>\", // one\n    /* two */ \"<B>\",\n  )\n  .build()", ["a.com A B"]),
    (#"b.add(pattern = "a.com", "<A>")"#, ["a.com A"]),
    (#"listOf(CertificatePinner.Pin("a.com", "<A>"), Pin("a.com", "<B>"))"#, ["a.com A B"]),
    // Constants and sums.
    (#"const val HOST = "a.com"; private val ROOT: String = "<A>"; b.add(HOST, ROOT, "<" + "B>")"#, ["a.com A"]),
    (#"val H = "a" + ".com"; b.add(Pins.H, "sha256/" + "x", "<A>")"#, ["a.com A"]),
    ("val ROOT = \"\"\"\n  <A>\n\"\"\"; b.add(\"a.com\", ROOT)", ["a.com A"]),
    (
      #"CertificatePinner.Builder().apply { add("a.com", "<A>"); if (x) { add("b.com", "<B>") } }.build()"#,
      ["a.com A", "b.com B"]
    ),
  ]

  @Test(arguments: sources.indices)
  func aCallIsRead(number: Int) throws {
    let row = Self.sources[number]
    #expect(try entries(row.source) == row.entries)
  }

  @Test func javaIsRead() throws {
    let source = """
      class Pins {
        private static final String ROOT = "<A>";
        String changing = "<D>";
        /* not nested: /* */
        static CertificatePinner pinner = new CertificatePinner.Builder()
            .add("a.com", ROOT, "\\u0073ha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
            .add("b.com", Pins.ROOT, '"' + "x").build();
      }
      """
    let text = try source.replacing("<A>", with: "\(PinListScene.pin(0))")
    let imported = try read(text, "Pins.java")
    #expect(imported.list.hosts.map(\.host.text) == ["a.com", "b.com"])
    #expect(try imported.list.keys(of: imported.list.hosts[1]).map(\.pin) == [PinListScene.pin(0)])
    #expect(imported.list.keys.map(\.name) == ["root", "a-com"])
    #expect(imported.findings.map(\.kind) == [.unreadablePart])
  }

  static let faults: [(source: String, findings: [String])] = [
    (#"b.add("a.com", "sha1/AAAAAAAAAAAAAAAAAAAAAAAAAAA=", "<A>")"#, ["1:16 P901"]),
    (#"b.add("a.com", "sha256/AAAA")"#, ["1:16 P901", "1:7 P902"]),
    (#"b.add("a com", "<A>")"#, ["1:7 P902"]),
    (#"b.add("a.*.com", "<A>")"#, ["1:7 P902"]),
    (#"CertificatePinner.Builder().add(host, "<A>")"#, ["1:33 P910"]),
    (#"CertificatePinner.Builder().add("a.com", pin)"#, ["1:42 P910", "1:33 P902"]),
    (#"CertificatePinner.Builder().add("a.com", *pins)"#, ["1:42 P910", "1:33 P902"]),
    (#"CertificatePinner.Builder().add("a.com")"#, ["1:29 P910"]),
    (#"val b = CertificatePinner.Builder(); for (p in ps) b.add(p.host, p.pin)"#, ["1:58 P910"]),
    (#"fun f(b: CertificatePinner.Builder) { b.add(h, p) }"#, ["1:45 P910"]),
    (#"b.add("a.com", "<A>", "sha256/$name")"#, ["1:71 P910"]),
    (#"val A = "<A>"; fun f() { val A = "<B>"; b.add("a.com", A, "<C>") }"#, ["1:152 P910"]),
    (#"b.add("**.a.com", "<A>").add("x.a.com", "<B>")"#, ["1:78 P904"]),
    (#"b.add("a.com", "<A>").add("*.a.com", "<B>")"#, ["1:75 P910"]),
    (#"b.add("**.a.com", "<A>").add("a.com", "<B>")"#, ["1:78 P904"]),
    (#"b.add("**.a.com", "<A>").add("*.x.a.com", "<B>")"#, ["1:78 P904"]),
  ]

  @Test(arguments: faults.indices)
  func whatCantBeReadIsTold(number: Int) throws {
    let row = Self.faults[number]
    var text = row.source
    for (number, letter) in ["A", "B", "C"].enumerated() {
      text = try text.replacing("<\(letter)>", with: "\(PinListScene.pin(number))")
    }
    let found = try read(text).findings.map { "\($0.place.start.line):\($0.place.start.column) \($0.kind.rawValue)" }
    #expect(found.sorted() == row.findings.sorted())
  }

  @Test func aFileWithoutPinsIsRefused() throws {
    #expect(code { try read("class A { val names = setOf(1).add(2) }") } == .missingField)
    #expect(code { try read("") } == .missingField)
  }

  /// Names come from constants and from comments at the ends of lines.
  @Test func aRealisticFileIsRead() throws {
    let files = try ["Network.kt", "Pins.java"].map { name in
      ExchangedFile(name: name, bytes: try GoldenFile.bytes("okhttp/app/\(name)"))
    }
    let imported = try ImportFormat.okHttp.read(files, ImportSettings(at: PinListScene.instant))
    #expect(
      imported.list.hosts.map { "\($0.subdomains) \($0.host.text): \(imported.list.keys(of: $0).map(\.name))" } == [
        "all api.example.com: [\"isrg-root-x1\", \"gts-root-r1\"]",
        "none cdn.example.net: [\"isrg-root-x1\", \"amazon-root-ca-1\"]",
        "direct shop.example.org: [\"payments-2026\", \"payments-spare\"]",
      ])
    #expect(imported.list.keySets[2].backup.count == 1)
    #expect(imported.findings.map(\.kind) == [.unusablePin])
    #expect(imported.findings[0].place.file == FileID(1))
  }

  @Test(arguments: 0..<200)
  func whatIsWrittenIsReadAgain(seed: Int) throws {
    let list = try PinListScene.random(seed)
    for format in [ExportFormat.okHttpKotlin, .okHttpJava] {
      let files = try format.files(of: list)
      let back = try ImportFormat.okHttp.read(files, ImportSettings(at: PinListScene.instant))
      #expect(back.findings == [])
      let written = try PinListMeaning(format.fitted(list).list) { host in
        // Source holds until it is replaced.
        (host.expires, host.onExpiry) = (nil, nil)
      }
      #expect(PinListMeaning(back.list) == written)
    }
  }

  /// Nested brackets, quotation marks without an end, and the like cost no more than they are long.
  @Test(arguments: [
    "add(", "(", "\"", "\"\"\"", "/*", "${", "\"${\"", "CertificatePinner.Builder().apply {", "\\", "'", "+ \"a\"",
  ])
  func hostileTextEnds(part: String) throws {
    let text = String(repeating: part, count: 20_000)
    for name in ["A.kt", "A.java"] {
      let started = ContinuousClock.now
      let hosts = try? read("b.add(\"x\", " + text, name).list.hosts
      #expect((hosts ?? []).isEmpty)
      #expect(ContinuousClock.now - started < .seconds(20))
    }
  }
}
