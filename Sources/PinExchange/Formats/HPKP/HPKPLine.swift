/// A line of a response's head that matters here.
struct HPKPLine {
  enum Kind: Hashable {
    /// `HTTP/1.1 200 OK`: a head begins.
    case response
    /// Whose header the next ones are: `Host:` of a request, or the comment of a file that Pintle has written.
    case host(String)
    /// `Public-Key-Pins`, or the one that only observes.
    case header(isObserved: Bool)
  }

  var kind: Kind
  /// Of the host or of the header's value.
  var range: Range<Int>

  private static let name = "public-key-pins"
  private static let observing = "public-key-pins-report-only"

  /// The lines, of a response's head as it is or as `curl -v` shows it, of a header alone, or of its value alone.
  static func all(in bytes: [UInt8]) -> [HPKPLine] {
    var lines: [HPKPLine] = []
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      if let line = line(bytes, start..<end) { lines.append(line) }
      start = end + 1
    }
    return lines
  }

  private static func line(_ bytes: [UInt8], _ range: Range<Int>) -> HPKPLine? {
    var range = trimmed(bytes, range)
    // curl -v marks what was sent and what came.
    if let first = range.first, bytes[first] == UInt8(ascii: "<") || bytes[first] == UInt8(ascii: ">") {
      range = trimmed(bytes, first + 1..<range.upperBound)
    }
    let text = String(decoding: bytes[range], as: UTF8.self)
    let lower = text.lowercased()
    if lower.hasPrefix("http/") { return HPKPLine(kind: .response, range: range) }
    if lower.hasPrefix("pin-sha") { return HPKPLine(kind: .header(isObserved: false), range: range) }
    guard let colon = bytes[range].firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let name = String(decoding: bytes[trimmed(bytes, range.lowerBound..<colon)], as: UTF8.self).lowercased()
    let value = trimmed(bytes, colon + 1..<range.upperBound)
    switch name {
    case Self.name: return HPKPLine(kind: .header(isObserved: false), range: value)
    case observing: return HPKPLine(kind: .header(isObserved: true), range: value)
    case "host", "# host":
      return HPKPLine(
        kind: .host(host(of: String(decoding: bytes[value], as: UTF8.self))), range: value)
    default: return nil
    }
  }

  /// The host of `api.example.com:8443`, or of a whole address.
  private static func host(of text: String) -> String {
    var rest = text[...]
    if let scheme = rest.firstRange(of: "://") { rest = rest[scheme.upperBound...] }
    rest = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") { return String(rest[...end]) }
    return String(rest.prefix { $0 != ":" })
  }

  private static func trimmed(_ bytes: [UInt8], _ range: Range<Int>) -> Range<Int> {
    let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D }
    guard let first = range.first(where: { !isSpace(bytes[$0]) }),
      let last = range.last(where: { !isSpace(bytes[$0]) })
    else { return range.lowerBound..<range.lowerBound }
    return first..<last + 1
  }
}
