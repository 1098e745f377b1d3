import PinFormat
import Testing

@testable import PinPolicy

/// Pins behind which nobody has a key.
@Suite struct BadPinsTests {
  static let rows: [(bytes: [UInt8], said: String)] = [
    ([UInt8](repeating: 0x00, count: 32), "is one byte repeated: a placeholder"),
    ([UInt8](repeating: 0xFF, count: 32), "is one byte repeated: a placeholder"),
    ((0..<32).map { $0 % 2 == 0 ? 0xDE : 0xAD }, "repeats itself: a placeholder"),
    ((0..<32).map { [0x04, 0x10, 0x41][$0 % 3] }, "repeats itself: a placeholder"),
    (Array("0123456701234567012345670123456701234567".utf8.prefix(32)), "repeats itself: a placeholder"),
    (Array(0..<32), "counts its bytes up or down: a placeholder"),
    ((0..<32).reversed(), "counts its bytes up or down: a placeholder"),
    (Array(UInt8(240)...255) + Array(0..<16), "counts its bytes up or down: a placeholder"),
    (Array("replace this with your own pin!!".utf8), "is ASCII text, not a digest"),
  ]

  @Test(arguments: rows)
  func placeholder(_ test: (bytes: [UInt8], said: String)) throws {
    let pin = Pin(try #require(SHA256Digest(test.bytes)))
    #expect(BadPins.description(of: pin) == test.said)
  }

  static let noKeys = [
    ("sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "is SHA-256 of no bytes at all"),
    ("sha256/AbpHGcgLb+kRsJGnwFEktk7uzpZOCcBY74+YBdrKVGs=", "is SHA-256 of a single line break"),
    ("sha256/LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=", "is SHA-256 of the text 'hello'"),
  ]

  @Test(arguments: noKeys)
  func digestOfNoKey(_ text: String, _ said: String) throws {
    #expect(BadPins.description(of: try Pin(text)) == said)
  }

  /// Pins of real keys.
  ///
  /// The last ones are examples in documentation: GoogleG2, which Chromium's list pins for 325
  /// hosts, a root of Thawte, OkHttp's own server.
  @Test(arguments: [
    "sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=", "sha256/r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E=",
    "sha256/grX4Ta9HpZx6tSHkmCrvpApTQGo67CYDnvprLg5yRME=", "sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs=",
    "sha256/7HIpactkIAq2Y49orFOOQKurWxmmSFZhBCoQYcRhJ3Y=", "sha256/HXXQgxueCIU5TTLHob/bPbwcKOKw6DkfsTWYHbxbqTY=",
    "sha256/afwiKY3RxoMmLkuRW1l7QsPZTJPwDS2pdDROQjXw8ig=",
  ])
  func real(_ text: String) throws {
    #expect(BadPins.description(of: try Pin(text)) == nil)
  }
}
