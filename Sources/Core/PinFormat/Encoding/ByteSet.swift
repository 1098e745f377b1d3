/// A set of ASCII characters, for one test a byte.
struct ByteSet {
  private let low: UInt64
  private let high: UInt64

  /// `[a-z0-9]`.
  static var lettersAndDigits: ByteSet { ByteSet(low: 0x03FF_0000_0000_0000, high: 0x07FF_FFFE_0000_0000) }
  /// `[a-z0-9._-]`.
  static var name: ByteSet { ByteSet(low: 0x03FF_6000_0000_0000, high: 0x07FF_FFFE_8000_0000) }
  /// `[a-z0-9._:\[\]-]`.
  static var keySetName: ByteSet { ByteSet(low: 0x07FF_6000_0000_0000, high: 0x07FF_FFFE_A800_0000) }
  /// `[0-9a-f]`.
  static var hexadecimal: ByteSet { ByteSet(low: 0x03FF_0000_0000_0000, high: 0x0000_007E_0000_0000) }
  /// U+0021 to U+007E without `"` and `\`.
  static var uri: ByteSet { ByteSet(low: 0xFFFF_FFFA_0000_0000, high: 0x7FFF_FFFF_EFFF_FFFF) }
  /// `[A-Za-z0-9+/=]`.
  static var base64: ByteSet { ByteSet(low: 0x23FF_8800_0000_0000, high: 0x07FF_FFFE_07FF_FFFE) }

  func contains(_ byte: UInt8) -> Bool {
    let word = byte < 64 ? low : high
    return byte < 128 && word >> UInt64(byte & 63) & 1 != 0
  }
}
