package import Diagnostics
package import PinFormat
import PinPolicy

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
        otherOrder: $0.otherOrder, isOfKey: $0.isOfKey)
    }
    unread = scan.unread.map { Located($0.reason, at: lines.visiblePlace(of: $0.range, in: file)) }
  }
}
