/// Messages in evidence: short, and without control characters, whatever a server made of them.
enum EvidenceMessage {
  /// The text as a file may hold it; one that fits already stays as it is.
  ///
  /// Control characters become spaces. What is too long loses its end, which an ellipsis stands for.
  static func shortened(_ text: String) -> String {
    var kept = ""
    // The longest prefix that fits with an ellipsis after it.
    var beginning = ""
    var size = 0
    for scalar in text.unicodeScalars {
      let safe = isControl(scalar) ? " " : scalar
      size += encodedSize(of: safe)
      if size > EvidenceLimits.messageBytes { return beginning + "\u{2026}" }
      kept.unicodeScalars.append(safe)
      if size + encodedSize(of: "\u{2026}") <= EvidenceLimits.messageBytes { beginning.unicodeScalars.append(safe) }
    }
    return kept.isEmpty ? "no reason was given" : kept
  }

  /// True where the text has no control character.
  static func isSafe(_ text: String) -> Bool {
    for scalar in text.unicodeScalars where isControl(scalar) { return false }
    return true
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
  }

  private static func encodedSize(of scalar: Unicode.Scalar) -> Int {
    if scalar == "\"" || scalar == "\\" { return 2 }
    return scalar.value < 0x80 ? 1 : scalar.value < 0x800 ? 2 : scalar.value < 0x1_0000 ? 3 : 4
  }
}
