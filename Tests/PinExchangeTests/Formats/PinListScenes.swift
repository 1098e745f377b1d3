import Foundation
import PinExchange
import PinFormat
import PinPolicy
import TestSupport
import Testing

/// Lists for the tests of formats, as policies compile to them.
enum PinListScene {
  static let instant = Instant(secondsSinceEpoch: 1_795_219_200)  // 2026-11-21

  /// A pin whose bytes depend on its number alone.
  static func pin(_ number: Int) throws -> Pin {
    var generator = SeededGenerator(seed: UInt64(number) &+ 0x5EED)
    return Pin(try #require(SHA256Digest(generator.bytes(32))))
  }

  static func key(_ number: Int, _ owner: PinList.Owner? = nil, at position: KeyPosition? = nil) throws -> PinList.Key {
    PinList.Key(name: "key-\(number)", pin: try pin(number), position: position, owner: owner)
  }

  static func host(
    _ name: String, port: UInt16? = nil, _ subdomains: PinList.Subdomains = .none, keySet: Int = 0
  ) throws -> PinList.Host {
    PinList.Host(
      host: try HostName(canonicalising: name), port: port, subdomains: subdomains, mode: .enforce, keySet: keySet)
  }

  /// The list that the golden files are of: a shared set, one of a host's own, names below a host, an address.
  static func small(_ owner: PinList.Owner? = nil, subdomains: PinList.Subdomains = .all) throws -> PinList {
    var list = PinList()
    list.keys = try (0..<4).map { try key($0, owner) }
    list.keySets = [
      PinList.KeySet(name: "public-web", active: [0, 1], backup: [2]),
      PinList.KeySet(name: nil, active: [1], backup: [3]),
    ]
    list.hosts = [
      try host("api.example.com", subdomains), try host("pay.example.org", keySet: 1), try host("www.example.net"),
    ]
    list.origin = "audience 'production', serial 12, issued 2026-11-21T00:00:00Z"
    return list
  }

  /// A list as a policy may be, without entries below others.
  static func random(_ seed: Int, owner: PinList.Owner? = nil) throws -> PinList {
    var generator = SeededGenerator(seed: UInt64(seed))
    var list = PinList()
    let count = 2 + generator.below(12)
    list.keys = try (0..<count).map { number in
      try key(seed * 100 + number, owner ?? generator.pick([nil, .certificateAuthority, .server]))
    }
    list.keySets = (0..<1 + generator.below(4)).map { number in
      let members = (0..<count).filter { _ in generator.once(in: 2) }
      let split = members.isEmpty ? 0 : 1 + generator.below(members.count)
      let active = members.isEmpty ? [0] : Array(members[..<split])
      return PinList.KeySet(name: "set-\(number)", active: active, backup: Array(members[split...]))
    }
    list.hosts = try (0..<1 + generator.below(8)).map { number in
      var host = try host(
        generator.once(in: 6) ? "10.0.\(number).1" : "h\(number)-\(generator.below(1_000)).example.com",
        keySet: generator.below(list.keySets.count))
      if !host.host.isAddress, generator.once(in: 2) { host.subdomains = .all }
      if generator.once(in: 4) { host.port = UInt16(1 + generator.below(65_535)) }
      // The first host is enforced, because some formats have no report-only mode and would be empty.
      if generator.once(in: 4), number > 0 { host.mode = .reportOnly }
      if generator.once(in: 2) {
        host.expires = instant.adding(seconds: Int64(1 + generator.below(1_000)) * 3_600)
        host.onExpiry = generator.pick(ExpiryAction.allCases)
      }
      host.reportURIs = (0..<generator.below(3)).map { "https://reports.example.org/\($0)" }
      return host
    }
    list.hosts.sort { ($0.host.text, $0.port ?? 0) < ($1.host.text, $1.port ?? 0) }
    return list
  }
}

/// The meaning of a list: which hosts have which pins, and how.
///
/// Names of keys and sets don't.
struct PinListMeaning: Hashable, CustomStringConvertible {
  struct Entry: Hashable {
    var host: PinList.Host
    var pins: Set<Pin>
    var positions: Set<String>
  }

  var entries: Set<Entry>

  /// The meaning of a list; `adjusting` leaves out of a host what the format has no word for and need not.
  init(_ list: PinList, adjusting: (inout PinList.Host) -> Void = { _ in }) {
    entries = Set(
      list.hosts.map { host in
        var plain = host
        (plain.keySet, plain.note) = (nil, nil)
        adjusting(&plain)
        let keys = list.keys(of: host)
        return Entry(
          host: plain, pins: Set(keys.map(\.pin)),
          positions: Set(keys.compactMap { key in key.position.map { "\(key.pin) \($0)" } }))
      })
  }

  var description: String { entries.map { "\($0)" }.sorted().joined(separator: "\n") }
}

/// Files that a test compares with, in `Tests/Fixtures/exchange`; `PINTLE_RECORD=1` writes them again.
enum GoldenFile {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Fixtures/exchange").standardized

  static func bytes(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: folder.appending(path: path)))
  }

  static func expect(_ bytes: [UInt8], _ path: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let file = folder.appending(path: path)
    if ProcessInfo.processInfo.environment["PINTLE_RECORD"] == "1" {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes).write(to: file)
    }
    let recorded = try String(contentsOf: file, encoding: .utf8)
    #expect(
      String(decoding: bytes, as: UTF8.self) == recorded, "\(path) differs; PINTLE_RECORD=1 writes it anew",
      sourceLocation: sourceLocation)
  }
}

extension ExportFormat {
  /// Writes a list, all losses accepted.
  func files(of list: PinList, _ values: [ExportOption: String] = [:]) throws -> [ExchangedFile] {
    try write(fitted(list), ExportSettings(at: PinListScene.instant, values))
  }

  func fitted(_ list: PinList) throws -> FittedPinList {
    try list.fitted(to: self, accepting: Set(PolicyFeature.allCases))
  }
}
