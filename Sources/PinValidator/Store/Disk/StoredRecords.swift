import OpenSSLKit
package import PinFormat

/// The highest serial that was ever accepted, and which signed bytes it stands for.
package struct SerialFloor: Hashable, Comparable, Sendable {
  /// The count of serials that it belongs to, which a keyset may begin anew; 1 for fixed signers.
  package let epoch: Int64
  package let serial: Int64
  /// SHA-256 over the signed bytes.
  package let digest: SHA256Digest

  /// Whether a serial lies below in the same epoch, or in an earlier one.
  package static func < (left: SerialFloor, right: SerialFloor) -> Bool {
    (left.epoch, left.serial) < (right.epoch, right.serial)
  }

  /// Whether it is the same serial of the same epoch, be it with other signed bytes.
  func isLevel(with other: SerialFloor) -> Bool { epoch == other.epoch && serial == other.serial }
}

/// The small files beside the manifest: a few lines of text that end with the digest of what stands before.
///
/// Each value has one text, so that a file in which any byte was changed, or which ends early, is known as such.
enum StoredRecord {
  /// More bytes than any record has.
  static let limit = 4_096

  /// The text of a floor; nil where libcrypto fails.
  ///
  /// The first epoch's is the text of all floors before there were epochs, so that an older program can read it.
  static func text(_ floor: SerialFloor) -> [UInt8]? {
    let head = floor.epoch == 1 ? "pintle floor 1\n" : "pintle floor 2\nepoch " + String(floor.epoch) + "\n"
    return sealed(head + "serial " + String(floor.serial) + "\ndigest " + floor.digest.hex + "\n")
  }

  /// The text of the last time seen; nil where libcrypto fails.
  static func text(_ time: Instant) -> [UInt8]? {
    sealed("pintle time 1\nseen " + time.description + "\n")
  }

  /// Reads a floor; nil where the bytes aren't exactly its text.
  static func floor(_ bytes: [UInt8]) -> SerialFloor? {
    var lines = bytes.split(separator: UInt8(ascii: "\n"))[...]
    var epoch: Int64 = 1
    if lines.count == 5 {
      guard let digits = value(lines[1], "epoch "), let number = number(digits) else { return nil }
      epoch = number
      lines = lines.dropFirst()
    }
    let last = lines.startIndex + 2
    guard lines.count == 4, let serial = value(lines[last - 1], "serial "), let hex = value(lines[last], "digest ")
    else { return nil }
    guard let number = number(serial), let digest = SHA256Digest(hex: hex) else { return nil }
    let floor = SerialFloor(epoch: epoch, serial: number, digest: digest)
    return text(floor) == bytes ? floor : nil
  }

  /// Reads the last time seen; nil where the bytes aren't exactly its text.
  static func time(_ bytes: [UInt8]) -> Instant? {
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    guard lines.count == 3, let seen = value(lines[1], "seen "), let time = Instant(seen) else { return nil }
    return text(time) == bytes ? time : nil
  }

  private static func sealed(_ text: String) -> [UInt8]? {
    let bytes = Array(text.utf8)
    guard let digest = try? SHA256.digest(of: bytes) else { return nil }
    return bytes + Array(("check " + SHA256Digest(digest).hex + "\n").utf8)
  }

  private static func value(_ line: ArraySlice<UInt8>, _ name: String) -> ArraySlice<UInt8>? {
    line.starts(with: name.utf8) ? line.dropFirst(name.utf8.count) : nil
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    guard (1...16).contains(digits.count) else { return nil }
    var number: Int64 = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      number = number * 10 + Int64(digit - UInt8(ascii: "0"))
    }
    return number > 0 ? number : nil
  }
}
