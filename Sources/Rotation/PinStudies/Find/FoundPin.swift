package import Diagnostics
package import PinFormat
import PinPolicy
import PinRelease

/// A text that looks like a pin, in any file.
package struct FoundPin: Hashable, Sendable {
  package var pin: Pin
  /// Where it is, without what is written before it.
  package var place: Place
  /// False where it may as well be the digest of a script, an image or a download.
  package var isLikely: Bool
  /// The pin if it is written in numbers whose last byte is first.
  package var otherOrder: Pin?
  /// Whether a whole public key is there, whose pin was computed.
  package var isOfKey = false
  /// A host that is named in the same line.
  package var host: String?
}

/// The pins of a file, in order, and what looks like one and can't be read.
///
/// docs/import.md lists the spellings, each with an example that a test reads.
package struct FoundPins: Sendable {
  package private(set) var pins: [FoundPin] = []
  /// Why each can't be read, as the rest of a sentence about it: `has 30 characters of Base64`.
  package private(set) var unread: [Located<String>] = []
  /// How many certificates, and public keys in PEM, it has, whose pins aren't computed.
  package private(set) var certificates = 0

  package init(in bytes: [UInt8], file: FileID) {
    if let reason = BinaryFile.unsearchable(bytes.prefix(64)) {
      unread = [Located(reason, at: .beginning(of: file))]
      return
    }
    var scan = PinScan(bytes)
    scan.run()
    certificates = scan.certificates
    guard !scan.found.isEmpty || !scan.unread.isEmpty else { return }
    let lines = LineOffsets(bytes)
    pins = scan.found.map {
      FoundPin(
        pin: $0.pin, place: lines.visiblePlace(of: $0.range, in: file), isLikely: $0.isLikely,
        otherOrder: $0.otherOrder, isOfKey: $0.isOfKey,
        host: NamedHost(around: $0.range.lowerBound, in: bytes)?.text)
    }
    unread = scan.unread.map { Located($0.reason, at: lines.visiblePlace(of: $0.range, in: file)) }
  }
}

extension FoundPins {
  /// The pins of a manifest's keys that it doesn't deny itself: its other digests aren't pins.
  init(inManifest bytes: [UInt8], file: FileID) {
    self.init(in: bytes, file: file)
    let keys = (try? SignedManifest.unverifiedContent(of: bytes))?.keys ?? []
    let pins = Set(keys.map(\.pin)).subtracting(keys.filter { $0.denied != nil }.map(\.pin))
    self.pins = self.pins.filter { pins.contains($0.pin) }.map {
      FoundPin(pin: $0.pin, place: $0.place, isLikely: true, otherOrder: nil, isOfKey: false, host: nil)
    }
    (unread, certificates) = ([], 0)
  }
}

/// The first host that a line names between quotes, in a URL or in an XML element.
private struct NamedHost {
  let text: String

  /// Longer lines are generated, and what is beside a pin there says nothing.
  private static let longest = 500

  init?(around offset: Int, in bytes: [UInt8]) {
    let newline = UInt8(ascii: "\n")
    let first = max(0, offset - Self.longest)
    let last = min(bytes.count, offset + Self.longest)
    let start = bytes[first..<offset].lastIndex(of: newline).map { $0 + 1 } ?? first
    let end = bytes[offset..<last].firstIndex(of: newline) ?? last
    var index = start
    while index < end {
      let stop = bytes[index..<end].firstIndex { !Self.isOfName($0) } ?? end
      defer { index = stop + 1 }
      guard stop - index > 3, index > start, stop < end, Self.begins.contains(bytes[index - 1]),
        Self.ends.contains(bytes[stop])
      else { continue }
      let name = String(decoding: bytes[index..<stop].drop { $0 == UInt8(ascii: ".") }, as: UTF8.self)
      guard let host = try? HostName(canonicalising: name), PublicSuffixList.isBelowKnownDomain(host) else { continue }
      text = host.text
      return
    }
    return nil
  }

  private static let begins = Array("\"'`/>*".utf8)
  private static let ends = Array("\"'`/<:".utf8)

  private static func isOfName(_ byte: UInt8) -> Bool {
    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
      || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
  }
}
