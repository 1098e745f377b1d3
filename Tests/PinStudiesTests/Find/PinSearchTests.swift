import Diagnostics
import Foundation
import Glibc
import OpenSSLKit
import PinFormat
import PinPolicy
import PinRules
import PinStudies
import PolicySupport
import TestSupport
import Testing

/// The pins in files, against a policy.
struct PinSearchTests {
  /// The policy's keys `a` (active), `b` (backup), `d` (denied) and `s` (in no set).
  private static func policy() throws -> Policy {
    try ExampleFiles.resolve([
      "policy.yaml": """
      version: 1
      keys:
        a: { pin: \(pin("a")) }
        b: { pin: \(pin("b")) }
        d: { pin: \(pin("d")), denied: "leaked" }
        s: { pin: \(pin("s")) }
      hosts:
        - { host: a.example.com, keys: { active: [a], backup: [b] } }
      """
    ])
  }

  private static func pin(_ letter: Character) -> String { Pin(letter: letter).description }

  private static func search(_ files: [String: String], in paths: [String] = [""]) throws -> PinSearch {
    let folder = try TemporaryDirectory()
    for (path, text) in files { try folder.write(text, to: path) }
    return try PinSearch(in: paths.map { $0.isEmpty ? folder.path : folder.path($0) }, for: policy())
  }

  private static let rows: [(String, [PinStanding], Int)] = [
    ("", [PinStanding](), 2), ("\(pin("a"))", [.active], 1), ("\(pin("a")) \(pin("b"))", [.active, .backup], 0),
    ("\(pin("d"))\n\(pin("s"))\n\(pin("x"))", [.denied, .unused, .unknown], 2),
    ("\(pin("b")) \(pin("b"))", [.backup, .backup], 1),
  ]

  @Test(arguments: rows)
  func standings(_ text: String, _ standings: [PinStanding], _ missing: Int) throws {
    let search = try Self.search(["Pins.kt": text])
    #expect(search.sightings.map(\.standing) == standings)
    #expect(search.missing.count == missing)
    #expect(search.files == 1)
  }

  /// One line for each pin of a file, with the hosts that its lines name.
  @Test func equalPins() throws {
    let pin = Self.pin("x")
    let lines = [
      #"  .add("*.a.example.com", "\#(pin)")"#, #"  .add("b.example.com", "\#(pin)")"#,
      #"  log.add("B.kt", "\#(pin)")"#,
      "curl --pinnedpubkey '\(pin)' https://c.example.com/x", "other.add(x.com, '\(Self.pin("a"))')",
    ]
    let search = try Self.search(["B.kt": lines.joined(separator: "\n")])
    let text = search.text.split(separator: "\n")
    #expect(text.count == 4, "\(search.text)")
    #expect(text[0].hasSuffix("\(pin)  for a.example.com, b.example.com, c.example.com; also in lines 2, 3, 4"))
    #expect(text[1].hasSuffix("\(Self.pin("a"))  a"))
    #expect(text[3].hasPrefix("5 pins in 1 of 1 file: 1 active, 4 unknown"))
    #expect(search.sightings.map(\.host) == ["a.example.com", "b.example.com", nil, "c.example.com", nil])
  }

  /// Pintle's own files, as strictly as they are read elsewhere: what is in any other file counts.
  @Test func ownFiles() throws {
    let fixtures = URL(filePath: #filePath).appending(path: "../../../../examples/policy-repository").standardized
    func text(_ path: String) throws -> String {
      try String(contentsOf: fixtures.appending(path: path), encoding: .utf8)
    }
    let files = [
      "keysets/1.json": try text("keysets/1.keyset.json"), "b.json": try text("keysets/1.keyset.json"),
      "schema.json": try text("schemas/policy.schema.json"),
    ]
    let search = try Self.search(files)
    #expect(search.files == 0 && search.sightings.isEmpty && search.hasUnknowns)
    #expect(search.notSearched == "2 keysets, 1 schema")
    // With one byte more, it isn't such a file.
    let changed = try Self.search(files.mapValues { $0 + " " })
    #expect(changed.files == 3 && changed.count(of: .unknown) > 3)
    // Naming a file gives the same answer as naming its folder.
    #expect(try Self.search(files, in: ["b.json"]).notSearched == "1 keyset")
  }

  /// An app that ships a manifest pins its keys.
  @Test(arguments: [(nil, [PinStanding.denied, .unknown]), ("leaked", [.unknown])] as [(String?, [PinStanding])])
  func manifestsAreSearched(_ denied: String?, _ standings: [PinStanding]) throws {
    func manifest(_ letters: [Character]) throws -> [UInt8] {
      let issued = try #require(Instant(written: "2026-11-21"))
      let manifest = Manifest(
        audience: "production", serial: 7, issued: issued, refreshAfter: issued.adding(seconds: 60),
        expires: issued.adding(seconds: 86_400), onStale: .enforce, previous: Pin(letter: "p").digest,
        provenance: .init(sources: Pin(letter: "q").digest, commit: nil, compiler: "pintle test"),
        unpinnedHosts: .allow, drasticChange: nil,
        keys: letters.map {
          .init(name: "k-\($0)", pin: Pin(letter: $0), position: nil, denied: $0 == "d" ? denied : nil)
        },
        keySets: [.init(name: "web", active: ["k-\(letters.last ?? "x")"], backup: [])], certificates: [],
        hosts: [
          Manifest.HostEntry(
            host: try HostName(canonicalising: "a.example.com"), port: nil, includeSubdomains: false, mode: .enforce,
            keySet: "web", requirement: .any, expires: nil, onExpiry: nil, reportURIs: [], trust: nil)
        ])
      return SignatureEnvelope.encode(signed: manifest.signedBytes(), signatures: [])
    }
    let folder = try TemporaryDirectory()
    for place in ["app", "released/a"] { try folder.write(manifest(["d", "x"]), to: place + "/m.json") }
    try folder.write("version: 1\n", to: "policies/p.yaml")
    func search(_ path: String) throws -> PinSearch {
      try PinSearch(in: [folder.path + path], for: Self.policy(), in: folder.path("policies"))
    }
    for path in ["/app", "/app/m.json", "/released", "/released/a/../a/m.json"] {
      let search = try search(path)
      #expect(search.sightings.map(\.standing) == standings && search.files == 1, "\(path)")
    }
    // Among all that the repository has, what was released doesn't count.
    let all = try search("")
    #expect(all.sightings.map(\.standing) == standings && all.notSearched == "1 manifest")
  }

  /// The text, the JSON and the findings are about the same pins.
  @Test func whatIsSaid() throws {
    let search = try Self.search(["Pins.kt": "\(Self.pin("a"))\n\(Self.pin("d")) \(Self.pin("x"))"])
    let last = search.text.split(separator: "\n").last
    #expect(last == "3 pins in 1 of 1 file: 1 active, 1 denied, 1 unknown; 1 pin of the policy is nowhere")
    let report = search.report(at: Instant(secondsSinceEpoch: 0))
    #expect(report.diagnostics.map(\.code).sorted() == ["P913", "P914", "P915"])
    #expect(search.json.contains(#""standing": "denied""#) && search.json.contains(#""format": "pintle-find""#))
  }

  @Test func whatIsLeftOut() throws {
    let pin = Self.pin("a")
    let files = [
      "a.txt": pin, "sub/b.txt": pin, ".hidden/c.txt": pin, "sub/.d.txt": pin, "node_modules/e.txt": pin,
      "image.gif": "GIF89a\0" + pin, ".git/config": pin,
    ]
    let folder = try TemporaryDirectory()
    for (path, text) in files { try folder.write(text, to: path) }
    #expect(symlink("a.txt", folder.path("link")) == 0 && mkfifo(folder.path("pipe"), 0o600) == 0)
    let search = try PinSearch(in: [folder.path], for: Self.policy())
    #expect(
      search.sightings.map { search.sources[$0.place.file].path.split(separator: "/").last } == ["a.txt", "b.txt"])
    let passedOver = search.passedOver.map { "\($0.path.split(separator: "/").last ?? "") \($0.why.rawValue)" }
    #expect(
      passedOver.sorted() == [
        ".d.txt hidden", ".hidden hidden", "image.gif binary", "link link", "node_modules node_modules", "pipe special",
      ])
    // A file that is named twice is read once; a hidden file is read only if it is named itself.
    #expect(try Self.search(files, in: ["a.txt", "a.txt", ""]).sightings.count == 2)
    #expect(try Self.search(files, in: [".hidden"]).sightings.count == 1)
    #expect(throws: WorkFailure.self) { try Self.search(files, in: ["none"]) }
  }

  /// A link that leads out of what is searched may lead to pins.
  @Test func linksToElsewhere() throws {
    let (folder, other) = (try TemporaryDirectory(), try TemporaryDirectory())
    try folder.write("", to: "a.txt")
    try other.write(Self.pin("c"), to: "Pins.kt")
    #expect(symlink(other.path("Pins.kt"), folder.path("Pins.kt")) == 0)
    #expect(symlink(other.path, folder.path("more")) == 0 && symlink("nowhere", folder.path("dangling")) == 0)
    let search = try PinSearch(in: [folder.path], for: Self.policy())
    #expect(search.unread.count == 3 && search.hasUnknowns && search.passedOver.isEmpty)
    #expect(
      search.text.contains("Pins.kt:1:1   unreadable  it is a link to a file that isn't searched"), "\(search.text)")
    let both = try PinSearch(in: [folder.path, other.path], for: Self.policy())
    #expect(both.unread.count == 1 && both.passedOver.count == 2)
  }

  private static let certificate = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Fixtures/examples/keys/api.der").standardized

  /// Certificates that an app pins are counted, in PEM and in DER.
  @Test func certificatesAreCounted() throws {
    let der = try Data(contentsOf: Self.certificate)
    let folder = try TemporaryDirectory()
    try folder.write(Array(der), to: "api.cer")
    try folder.write(try PrivateKey(generating: .ed25519).publicKey().subjectPublicKeyInfo, to: "key.der")
    try folder.write(
      "-----BEGIN CERTIFICATE-----\n\(der.base64EncodedString())\n-----END CERTIFICATE-----\n", to: "a.pem")
    let search = try PinSearch(in: [folder.path], for: Self.policy())
    #expect(search.passedOver.map(\.why) == [.certificate, .certificate] && search.unread.isEmpty)
    #expect(search.text.contains("; 3 certificates and keys not compared; 2 pins of the policy are nowhere"))
    #expect(search.json.contains(#""certificates": 3"#))
  }

  private static func wide(_ text: String, _ mark: String, isLittle: Bool, width: Int) -> [UInt8] {
    let units = width == 2 ? (mark + text).utf16.map { UInt32($0) } : (mark + text).unicodeScalars.map(\.value)
    return units.flatMap { unit in
      let bytes = (0..<width).map { UInt8(truncatingIfNeeded: unit >> UInt32(8 * $0)) }
      return isLittle ? bytes : bytes.reversed()
    }
  }

  /// UTF-16 and UTF-32 are read in both orders, with their marks and without.
  @Test(arguments: [(2, true), (2, false), (4, true), (4, false)], ["", "\u{FEFF}"])
  func wideTextIsRead(_ form: (width: Int, isLittle: Bool), _ mark: String) throws {
    let folder = try TemporaryDirectory()
    let text = "// the pins of a.example.com\n\n  val pin = \"\(Self.pin("a"))\" // é\n"
    try folder.write(Self.wide(text, mark, isLittle: form.isLittle, width: form.width), to: "pins.ps1")
    let search = try PinSearch(in: [folder.path], for: Self.policy())
    #expect(search.sightings.map(\.standing) == [.active])
    #expect(search.sightings.map(\.place.start) == [Position(line: 3, column: 21)])
    #expect(search.passedOver.isEmpty && search.unread.isEmpty)
  }

  private static let gzip: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + (1...200).map { $0 }
  private static let binary: [UInt8] = Array("\u{7F}ELF".utf8) + [UInt8](repeating: 1, count: 60)
  private static let image: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D]

  /// What isn't text: unreadable if it may have pins, or if it is named; an image below a folder is only counted.
  @Test(arguments: [
    (gzip, "a.txt.gz", "is compressed", true), (Array("PK\u{3}\u{4}".utf8) + binary, "a.jar", "is compressed", true),
    (Array("BZh91AY".utf8), "a.bz2", "is compressed", true), (binary, "a.so", "is binary", true),
    (binary, "large.so", "is binary", true),
    ([0x30, 0x82, 1, 0, 2, 1, 3, 0x30] + binary, "a.p12", "is PKCS #12. 'openssl pkcs12", true),
    (image, "a.png", "isn't a text", false), (Array("wOF2\0\0".utf8) + binary, "a.woff2", "isn't a text", false),
  ])
  func whatIsNotText(_ bytes: [UInt8], _ name: String, _ reason: String, _ mayHavePins: Bool) throws {
    let folder = try TemporaryDirectory()
    let rest = [UInt8](repeating: 1, count: name == "large.so" ? 17 << 20 : 0)
    try folder.write(bytes + rest, to: name)
    try folder.write(Self.pin("a"), to: "b.txt")
    for (path, isUnread) in [(folder.path, mayHavePins), (folder.path(name), true)] {
      let search = try PinSearch(in: [path], for: Self.policy())
      #expect(search.unread.count == (isUnread ? 1 : 0) && search.passedOver.count == (isUnread ? 0 : 1))
      #expect(search.hasUnknowns == isUnread)
      guard isUnread else { continue }
      #expect(search.text.contains("\(name):1:1") && search.text.contains(reason) && search.json.contains(reason))
      let found = search.report(at: Instant(secondsSinceEpoch: 0)).diagnostics.filter { $0.code == "P916" }
      #expect(found.count == 1)
    }
  }

  /// A zero here and there is no reason not to read a text.
  @Test func textWithZerosIsRead() throws {
    let search = try Self.search(["a.txt": "name\0value\nsome longer text, as sources have it\n\(Self.pin("x"))\n\0\n"])
    #expect(search.sightings.map(\.standing) == [.unknown] && search.files == 1)
  }

  /// Where nothing was read, nothing is known.
  @Test(arguments: [[String: String](), [".env": "x"], ["node_modules/a.js": "x"], ["policy/.hidden/x": "x"]])
  func nothingRead(_ files: [String: String]) throws {
    let search = try Self.search(files)
    #expect(search.files == 0 && search.hasUnknowns && search.unread.isEmpty)
    #expect(try !Self.search(files.merging(["a.txt": "x"]) { $1 }).hasUnknowns)
  }

  @Test(arguments: ["x.txt", "sub", "sub/", "./sub"])
  func excludedPathsAreNotSearched(_ path: String) throws {
    let folder = try TemporaryDirectory()
    for name in ["x.txt", "sub/y.txt", "z.txt"] { try folder.write(Self.pin("x"), to: name) }
    let search = try PinSearch(in: [folder.path], except: [folder.path + "/" + path], for: Self.policy())
    #expect(search.files == 2 && search.sightings.count == 2)
  }

  /// Numbers of several bytes are compared in both orders.
  @Test(arguments: [true, false], ["pin", "seed"])
  func ordersOfBytes(isLastFirst: Bool, name: String) throws {
    func text(_ letter: Character) -> String {
      let digits = Array(Hex.encode(Pin(letter: letter).digest.bytes))
      let bytes = stride(from: 0, to: 64, by: 2).map { String(digits[$0..<$0 + 2]) }
      let numbers = stride(from: 0, to: 32, by: 8).map { start in
        "0x" + (isLastFirst ? bytes[start..<start + 8].reversed() : Array(bytes[start..<start + 8])).joined() + "ULL"
      }
      return "uint64_t \(name)[] = { \(numbers.joined(separator: ", ")) };\n"
    }
    let search = try Self.search(["a.c": text("a") + "int x;\n" + text("x")])
    #expect(search.sightings.map(\.standing) == (name == "pin" ? [.active, .unknown] : [.active]))
  }

  /// A key that isn't called a pin is compared, and counted if the policy doesn't know it.
  @Test func keysInBase64() throws {
    let key = try PrivateKey(generating: .ed25519).publicKey()
    let text = Base64.encode(key.subjectPublicKeyInfo)
    let search = try Self.search(["a.txt": "licence: \(text)\n"])
    #expect(search.sightings.isEmpty && search.certificates == 1)
    let named = try Self.search(["a.txt": "pin: \(text)\n"])
    #expect(named.sightings.map(\.pin) == [Pin(SHA256Digest(try key.digest()))] && named.certificates == 0)
  }

  /// What can't be read is in the text, in the JSON and among the findings, and no pin counts as known by it.
  @Test(arguments: [
    ("sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u", "has 27 characters behind 'sha256/', where a digest in Base64 has 43"),
    ("bplist00\0\0\u{1}", "is a binary property list. "),
    ("version https://git-lfs.github.com/spec/v1\noid sha256:\(String(repeating: "a", count: 64))\n", "'git lfs pull'"),
    ("_443._tcp.a IN TLSA 3 0 1 \(String(repeating: "ab", count: 32))", "of a certificate and not of its key"),
  ])
  func whatCannotBeRead(_ text: String, _ reason: String) throws {
    let search = try Self.search(["Pins.kt": text])
    #expect(search.unread.count == 1)
    #expect(search.text.contains("unreadable") && search.text.contains(reason))
    #expect(search.text.contains("; 1 that can't be read"))
    #expect(search.json.contains(#""unreadable": 1"#) && search.json.contains(reason))
    let found = search.report(at: Instant(secondsSinceEpoch: 0)).diagnostics.filter { $0.code == "P916" }
    #expect(found.count == 1 && found.allSatisfy { $0.message.contains(reason) })
  }

  /// By whatever path the policy's own files are found, their pins aren't what is searched for.
  @Test func thePolicyItselfIsNotSearched() throws {
    let folder = try TemporaryDirectory()
    let text =
      "version: 1\nkeys:\n  a: { pin: \(Self.pin("a")) }\nhosts:\n  - { host: a.test, keys: { active: [a] } }\n"
    try folder.write(text, to: "policies/p.yaml")
    try folder.write(Self.pin("a"), to: "app.txt")
    let policy = try PolicyDirectory.load([folder.path("policies")]).policy()
    let search = try PinSearch(in: [folder.path("policies/../")], for: policy)
    #expect(search.sightings.count == 1 && search.files == 1)
  }
}
