import Diagnostics
import Foundation
import OpenSSLKit
import PinFormat
import PinProbe
import TestSupport
import Testing

/// Reading and merging in pieces gives what reading and merging as a whole does.
@Suite("Evidence in pieces")
struct EvidencePiecesTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func file(_ name: String, _ bytes: [UInt8]) throws -> String { try folder.write(bytes, to: name) }

  /// Records of the same stores, with hosts in common, whose certificates have the digests that they are under.
  private func parts(seed: UInt64) throws -> [Evidence] {
    var random = RandomEvidence(seed: seed)
    let pool = try random.certificates(5).map {
      Manifest.Certificate(fingerprint: SHA256Digest(try SHA256.digest(of: $0.der)), der: $0.der)
    }
    return (0..<4).map { _ in random.next(stores: ["corporate", "system"], pool: pool, hosts: RandomEvidence.hosts) }
  }

  private func targets(of pieces: EvidencePieces) throws -> [[Evidence.Target]] {
    var found: [[Evidence.Target]] = []
    while let piece = try pieces.next() { found.append(piece.targets) }
    return found
  }

  @Test("The pieces are the file", arguments: 0..<40)
  func piecesAreTheFile(seed: UInt64) throws {
    for (number, part) in try parts(seed: seed).enumerated() {
      let pieces = try EvidencePieces(try file("\(number).json", part.encoded()), most: 1 + number)
      for _ in 0..<2 {
        let found = try targets(of: pieces)
        #expect(found.flatMap(\.self) == part.targets)
        #expect(found.allSatisfy { !$0.isEmpty && $0.count <= 1 + number })
        pieces.rewind()
      }
      var head = pieces.head
      #expect(head.targets.isEmpty && part.certificates.filter(head.certificates.contains) == head.certificates)
      (head.targets, head.certificates) = (part.targets, part.certificates)
      #expect(head == part)
    }
  }

  @Test("Merged as streams, records are the same bytes", arguments: 0..<60)
  func mergedAsStreams(seed: UInt64) throws {
    let parts = try parts(seed: seed)
    let files = try parts.enumerated().map { try file("part-\($0).json", $1.encoded()) }
    let output = folder.path("merged.json")
    for count in 1...parts.count {
      var merge = try EvidenceMerge(Array(files.prefix(count)))
      try merge.write(to: output)
      let whole = try Evidence.merging(parts[0], Array(parts[1..<count]))
      #expect(try folder.read("merged.json") == whole.encoded())
      #expect(merge.targets == whole.targets.count && merge.certificates == whole.certificates.count)
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.count == parts.count + 1, "\(names)")
  }

  /// A byte that is changed, removed or doubled is rejected in pieces if and only if it is rejected as a whole.
  @Test("Pieces are read as strictly as the whole", arguments: 0..<4)
  func piecesAreStrict(seed: UInt64) throws {
    let bytes = try parts(seed: seed)[0].encoded()
    var random = SeededGenerator(seed: seed)
    for round in 0..<Thoroughness.pick(600, full: 20_000) {
      var other = bytes
      let place = random.below(bytes.count)
      switch round % 4 {
      case 0: other[place] = random.pick(Array("\"{}[],:\\0aZ ".utf8))
      case 1: other.remove(at: place)
      case 2: other.insert(other[place], at: place)
      default: other.removeSubrange(place..<min(bytes.count, place + random.below(90)))
      }
      let path = try file("other.json", other)
      let isRead = (try? EvidenceFile.read(path)) != nil
      let isReadInPieces = (try? targets(of: EvidencePieces(path, most: 1))) != nil
      #expect(isRead == isReadInPieces, "\(String(decoding: other, as: UTF8.self))")
    }
  }

  @Test("Files that are rejected as a whole are rejected in pieces")
  func invalidFixtures() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Fixtures/evidence/invalid").path()
    let names = try FileManager.default.contentsOfDirectory(atPath: root).filter { $0.hasSuffix(".json") }
    #expect(names.count > 10)
    for name in names {
      #expect(throws: WorkFailure.self, "\(name)") { try targets(of: EvidencePieces(root + "/" + name, most: 1)) }
    }
  }

  @Test("A record that can't be written leaves what was there")
  func unwritable() throws {
    let part = try parts(seed: 1)[0]
    let path = try file("part.json", part.encoded())
    let error = #expect(throws: WorkFailure.self) {
      var merge = try EvidenceMerge([path])
      try merge.write(to: "/nowhere/at/all.json")
    }
    #expect(error?.message == "can't write '/nowhere/at/all.json': No such file or directory")
    let missing = #expect(throws: WorkFailure.self) { _ = try EvidenceMerge(["/nowhere.json"]) }
    #expect(missing?.message.contains("/nowhere.json") == true)
    let pipe = #expect(throws: WorkFailure.self) { _ = try EvidenceMerge(["/dev/null"]) }
    #expect(pipe?.message == "'/dev/null' is not a regular file")
  }
}
