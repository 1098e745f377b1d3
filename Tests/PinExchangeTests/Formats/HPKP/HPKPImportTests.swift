import Diagnostics
import PinExchange
import PinFormat
import Testing

struct HPKPImportTests {
  private func read(_ text: String, host: String? = "a.com") throws -> ImportedPins {
    var filled = text
    for (number, letter) in ["A", "B", "C"].enumerated() {
      let pin = try String("\(PinListScene.pin(number))".dropFirst("sha256/".count))
      filled = filled.replacing("<\(letter)>", with: "pin-sha256=\"\(pin)\"")
    }
    let settings = ImportSettings(at: PinListScene.instant, host: try host.map { try HostName(canonicalising: $0) })
    return try ImportFormat.hpkp.read([ExchangedFile(name: "x", bytes: Array(filled.utf8))], settings)
  }

  private func entries(_ imported: ImportedPins) throws -> [String] {
    let list = imported.list
    return try list.hosts.map { host in
      let letters = try list.keys(of: host).map { key in
        try #require((0..<3).first { try PinListScene.pin($0) == key.pin }.map { ["A", "B", "C"][$0] })
      }
      let age = host.expires.map { " \($0.seconds(since: PinListScene.instant))" } ?? ""
      let covers = host.subdomains == .all ? " all" : ""
      return "\(host.host.text) \(letters.joined()) \(host.mode)\(age)\(covers)"
        + host.reportURIs.map { " " + $0 }.joined()
    }
  }

  static let heads: [(text: String, entries: [String])] = [
    ("Public-Key-Pins: <A>; <B>; max-age=60", ["a.com AB enforce 60"]),
    ("PUBLIC-KEY-PINS:<A>;<B>;Max-Age=\"60\";INCLUDESUBDOMAINS", ["a.com AB enforce 60 all"]),
    ("Public-Key-Pins: max-age=0; <A>; <B>", ["a.com AB enforce 0"]),
    (
      "public-key-pins: <A> ; <B> ; max-age=60 ; report-uri=\"https://r.example/?a=1;b\" ;",
      ["a.com AB enforce 60 https://r.example/?a=1;b"]
    ),
    ("Public-Key-Pins-Report-Only: <A>; report-uri=\"https://r.example\"", ["a.com A reportOnly https://r.example"]),
    ("<A>; <B>; max-age=1", ["a.com AB enforce 1"]),
    ("HTTP/1.1 200 OK\r\nServer: x\r\nPublic-Key-Pins: <A>; <B>; max-age=60\r\n\r\nPublic", ["a.com AB enforce 60"]),
    (
      "< HTTP/2 200\n< public-key-pins: <A>; <B>; max-age=60\n< public-key-pins-report-only: <C>",
      ["a.com AB enforce 60", "a.com C reportOnly"]
    ),
    ("Public-Key-Pins: <A>; <B>; max-age=99999999999999999999999999", ["a.com AB enforce 251607081599"]),
  ]

  @Test(arguments: heads.indices)
  func aHeadIsRead(number: Int) throws {
    let imported = try read(Self.heads[number].text)
    #expect(try entries(imported).sorted() == Self.heads[number].entries)
    #expect(imported.findings == [])
  }

  @Test func theRequestSaysWhoseHeaderItIs() throws {
    let text = "> GET / HTTP/1.1\n> Host: b.com:8443\n>\n< HTTP/1.1 200 OK\n< Public-Key-Pins: <A>; <B>; max-age=60\n"
    #expect(try entries(read(text, host: nil)) == ["b.com AB enforce 60"])
    #expect(try read("Public-Key-Pins: <A>; max-age=60", host: nil).findings.map(\.kind) == [.unusableHost])
    #expect(try read("Public-Key-Pins: <A>; max-age=60", host: "10.0.0.5").findings.map(\.kind) == [.unusableHost])
  }

  /// What user agents ignore is left out, and told (RFC 7469 section 2.1).
  static let faults: [(text: String, kinds: [ImportFinding.Kind], hosts: Int)] = [
    ("Public-Key-Pins: <A>; <B>", [.unreadablePart], 0),
    ("Public-Key-Pins: <A>; <B>; max-age=", [.unreadablePart], 0),
    ("Public-Key-Pins: <A>; <B>; max-age=-1", [.unreadablePart], 0),
    ("Public-Key-Pins: <A>; <B>; max-age=1d", [.unreadablePart], 0),
    ("Public-Key-Pins: <A>; <B>; max-age=1; max-age=2", [.unreadablePart], 0),
    ("Public-Key-Pins: <A>; <B>; max-age=1; includeSubDomains; includesubdomains", [.unreadablePart], 0),
    ("Public-Key-Pins: <A>, <B>; max-age=1", [.unreadablePart], 0),
    ("Public-Key-Pins: <A> <B>; max-age=1", [.unreadablePart], 0),
    ("Public-Key-Pins: pin-sha256=abc; <B>; max-age=1", [.unreadablePart], 0),
    ("Public-Key-Pins: pin-sha256=\"abc; <B>; max-age=1", [.unreadablePart], 0),
    ("Public-Key-Pins:", [.unreadablePart], 0),
    ("Public-Key-Pins: ;;", [.unreadablePart], 0),
    ("Public-Key-Pins: max-age=1", [.unusableHost], 0),
    ("Public-Key-Pins: <A>; pin-sha1=\"x\"; max-age=1", [.unusablePin], 1),
    ("Public-Key-Pins: <A>; pin-sha256=\"AAAA\"; max-age=1", [.unusablePin], 1),
    ("Public-Key-Pins: <A>; <B>; max-age=1; preload", [.unknownField], 1),
    ("Public-Key-Pins: <A>; <B>; max-age=1\nPublic-Key-Pins: <C>; max-age=1", [.contradiction], 1),
  ]

  @Test(arguments: faults.indices)
  func whatIsIgnoredIsTold(number: Int) throws {
    let row = Self.faults[number]
    let imported = try read(row.text)
    #expect(imported.findings.map(\.kind) == row.kinds)
    #expect(imported.list.hosts.count == row.hosts)
  }

  @Test func aHeadWithoutPinsIsRefused() throws {
    #expect(code { try read("HTTP/1.1 200 OK\nStrict-Transport-Security: max-age=1") } == .missingField)
  }

  @Test(arguments: 0..<200)
  func whatIsWrittenIsReadAgain(seed: Int) throws {
    var list = try PinListScene.random(seed)
    // One host has a name and a backup, so that something is left.
    list.keySets.append(PinList.KeySet(name: "two", active: [0], backup: [1]))
    list.hosts.append(try PinListScene.host("z.example.com", keySet: list.keySets.count - 1))
    guard (try? ExportFormat.hpkp.fitted(list)) != nil else {
      // Two ports of one host are no two headers.
      return #expect(Set(list.hosts.map(\.host)).count < list.hosts.count)
    }
    let back = try ImportFormat.hpkp.read(
      ExportFormat.hpkp.files(of: list), ImportSettings(at: PinListScene.instant))
    #expect(back.findings == [])
    let written = try PinListMeaning(ExportFormat.hpkp.fitted(list).list) { host in
      if host.mode == .reportOnly {
        (host.expires, host.onExpiry) = (nil, nil)
      } else if host.onExpiry != .unpinned {
        // Noted for the customary 60 days, and anew with each response.
        (host.expires, host.onExpiry) = (PinListScene.instant.adding(seconds: 60 * 86_400), .unpinned)
      }
    }
    #expect(PinListMeaning(back.list) == written)
  }
}
