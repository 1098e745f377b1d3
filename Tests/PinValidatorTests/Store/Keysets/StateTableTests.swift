import Foundation
import Glibc
import PinFormat
import PinValidator
import TestSupport
import Testing

/// The table of docs/security.md, cell by cell.
@Suite("State files that somebody wrote")
struct StateTableTests {
  struct Cell: CustomTestStringConvertible, Sendable {
    var files: [String]
    var withoutManifest: WithoutManifest
    var kind: String
    /// What the cell says is in force.
    var outcome: String
    /// What the row says of files that are absent.
    var absent: String
    var testDescription: String { "\(files.joined(separator: " ")): \(kind), \(withoutManifest)" }
  }

  private static let kinds = [
    "absent", "old", "torn", "forged", "link", "FIFO", "directory", "other owner", "world-writable",
  ]
  private static let table: [Cell] = {
    let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../../docs/security.md")
    let text = (try? String(contentsOf: path, encoding: .utf8)) ?? ""
    return text.components(separatedBy: "\n").flatMap { line -> [Cell] in
      let columns = line.components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard columns.count == kinds.count + 4, columns[1].hasPrefix("`") else { return [] }
      let files = columns[1].components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
      let settings: [WithoutManifest] =
        switch columns[2] {
        case "`block`": [.block]
        case "`notPinned`": [.notPinned]
        default: [.block, .notPinned]
        }
      return settings.flatMap { setting in
        kinds.indices.map {
          Cell(
            files: files, withoutManifest: setting, kind: kinds[$0], outcome: columns[$0 + 3], absent: columns[3])
        }
      }
    }
  }()

  @Test("do what the table says, with an embedded manifest and without", arguments: table)
  func cell(cell: Cell) throws {
    // By default one of the two, if the table has the same outcome for both.
    let isSame = !cell.outcome.hasPrefix("embedded")
    for isEmbedded in [true, false].suffix(Thoroughness.pick(isSame ? 1 : 2, full: 2)) {
      let scene = try Prepared()
      try scene.change(cell.files, as: cell.kind)
      let expected: [String]
      switch cell.outcome {
      case "newest": expected = ["9", "cancel"]
      case "older": expected = ["7", "cancel"]
      case "embedded, or block": expected = isEmbedded ? ["5", "cancel"] : ["0", "cancel"]
      case "embedded, or not pinned": expected = isEmbedded ? ["5", "cancel"] : ["0", "performDefaultHandling"]
      default: expected = ["no such outcome: \(cell.outcome)"]
      }
      // The process must not run as root, who may read all files.
      let run =
        cell.kind == "other owner" ? try scene.runAlone(cell, isEmbedded) : try scene.run(cell, isEmbedded)
      #expect(run.found == expected, "embedded: \(isEmbedded)")
      #expect(run.last == "activated", "embedded: \(isEmbedded)")
      let after = try scene.open(cell, isEmbedded)
      #expect(after.footing == [3, 10, 10] && after.startup.problems.isEmpty, "\(after.startup.problems)")
    }
  }

  @Test("are never worse than absent ones, and those never worse than the embedded manifest")
  func neverWorseThanAbsent() {
    func rank(_ outcome: String) -> Int? {
      ["embedded, or block": 1, "embedded, or not pinned": 1, "older": 2, "newest": 3][outcome]
    }
    #expect(Self.table.count == (7 * 2 + 4) * Self.kinds.count)
    for cell in Self.table {
      #expect(rank(cell.outcome) ?? 0 >= rank(cell.absent) ?? 4, "\(cell.testDescription)")
    }
  }
}

/// A folder in which serial 9 is in force, by a signer whom only the third keyset names.
private struct Prepared {
  private let scene: KeysetScene
  private let outside: String
  private let mallory = KeysetScene.Forger()

  init() throws {
    scene = try KeysetScene()
    let store = try scene.open()
    try store.update(scene.release(7, signedBy: [0, 1]))
    try store.update(keyset: scene.keyset(2, signers: [0, 1]))
    try store.update(keyset: scene.keyset(3, signers: [1]))
    try store.update(scene.release(9, signedBy: [1]))
    outside = scene.folder.path("outside")
  }

  private func isOfKeysets(_ name: String) -> Bool { name.hasPrefix("keysets") }

  /// What a file once was.
  private func old(_ name: String) throws -> [UInt8] {
    let line: [UInt8] = [0x0A]
    return isOfKeysets(name)
      ? try scene.keyset(1) + line + scene.keyset(2, signers: [0, 1]) + line : try scene.release(7, signedBy: [0, 1])
  }

  func change(_ files: [String], as kind: String) throws {
    for name in files {
      let path = scene.path(name)
      let now = try (try? readFile(path)) ?? old(name)
      try? FileManager.default.removeItem(atPath: path)
      switch kind {
      case "old": try scene.write(old(name), to: name)
      case "torn": try scene.write(Array(now.prefix(now.count / 2)), to: name)
      case "forged": try scene.write(mallory.bytes(for: name, scene), to: name)
      case "link":
        try Data(old(name)).write(to: URL(filePath: outside))
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: outside)
      case "FIFO": #expect(mkfifo(path, 0o600) == 0)
      case "directory":
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try Data([1]).write(to: URL(filePath: path + "/file"))
      case "other owner", "world-writable": try scene.write(now, to: name)
      default: break
      }
      if kind == "world-writable" { #expect(chmod(path, 0o666) == 0) }
    }
    guard kind == "other owner" else { return }
    #expect(chmod(scene.folder.path, 0o755) == 0)
    for path in [scene.state] + (try scene.names()).map({ scene.path($0) }) {
      let isForeign = files.contains { scene.path($0) == path }
      if getuid() == 0 { #expect(chown(path, isForeign ? 0 : 65_534, isForeign ? 0 : 65_534) == 0) }
      if isForeign { #expect(chmod(path, getuid() == 0 ? 0o600 : 0) == 0) }
    }
  }

  func open(_ cell: StateTableTests.Cell, _ isEmbedded: Bool) throws -> PinStore {
    try scene.open {
      $0.withoutManifest = cell.withoutManifest
      if isEmbedded { $0.embedded = try scene.release(5) }
    }
  }

  /// The serial in force with what becomes of a stranger at a pinned host, and how the next update ends.
  func run(_ cell: StateTableTests.Cell, _ isEmbedded: Bool) throws -> (found: [String], last: String) {
    let store = try open(cell, isEmbedded)
    let stranger = PeerHandshake(host: "h0.example.com", port: 443, certificates: [], tlsVersion: nil)
    let found = ["\(store.validator?.manifest.serial ?? 0)", "\(store.evaluate(stranger).disposition)"]
    for keyset in try keysets { _ = outcome(store, keyset: keyset) }
    return (found, outcome(store, try next))
  }

  private var keysets: [[UInt8]] {
    get throws { [try scene.keyset(2, signers: [0, 1]), try scene.keyset(3, signers: [1])] }
  }
  private var next: [UInt8] { get throws { try scene.release(10, signedBy: [1]) } }

  /// The same in a process of another user.
  func runAlone(_ cell: StateTableTests.Cell, _ isEmbedded: Bool) throws -> (found: [String], last: String) {
    let tool = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path() + "store-tool"
    var environment = ["PATH": "/usr/bin:/bin", "STORE_USER": "65534", "STORE_ASK": "h0.example.com"]
    if cell.withoutManifest == .notPinned { environment["STORE_NOT_PINNED"] = "1" }
    if isEmbedded {
      environment["STORE_EMBEDDED"] = try scene.folder.write(scene.release(5), to: "embedded.json")
    }
    let trust = try scene.folder.write(scene.keyset(1), to: "1.keyset.json")
    var files: [String] = []
    for (number, keyset) in try keysets.enumerated() {
      files.append(try scene.folder.write(keyset, to: "\(number + 2).keyset.json"))
    }
    files.append(try scene.folder.write(next, to: "10.json"))
    let arguments = ["update", scene.state, trust, "2026-11-21T01:00:00Z"] + files
    let lines = try TestSupport.run(tool, arguments, environment: environment).stdoutText
      .split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    let start = try #require(lines.first)
    let decision = try #require(lines.dropFirst().first?.last)
    // Without a manifest, the serial is 0.
    return ([start[2], decision], lines.dropLast().last?.first ?? "")
  }
}

extension KeysetScene {
  /// An attacker with keys of his own, whose files are valid except for their signers.
  struct Forger {
    func bytes(for name: String, _ scene: KeysetScene) throws -> [UInt8] {
      let signer = try TestSigner()
      guard name.hasPrefix("keysets") else {
        var manifest = try Manifest.sample(hosts: [])
        manifest.serial = 9_007_199_254_740_991
        manifest.drasticChange = "all pins go"
        return try file(manifest, signedBy: [signer])
      }
      return try scene.keyset(1) + [0x0A] + scene.keyset(2, signers: [2], root: signer) + [0x0A]
    }
  }
}
