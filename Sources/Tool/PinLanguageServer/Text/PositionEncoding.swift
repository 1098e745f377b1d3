/// What a position's `character` counts in (Language Server Protocol 3.17, "PositionEncodingKind").
enum PositionEncoding: String {
  case utf8 = "utf-8"
  case utf16 = "utf-16"
  case utf32 = "utf-32"

  /// The first that the client names of those that there are; UTF-16 where it names none, as the protocol has it.
  init(among offered: [String]) {
    self = offered.lazy.compactMap { PositionEncoding(rawValue: $0) }.first ?? .utf16
  }

  /// How many units a character takes, by its first byte in UTF-8; 0 for the bytes that follow it.
  func units(of byte: UInt8) -> Int {
    switch self {
    case .utf8: 1
    case .utf16: byte & 0xC0 == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1
    case .utf32: byte & 0xC0 == 0x80 ? 0 : 1
    }
  }
}
