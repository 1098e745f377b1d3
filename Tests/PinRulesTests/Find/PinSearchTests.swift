import Diagnostics
import Foundation
import Glibc
import PinFormat
import PinPolicy
import PinRules
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

  private static func pin(_ letter: Character) -> String { RotationScene.pin(letter).description }

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
      "binary": "\0" + pin, ".git/config": pin,
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
        ".d.txt hidden", ".hidden hidden", "binary binary", "link link", "node_modules node_modules", "pipe special",
      ])
    // A file that is named twice is read once; a hidden file is read only if it is named itself.
    #expect(try Self.search(files, in: ["a.txt", "a.txt", ""]).sightings.count == 2)
    #expect(try Self.search(files, in: [".hidden"]).sightings.count == 1)
    #expect(throws: WorkFailure.self) { try Self.search(files, in: ["none"]) }
  }

  private static let certificate = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Fixtures/examples/keys/api.der").standardized

  /// Certificates that an app pins are counted, in PEM and in DER.
  @Test func certificatesAreCounted() throws {
    let der = try Data(contentsOf: Self.certificate)
    let folder = try TemporaryDirectory()
    try folder.write(Array(der), to: "api.cer")
    try folder.write(
      "-----BEGIN CERTIFICATE-----\n\(der.base64EncodedString())\n-----END CERTIFICATE-----\n", to: "a.pem")
    let search = try PinSearch(in: [folder.path], for: Self.policy())
    #expect(search.passedOver.map(\.why) == [.certificate])
    #expect(search.text.contains("; 2 certificates and keys not compared; 2 pins of the policy are nowhere"))
    #expect(search.json.contains(#""certificates": 2"#))
  }

  private static func utf16(_ text: String, mark: String, isLittle: Bool) -> [UInt8] {
    (mark + text).utf16.flatMap { unit in
      let pair = [UInt8(truncatingIfNeeded: unit), UInt8(unit >> 8)]
      return isLittle ? pair : pair.reversed()
    }
  }

  /// UTF-16 is read in both orders, with its mark and without.
  @Test(arguments: [true, false], ["", "\u{FEFF}"])
  func utf16IsRead(isLittle: Bool, mark: String) throws {
    let folder = try TemporaryDirectory()
    let text = "// the pins of a.example.com\n\n  val pin = \"\(Self.pin("a"))\" // é\n"
    try folder.write(Self.utf16(text, mark: mark, isLittle: isLittle), to: "pins.ps1")
    let search = try PinSearch(in: [folder.path], for: Self.policy())
    #expect(search.sightings.map(\.standing) == [.active])
    #expect(search.sightings.map(\.place.start) == [Position(line: 3, column: 21)])
    #expect(search.passedOver.isEmpty)
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
