package import PinFormat

extension Pin {
  /// The pin that is called by a letter, which is its first byte.
  package init(letter: Character) {
    let byte = letter.asciiValue ?? 0
    self.init(SHA256Digest(InlineArray<32, UInt8> { byte &+ UInt8($0) &* 31 }))
  }
}
