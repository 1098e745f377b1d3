package import Diagnostics
import PinFormat

/// A file of evidence that is read in pieces, so that memory grows with the certificates' digests only.
///
/// Each piece is evidence of its own: what the file says of itself, some of its targets in order, and the certificates
/// that they name. ``EvidenceFile`` reads a piece as strictly as a whole file. What a piece can't show is checked here: the
/// order of targets and certificates from piece to piece, and that each certificate is named.
package final class EvidencePieces {
  /// Where a certificate's Base64 is in the file, with its quotation marks.
  struct Entry {
    var fingerprint: SHA256Digest
    var offset: Int
    var length: UInt32
    /// Whether a piece named it, and whether it belongs into what is merged.
    var isNamed = false
    var isKept = false
  }

  /// A text of the file's object, and whether certificates, targets or both belong in front of it.
  private struct Frame {
    var beginning: [UInt8] = []
    var middle: [UInt8] = []
    var end: [UInt8] = []
  }

  /// True for a file that is too long to be read as a whole with ease.
  package static func isNeeded(for path: String) -> Bool { ByteSource.size(of: path) > 32 << 20 }

  package let path: String
  /// The file without its targets, and with the certificates of its stores only.
  package private(set) var head: Evidence
  private(set) var certificates: [Entry] = []
  private let most: Int
  private let source: ByteSource
  private var frame = Frame()
  private var anchors: Set<SHA256Digest> = []
  private var targetsStart: Int?
  private var isAtEnd = false
  private var last: Evidence.Target?

  /// Opens a file and reads all but its targets.
  ///
  /// - Parameters:
  ///   - path: A regular file, because it is read twice.
  ///   - most: The most targets of a piece.
  /// - Throws: ``WorkFailure`` where it can't be read, or isn't evidence.
  package init(_ path: String, most: Int = 4_096) throws(WorkFailure) {
    self.path = path
    self.most = most
    source = try ByteSource(path)
    head = Evidence(begun: .earliest, ended: .earliest, tool: "")
    do throws(PieceError) {
      try readFrame()
    } catch {
      throw refusal(error.text)
    }
    for store in try read(targets: [], naming: Evidence.digests(inAnchorsOf: frame.middle)).stores {
      anchors.formUnion(store.anchors)
    }
    head = try read(targets: [], naming: anchors)
    if targetsStart == nil { try requireThatAllAreNamed() }
    rewind()
  }

  /// Begins again with the first target.
  package func rewind() {
    if let targetsStart { source.seek(to: targetsStart) }
    isAtEnd = targetsStart == nil
    last = nil
  }

  /// The next targets; nil behind the last one.
  package func next() throws(WorkFailure) -> Evidence? {
    guard !isAtEnd else { return nil }
    var bytes: [UInt8] = []
    do throws(PieceError) {
      var count = 0
      repeat {
        if count > 0 { bytes.append(UInt8(ascii: ",")) }
        bytes += try source.value(atMost: Self.mostTargetBytes)
        count += 1
        isAtEnd = try source.isLast(closing: UInt8(ascii: "]"))
      } while !isAtEnd && count < most && bytes.count < Self.mostPieceBytes
    } catch {
      throw refusal(error.text)
    }
    let piece = try read(targets: bytes, naming: anchors.union(Evidence.digests(inChainsOf: bytes)))
    if let last, let first = piece.targets.first, !last.precedes(first) {
      throw refusal("targets are not sorted by host and port, or one is listed twice")
    }
    last = piece.targets.last
    if isAtEnd { try requireThatAllAreNamed() }
    return piece
  }

  /// A certificate's Base64 with its quotation marks, as it is in the file.
  func text(of entry: Entry) throws(WorkFailure) -> [UInt8] {
    do throws(PieceError) {
      return try source.bytes(at: entry.offset, count: Int(entry.length))
    } catch {
      throw refusal(error.text)
    }
  }

  /// Notes that certificates belong into what is merged.
  func keep(_ fingerprints: [SHA256Digest]) {
    for fingerprint in fingerprints {
      if let number = index(of: fingerprint) { certificates[number].isKept = true }
    }
  }

  private static let mostTargetBytes = 16 << 20
  private static let mostPieceBytes = 32 << 20
  private static let mostFrameBytes = 4 << 20
  /// The most certificates of a file.
  static let mostCertificates = 40_000_000

  /// Reads a piece: the frame, these targets, and these certificates.
  private func read(targets: [UInt8], naming names: Set<SHA256Digest>) throws(WorkFailure) -> Evidence {
    var bytes = frame.beginning
    var isFirst = true
    for name in names.sorted() {
      guard let number = index(of: name) else {
        throw refusal("the certificate \(name.hex) is not there")
      }
      certificates[number].isNamed = true
      bytes += isFirst ? Array(#","certificates":{""#.utf8) : Array(",\"".utf8)
      isFirst = false
      bytes += Array(name.hex.utf8) + Array("\":".utf8)
      bytes += try text(of: certificates[number])
    }
    if !isFirst { bytes.append(UInt8(ascii: "}")) }
    bytes += frame.middle
    if !targets.isEmpty { bytes += Array(#","targets":["#.utf8) + targets + Array("]".utf8) }
    do {
      return try EvidenceFile.evidence(in: bytes + frame.end, of: path)
    } catch {
      throw refusal(error.message)
    }
  }

  /// Why the file isn't evidence: what reading it as a whole says, which knows the place, if it isn't too long for that.
  private func refusal(_ reason: String) -> WorkFailure {
    guard ByteSource.size(of: path) <= EvidenceLimits.fileBytes else { return EvidenceFile.refused(path, reason) }
    do {
      _ = try EvidenceFile.read(path)
      return EvidenceFile.refused(path, reason)
    } catch {
      return error
    }
  }

  private func requireThatAllAreNamed() throws(WorkFailure) {
    guard let unnamed = certificates.first(where: { !$0.isNamed }) else { return }
    throw refusal("nothing names the certificate \(unnamed.fingerprint.hex)")
  }

  private func index(of fingerprint: SHA256Digest) -> Int? {
    let number = certificates.partitioningIndex { $0.fingerprint >= fingerprint }
    return number < certificates.count && certificates[number].fingerprint == fingerprint ? number : nil
  }

  /// Finds certificates and targets.
  ///
  /// All else is what each piece begins and ends with, which its reader checks.
  private func readFrame() throws(PieceError) {
    try source.require("{")
    var isFirst = true
    repeat {
      let name = try source.value(atMost: 64)
      try source.require(":")
      switch String(decoding: name, as: UTF8.self) {
      case "\"certificates\"" where frame.middle.isEmpty && frame.end.isEmpty && !isFirst && certificates.isEmpty:
        try readCertificates()
      case "\"targets\"" where !isFirst && targetsStart == nil && frame.end.isEmpty:
        try source.require("[")
        targetsStart = source.offset
        repeat {
          try source.skipValue(atMost: Self.mostTargetBytes)
        } while try !source.isLast(closing: UInt8(ascii: "]"))
      default:
        let field =
          [UInt8(ascii: isFirst ? "{" : ",")] + name + [UInt8(ascii: ":")]
          + (try source.value(atMost: Self.mostFrameBytes))
        if targetsStart != nil || !frame.end.isEmpty || Evidence.isBehindTargets(name) {
          frame.end += field
        } else if isFirst {
          frame.beginning += field
        } else {
          frame.middle += field
        }
      }
      isFirst = false
    } while try !source.isLast(closing: UInt8(ascii: "}"))
    frame.end.append(UInt8(ascii: "}"))
    try source.requireEnd()
  }

  private func readCertificates() throws(PieceError) {
    try source.require("{")
    repeat {
      let name = try source.value(atMost: 128)
      guard let fingerprint = SHA256Digest(hex: name.dropFirst().dropLast()) else {
        throw PieceError(text: "a certificate has a name that isn't a digest")
      }
      if let last = certificates.last, last.fingerprint >= fingerprint {
        throw PieceError(text: "certificates are not sorted, or one is listed twice")
      }
      guard certificates.count < Self.mostCertificates else { throw PieceError(text: "too many certificates") }
      try source.require(":")
      let offset = source.offset
      try source.skipValue(atMost: 2 * EvidenceLimits.chainBytes)
      certificates.append(Entry(fingerprint: fingerprint, offset: offset, length: UInt32(source.offset - offset)))
    } while try !source.isLast(closing: UInt8(ascii: "}"))
  }
}

extension Evidence {
  /// The digests in `chain` fields of canonical JSON.
  ///
  /// The pattern can't be in a text, where quotation marks are escaped.
  fileprivate static func digests(inChainsOf bytes: [UInt8]) -> Set<SHA256Digest> {
    digests(behind: Array(#""chain":["#.utf8), in: bytes)
  }

  /// Those that the stores list.
  fileprivate static func digests(inAnchorsOf bytes: [UInt8]) -> Set<SHA256Digest> {
    digests(behind: Array(#":["#.utf8), in: bytes)
  }

  private static func digests(behind pattern: [UInt8], in bytes: [UInt8]) -> Set<SHA256Digest> {
    var found: Set<SHA256Digest> = []
    var place = 0
    while place + pattern.count < bytes.count {
      guard bytes[place] == pattern[0], bytes[place..<place + pattern.count].elementsEqual(pattern) else {
        place += 1
        continue
      }
      place += pattern.count
      while place + 66 <= bytes.count, bytes[place] == UInt8(ascii: "\""),
        let digest = SHA256Digest(hex: bytes[place + 1..<place + 65])
      {
        found.insert(digest)
        place += bytes[place + 66 < bytes.count ? place + 66 : place] == UInt8(ascii: ",") ? 67 : 66
      }
    }
    return found
  }

  /// True for the fields that come behind the targets, where a file without any has them.
  fileprivate static func isBehindTargets(_ name: [UInt8]) -> Bool {
    ["\"tool\"", "\"type\"", "\"version\""].contains(String(decoding: name, as: UTF8.self))
  }
}
