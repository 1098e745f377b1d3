/// Files that aren't text, by how they begin.
package enum BinaryFile {
  /// Compressed, or with more control characters than text has; a zero here and there is no reason not to search a text.
  ///
  /// A binary property list counts as a text that can't be read: it is a file of settings.
  static func isBinary(_ head: ArraySlice<UInt8>) -> Bool {
    if FileKind.isCompressed(head) || isMedia(head) { return true }
    let controls = head.count { $0 < 0x20 && !"\t\n\r\u{0B}\u{0C}\u{1B}".utf8.contains($0) }
    return controls > head.count / 32 && FileKind(binary: Array(head.prefix(64))) != .propertyList
  }

  /// Why such a file may have something that is looked for, as the rest of a sentence; nil if it can't.
  static func reason(_ head: ArraySlice<UInt8>) -> String? {
    if isMedia(head) { return nil }
    if FileKind.isCompressed(head) { return "is compressed. Decompress it, or leave it out." }
    return unsearchable(head.prefix(64)) ?? "is binary, so it can't be searched"
  }

  /// Why a file that begins so has no text to search, as the rest of a sentence; nil if it may have some.
  package static func unsearchable(_ head: ArraySlice<UInt8>) -> String? {
    FileKind(binary: Array(head)).flatMap { kind in kind.conversion(of: "FILE").map { "is \(kind.noun). \($0)" } }
  }

  /// How images, fonts, sound and films begin.
  private static let media: [[UInt8]] =
    [
      [0x89, 0x50, 0x4E, 0x47], [0xFF, 0xD8, 0xFF], [0x00, 0x00, 0x01, 0x00], [0x49, 0x49, 0x2A, 0x00],
      [0x4D, 0x4D, 0x00, 0x2A], [0x00, 0x01, 0x00, 0x00], [0xFF, 0xFB], [0x1A, 0x45, 0xDF, 0xA3],
    ] + ["GIF8", "RIFF", "OTTO", "ttcf", "wOFF", "wOF2", "ID3", "OggS", "fLaC"].map { Array($0.utf8) }

  private static func isMedia(_ head: ArraySlice<UInt8>) -> Bool {
    (media.contains { head.starts(with: $0) } || head.dropFirst(4).starts(with: "ftyp".utf8)) && head.contains(0)
  }
}
