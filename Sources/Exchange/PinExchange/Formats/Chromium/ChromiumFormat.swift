import PinFormat

/// Facts about Chromium's static pin list that reading and writing share.
enum ChromiumFormat {
  static let citation =
    "Chromium, net/http/transport_security_state_static_pins.json and "
    + "net/tools/transport_security_state_generator/input_file_parsers.cc"

  /// How long after the list's timestamp its pins are enforced: ten weeks.
  /// (`net/http/transport_security_state.cc`)
  static let enforcedFor: Int64 = 70 * 86_400

  /// Names of keys: a capital letter, then letters, digits and `_` (`IsValidName`).
  static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, isUpper(first) else { return false }
    return text.utf8.allSatisfy { isUpper($0) || isLower($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
  }

  /// A name in Chromium's form: `gts-root-r1` becomes `GtsRootR1`.
  static func name(_ text: String) -> String {
    var name = ""
    var beginsWord = true
    for byte in text.utf8 {
      guard isLower(byte) || isUpper(byte) || isDigit(byte) else {
        beginsWord = true
        continue
      }
      name.unicodeScalars.append(Unicode.Scalar(beginsWord && isLower(byte) ? byte - 0x20 : byte))
      beginsWord = false
    }
    return isName(name) ? name : "Key" + name
  }

  private static func isUpper(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") }
  private static func isLower(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") }
  private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
}
