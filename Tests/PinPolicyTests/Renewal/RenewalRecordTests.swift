import Diagnostics
import Foundation
import PinFormat
import PinPolicy
import PolicySupport
import TestSupport
import Testing

/// The record of `pintle check --renewals`: what it says, and which files are one.
struct RenewalRecordTests {
  private static let folder = ExampleFiles.directory.deletingLastPathComponent().appending(path: "renewals")
  private static let checked = Instant(secondsSinceEpoch: 1_795_000_000)

  private static func files(_ name: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: name).path())) ?? []).sorted()
  }

  private static func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appending(path: path)))
  }

  private static func record(_ hosts: (String, RenewalSetting.Answer)...) -> RenewalRecord {
    RenewalRecord(
      checked: checked,
      hosts: hosts.map { RenewalRecord.Host(name: $0.0, answer: $0.1, tool: .certbot, file: "a.conf", line: 9) })
  }

  /// What the schema accepts is read, and written again as it was.
  @Test func validFiles() throws {
    #expect(Self.files("valid").count == 2)
    for name in Self.files("valid") {
      let bytes = try Self.bytes("valid/" + name)
      let text = try RenewalRecord(reading: bytes).json
      let again = try RenewalRecord(reading: Array(text.utf8))
      #expect(again.json == text)
      #expect(text.filter { !$0.isWhitespace } == String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace })
    }
  }

  @Test func invalidFiles() throws {
    #expect(Self.files("invalid").count == 32)
    for name in Self.files("invalid") {
      #expect(throws: RenewalRecord.Problem.self, "\(name)") {
        try RenewalRecord(reading: try Self.bytes("invalid/" + name))
      }
    }
  }

  @Test(arguments: [
    ("invalid/other-version.json", "its 'version' isn't 1, the only one that this pintle reads"),
    ("invalid/other-format.json", "its 'format' isn't 'pintle-renewals'"),
    ("invalid/further-field-of-host.json", "line 20: unknown field 'port'"),
    ("invalid/answer-that-is-none.json", "line 10: 'answer' isn't keeps, unknown or new-key"),
    ("invalid/without-checked.json", "line 1: 'checked' is missing"),
  ])
  func whatIsWrong(_ path: String, _ message: String) throws {
    let bytes = try Self.bytes(path)
    let problem = #expect(throws: RenewalRecord.Problem.self) { try RenewalRecord(reading: bytes) }
    #expect(problem?.message == message)
  }

  @Test func largeAndDeepFiles() throws {
    let large = [UInt8](repeating: UInt8(ascii: " "), count: RenewalRecord.sizeLimit + 1)
    let problem = #expect(throws: RenewalRecord.Problem.self) { try RenewalRecord(reading: large) }
    #expect(problem?.message == "it has more than 16 MiB")
    let deep = Array(String(repeating: "[", count: 10_000).utf8)
    #expect(throws: RenewalRecord.Problem.self) { try RenewalRecord(reading: deep) }
  }

  private static let rows: [(hosts: [(String, RenewalSetting.Answer)], host: String, keeps: Bool)] = [
    ([("a.example.com", .keeps)], "a.example.com", true), ([("a.example.com", .keeps)], "b.example.com", false),
    ([("a.example.com", .newKey)], "a.example.com", false), ([("a.example.com", .unknown)], "a.example.com", false),
    // A wildcard covers one label.
    ([("*.example.com", .keeps)], "a.example.com", true), ([("*.example.com", .keeps)], "a.b.example.com", false),
    ([("*.example.com", .keeps)], "example.com", false), ([("10.0.0.5", .keeps)], "10.0.0.5", true),
    // The worst answer counts, in either order.
    ([("a.example.com", .keeps), ("a.example.com", .newKey)], "a.example.com", false),
    ([("a.example.com", .newKey), ("a.example.com", .keeps)], "a.example.com", false),
    ([("a.example.com", .keeps), ("*.example.com", .unknown)], "a.example.com", false),
    ([("a.example.com", .keeps), ("*.example.com", .keeps)], "a.example.com", true), ([], "a.example.com", false),
  ]

  @Test(arguments: 0..<13)
  func keepsKey(_ number: Int) throws {
    #expect(Self.rows.count == 13)
    let row = Self.rows[number]
    let hosts = row.hosts.map { RenewalRecord.Host(name: $0.0, answer: $0.1, tool: .lego, file: "a", line: 1) }
    let record = RenewalRecord(checked: Self.checked, hosts: hosts)
    #expect(record.keepsKey(try HostName(canonicalising: row.host)) == row.keeps)
  }

  @Test func age() {
    let record = Self.record(("a.example.com", .keeps))
    func objection(_ days: Int64, _ seconds: Int64 = 0) -> String? {
      record.objection(at: Instant(secondsSinceEpoch: Self.checked.secondsSinceEpoch + days * 86_400 + seconds))
    }
    #expect(objection(0) == nil && objection(90, -1) == nil && objection(-1) == nil)
    #expect(objection(90) == "it was made on \(Self.checked), 90 days ago; the limit is 90 days")
    #expect(objection(-1, -1) == "it was made later, on \(Self.checked)")
  }

  /// A record of files that have changed isn't used; what isn't on this machine isn't known.
  @Test(
    arguments: [
      (["a": "1", "b": "2"], nil), ([:], nil), (["c": "1"], nil), (["a": "1", "b": "3"], "'b' has changed since"),
      (["a": "1"], "'b' doesn't exist any more"), (["b": "2", "a": ""], "'a' has changed since"),
    ] as [([String: String], String?)])
  func change(_ now: [String: String], _ expected: String?) throws {
    let files = ["a": "1", "b": "2", "unread": ""].compactMap { path, text in
      RenewalRecord.File(SourceSet.File(path: path, bytes: Array(text.utf8)))
    }
    let record = RenewalRecord(checked: Self.checked, hosts: [], files: files)
    let again = try RenewalRecord(reading: Array(record.json.utf8))
    #expect(again.files.map(\.path) == ["a", "b"])
    #expect(again.change { now[$0].map { Array($0.utf8) } } == expected)
  }

  /// Sorted by host, file and line, each once.
  @Test func order() {
    let hosts = [("b", 10), ("a", 9), ("b", 9), ("a", 9)].map { name, line in
      RenewalRecord.Host(name: name, answer: .keeps, tool: .lego, file: "f", line: line)
    }
    let record = RenewalRecord(checked: Self.checked, hosts: hosts)
    #expect(record.hosts.map { "\($0.name)\($0.line ?? 0)" } == ["a9", "b9", "b10"])
  }
}
