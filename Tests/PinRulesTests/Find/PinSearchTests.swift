import Diagnostics
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
      "binary": "\0" + pin,
    ]
    let search = try Self.search(files)
    #expect(
      search.sightings.map { search.sources[$0.place.file].path.split(separator: "/").last } == ["a.txt", "b.txt"])
    #expect(search.passedOver.map { $0.split(separator: "/").last } == ["binary"])
    // A file that is named twice is read once; a hidden file is read only if it is named itself.
    #expect(try Self.search(files, in: ["a.txt", "a.txt", ""]).sightings.count == 2)
    #expect(try Self.search(files, in: [".hidden"]).sightings.count == 1)
    #expect(throws: WorkFailure.self) { try Self.search(files, in: ["none"]) }
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
