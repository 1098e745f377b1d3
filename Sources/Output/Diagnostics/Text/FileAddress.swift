/// Paths as URI references.
enum FileAddress {
  /// A path, percent-encoded: relative as it was, or `file:///…` where it is absolute.
  static func of(_ path: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var address: [UInt8] = path.hasPrefix("/") ? Array("file://".utf8) : []
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"), UInt8(ascii: "/"):
        address.append(byte)
      default:
        address += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: address, as: UTF8.self)
  }
}
