/// Files as URIs (RFC 8089), and back.
enum DocumentAddress {
  /// The absolute path of a `file:` URI of this machine; nil for everything else, such as a text that has no file.
  static func path(of uri: String) -> String? {
    let bytes = Array(uri.utf8)
    guard bytes.count <= 8_192, String(decoding: bytes.prefix(7), as: UTF8.self).lowercased() == "file://" else {
      return nil
    }
    var rest = bytes[7...]
    let host = Array("localhost".utf8)
    if rest.starts(with: host) { rest = rest.dropFirst(host.count) }
    guard rest.first == UInt8(ascii: "/") else { return nil }
    var path: [UInt8] = []
    while let byte = rest.popFirst() {
      guard byte != UInt8(ascii: "?"), byte != UInt8(ascii: "#") else { break }
      guard byte == UInt8(ascii: "%") else {
        path.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
      path.append(high << 4 | low)
    }
    guard !path.contains(0), let text = String(validating: path, as: UTF8.self) else { return nil }
    return normal(text)
  }

  /// The URI of an absolute path.
  static func uri(of path: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var uri = Array("file://".utf8)
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"), UInt8(ascii: "/"):
        uri.append(byte)
      default: uri += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: uri, as: UTF8.self)
  }

  /// The path without `.`, `..` and repeated slashes, so that a file has one name.
  private static func normal(_ path: String) -> String {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
