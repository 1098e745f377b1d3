import Diagnostics
import PinExchange
import PinFormat
import PinPolicy
import Testing

struct CurlImportTests {
  private func read(_ text: String, host: String? = nil) throws -> ImportedPins {
    var filled = text
    for (number, letter) in ["A", "B", "C"].enumerated() {
      let pin = try String("\(PinListScene.pin(number))".dropFirst("sha256/".count))
      filled = filled.replacing("<\(letter)>", with: "sha256//" + pin)
    }
    let settings = ImportSettings(at: PinListScene.instant, host: try host.map { try HostName(canonicalising: $0) })
    return try ImportFormat.curl.read([ExchangedFile(name: "x", bytes: Array(filled.utf8))], settings)
  }

  private func entries(_ imported: ImportedPins) throws -> [String] {
    let list = imported.list
    return try list.hosts.map { host in
      let letters = try list.keys(of: host).map { key in
        #expect(key.position == .leaf)
        return try #require((0..<3).first { try PinListScene.pin($0) == key.pin }.map { ["A", "B", "C"][$0] })
      }
      return "\(host.label) \(letters.joined(separator: " "))"
    }
  }

  static let texts: [(text: String, entries: [String])] = [
    // Commands.
    ("curl --pinnedpubkey '<A>;<B>' https://a.com/x", ["a.com A B"]),
    ("curl https://a.com:8443/ --pinnedpubkey \"<A>\"", ["a.com:8443 A"]),
    // Unquoted, the semicolon ends the command.
    ("curl https://a.com --pinnedpubkey <A>;<B>", ["a.com A"]),
    ("curl -sSf \\\n  --pinnedpubkey '<A>' \\\n  https://a.com", ["a.com A"]),
    ("set -e\nPINS='<A>;<B>'\nHOST=a.com\ncurl --pinnedpubkey \"$PINS\" \"https://${HOST}/x\"", ["a.com A B"]),
    (
      "curl --pinnedpubkey '<A>' https://a.com && /usr/bin/curl https://b.com --pinnedpubkey '<B>' | cat",
      ["a.com A", "b.com B"]
    ),
    ("curl --pinnedpubkey '<A>' https://a.com --next --pinnedpubkey '<B>' https://b.com", ["a.com A", "b.com B"]),
    ("curl --pinnedpubkey '<A>' https://a.com https://user:pw@b.com:1/?x=@y", ["a.com A", "b.com:1 A"]),
    ("curl -e https://not.com -H 'X: https://not.com' --url https://a.com --pinnedpubkey '<A>'", ["a.com A"]),
    ("# curl --pinnedpubkey '<A>' https://a.com\ncurl --pinnedpubkey '<B>' https://b.com", ["b.com B"]),
    ("curl --pinnedpubkey '<A>' 'https://[2001:db8::1]:8443/'", ["[2001:db8::1]:8443 A"]),
    // Config files.
    ("url = \"https://a.com/\"\npinnedpubkey = \"<A>;<B>\"", ["a.com A B"]),
    (
      "# x\n--url https://a.com\n\npinnedpubkey: <A>;<B>\nnext\nurl=https://b.com\r\npinnedpubkey=<C>\r\n",
      ["a.com A B", "b.com C"]
    ),
    ("url https://a.com\nnext\nurl https://b.com\npinnedpubkey <A>", ["b.com A"]),
  ]

  @Test(arguments: texts.indices)
  func pinsAreRead(number: Int) throws {
    let imported = try read(Self.texts[number].text)
    #expect(try entries(imported) == Self.texts[number].entries)
    #expect(imported.findings == [])
  }

  @Test(arguments: ["<A>;<B>", "--pinnedpubkey <A>;<B>", "pinnedpubkey = \"<A>;<B>\"", "curl --pinnedpubkey '<A>;<B>'"])
  func pinsWithoutAnAddressAreTheNamedHosts(text: String) throws {
    #expect(try entries(read(text, host: "a.com")) == ["a.com A B"])
    #expect(try read(text).findings.map(\.kind) == [.unusableHost])
  }

  static let faults: [(text: String, kinds: [ImportFinding.Kind])] = [
    ("curl --pinnedpubkey key.pem https://a.com", [.unreadablePart]),
    ("curl --pinnedpubkey \"$(cat pins)\" https://a.com", [.unreadablePart]),
    ("curl --pinnedpubkey \"$PINS\" https://a.com", [.unreadablePart]),
    ("curl --pinnedpubkey '<A>' \"https://$HOST/\"", [.unusableHost]),
    ("curl --pinnedpubkey '<A>;sha256//AAAA' https://a.com", [.unusablePin]),
    ("curl -sk --pinnedpubkey '<A>' https://a.com", [.otherMeaning]),
    ("curl --insecure --pinnedpubkey '<A>' https://a.com", [.otherMeaning]),
    ("curl -ok --pinnedpubkey '<A>' https://a.com", []),
    ("curl --pinnedpubkey '<B>' --pinnedpubkey '<A>' https://a.com", [.contradiction]),
  ]

  @Test(arguments: faults.indices)
  func whatCantBeReadIsTold(number: Int) throws {
    #expect(try read(Self.faults[number].text).findings.map(\.kind) == Self.faults[number].kinds)
  }

  @Test(arguments: ["", "curl https://a.com", "url = https://a.com", "#pinnedpubkey = x", "\\", "'", "curl '"])
  func aFileWithoutPinsIsRefused(text: String) throws {
    #expect(code { try read(text) } == .missingField)
  }

  /// Variables that hold each other twice over, lines that all go on, and the like cost no more than they are long.
  @Test(arguments: [
    "A=$A$A\n", "A=x$A$A$A\n", "a\\\n", "$A ", "'", "\\", "sha256//x\n", "curl --pinnedpubkey x --next ",
  ])
  func hostileTextEnds(part: String) throws {
    let started = ContinuousClock.now
    let imported = try? read("A=abcdefgh\n" + String(repeating: part, count: 20_000), host: "a.com")
    let hosts = imported?.list.hosts ?? []
    #expect(hosts.isEmpty)
    #expect(ContinuousClock.now - started < .seconds(30))
  }

  @Test(arguments: 0..<200)
  func whatIsWrittenIsReadAgain(seed: Int) throws {
    let list = try PinListScene.random(seed, owner: .server)
    let back = try ImportFormat.curl.read(
      ExportFormat.curl.files(of: list), ImportSettings(at: PinListScene.instant))
    #expect(back.findings == [])
    var written = try ExportFormat.curl.fitted(list).list
    // A server's key is the leaf's, which is what curl's are read as.
    for number in written.keys.indices { written.keys[number].position = .leaf }
    #expect(PinListMeaning(back.list) == PinListMeaning(written) { ($0.expires, $0.onExpiry) = (nil, nil) })
  }
}
