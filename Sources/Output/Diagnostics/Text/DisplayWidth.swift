extension Unicode.Scalar {
  /// How many cells of a terminal the scalar takes: 0, 1 or 2 (UAX 11, and emoji as terminals draw them).
  var displayWidth: Int {
    if value < 0x300 { return 1 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    if isConjoiningVowelOrFinal { return 0 }
    return isWide ? 2 : 1
  }

  private var isWide: Bool {
    // Two regional indicators make one flag, which is two columns wide.
    if isRegionalIndicator { return false }
    if properties.isEmojiPresentation { return true }
    switch value {
    case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x1B2FF,
      0x1F200...0x1F265, 0x20000...0x3FFFD:
      return true
    default:
      return false
    }
  }

  private var isRegionalIndicator: Bool { (0x1F1E6...0x1F1FF).contains(value) }

  /// A Hangul vowel or final consonant, drawn into the syllable's first letter.
  private var isConjoiningVowelOrFinal: Bool {
    (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FB).contains(value)
  }
}
