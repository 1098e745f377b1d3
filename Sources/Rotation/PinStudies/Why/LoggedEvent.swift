import Diagnostics
package import PinFormat
import PinPolicy
package import PinRules

/// What the log of a client says about a connection, or about a file that it rejected.
///
/// Read are the texts of swift-log and of journald around it (`host=… port=… verdict=…`), lines of JSON with the same
/// fields, and a verdict alone (`block: … (entry api.example.com)`).
package struct LoggedEvent: Sendable {
  /// Nil where the line is about a rejected file.
  package var host: String?
  package var port: UInt16?
  /// Such as `block: none of the entry's pins matches the validated chain (entry api.example.com)`.
  package var verdict: String?
  /// Of a rejected manifest or keyset, such as `refuses-recent-chain`.
  package var code: ClientCode?
  /// The last file that was rejected before, whatever came afterwards.
  package private(set) var rejection: ClientCode?
  /// When the first and the last line with the same host, port and verdict were written, where the lines say so.
  package var first: Instant?
  package var last: Instant?
  /// How many lines say the same.
  package var count = 1
  /// How many lines look like an event of a client and can't be read, such as lines that were cut off.
  package private(set) var unread = 0

  /// Takes the last event of a log, and counts those that say the same; nil where no line is an event of a client.
  package init?(lastOf text: String) {
    // No client of Pintle writes longer lines, and finding fields takes more than linear time.
    var events: [LoggedEvent] = []
    var unread = 0
    for line in text.split(whereSeparator: \.isNewline) {
      if line.utf8.count <= 16_384, let event = LoggedEvent(line: String(line)) {
        events.append(event)
      } else if Self.words.contains(where: { line.contains($0) }) {
        unread += 1
      }
    }
    guard var event = events.last else { return nil }
    event.unread = unread
    let same = events.filter {
      ($0.host, $0.port, $0.verdict, $0.code?.name) == (event.host, event.port, event.verdict, event.code?.name)
    }
    event.count = same.count
    event.first = same.lazy.compactMap(\.first).first
    event.rejection = events.last { $0.code != nil }?.code
    self = event
  }

  /// What the lines of clients have that are about an event.
  private static let words = [
    "connection blocked", "pin mismatch reported", "manifest rejected", "verdict=block", "verdict=\"block",
    "\"verdict\":",
  ]

  private init?(line: String) {
    let fields = Fields(line)
    first = Self.instant(in: line)
    last = first
    if fields["verdict"] == nil, let code = (fields["code"] ?? Self.bracketed(line)).flatMap(ClientCode.named) {
      // Why a file was rejected may say what it would block.
      self.code = code
    } else if let text = fields["verdict"] ?? Self.bareVerdict(line) {
      verdict = text
      host = fields["host"] ?? Self.entry(of: text)
      port = fields["port"].flatMap { UInt16($0) }
      guard host != nil else { return nil }
    } else {
      return nil
    }
  }

  /// `block: … (entry …)` or `allow: …` in a line without fields.
  private static func bareVerdict(_ line: String) -> String? {
    for word in ["block: ", "allow: ", "not pinned: "] {
      guard let start = line.firstRange(of: word)?.lowerBound else { continue }
      if start == line.startIndex || line.contains("(entry ") { return String(line[start...]) }
    }
    return nil
  }

  /// The host of `(entry api.example.com)`, without the entry's port.
  private static func entry(of verdict: String) -> String? {
    guard let mark = verdict.firstRange(of: "(entry ") else { return nil }
    let label = verdict[mark.upperBound...].prefix { $0 != ")" && $0 != " " }
    let host = label.last == "]" || label.filter { $0 == ":" }.count != 1 ? label : label.prefix { $0 != ":" }
    return host.isEmpty ? nil : String(host)
  }

  /// The last text in square brackets, as messages of clients end.
  private static func bracketed(_ line: String) -> String? {
    guard let open = line.lastIndex(of: "["), let close = line[open...].firstIndex(of: "]") else { return nil }
    return String(line[line.index(after: open)..<close])
  }

  /// The first date and time of the line in ISO 8601, with `Z` or an offset; fractions are dropped.
  private static func instant(in line: String) -> Instant? {
    let bytes = Array(line.utf8)
    guard bytes.count >= 20 else { return nil }
    for start in 0...(bytes.count - 20) where bytes[start + 10] == UInt8(ascii: "T") {
      let text = String(decoding: bytes[start..<start + 19], as: UTF8.self)
      guard let local = Instant(written: text + "Z") else { continue }
      var rest = bytes[(start + 19)...]
      if rest.first == UInt8(ascii: ".") { rest = rest.dropFirst().drop { (0x30...0x39).contains($0) } }
      if rest.first == UInt8(ascii: "Z") { return local }
      guard let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { continue }
      let digits = rest.dropFirst().prefix(6).filter { $0 != UInt8(ascii: ":") }.prefix(4)
      guard digits.count == 4, let number = Int64(String(decoding: digits, as: UTF8.self)) else { continue }
      let offset = number / 100 * 3_600 + number % 100 * 60
      return local.adding(seconds: sign == UInt8(ascii: "+") ? -offset : offset)
    }
    return nil
  }

  /// The fields of a line, of swift-log's text or of JSON.
  private struct Fields {
    private var values: [String: String] = [:]

    init(_ line: String) {
      if let brace = line.firstIndex(of: "{"), let json = try? LocatedJSON(Array(line[brace...].utf8)) {
        add(json.root)
      } else {
        scan(line)
      }
    }

    /// A value may have spaces: it ends where the next field or swift-log's `[source]` begins.
    private mutating func scan(_ line: String) {
      var text = Substring(line)
      while let (name, rest) = Self.field(in: text) {
        let end = Self.end(of: rest)
        if values[name] == nil { values[name] = String(rest[..<end]) }
        text = rest[end...]
      }
    }

    private mutating func add(_ value: LocatedJSON.Value) {
      for member in value.members ?? [] {
        guard let name = member.name.text else { continue }
        guard let text = member.value.written else {
          add(member.value)
          continue
        }
        if values[name] == nil { values[name] = text }
        // journald has the whole line of a program in one field.
        scan(text)
      }
    }

    subscript(_ name: String) -> String? { values[name] }

    private static let names = ["host", "port", "verdict", "code", "reason", "from", "suppressed", "serial", "keyset"]

    /// The next field, and what is behind its equals sign.
    private static func field(in text: Substring) -> (String, Substring)? {
      var rest = text
      while let sign = rest.firstIndex(of: "=") {
        let name = text[..<sign].reversed().prefix { $0.isLetter || $0 == "-" }
        if names.contains(String(name.reversed())) {
          return (String(name.reversed()), text[text.index(after: sign)...])
        }
        rest = rest[rest.index(after: sign)...]
      }
      return nil
    }

    private static func end(of text: Substring) -> Substring.Index {
      var end = text.endIndex
      for name in names { if let next = text.firstRange(of: " \(name)=") { end = min(end, next.lowerBound) } }
      if let source = text.firstRange(of: " [") { end = min(end, source.lowerBound) }
      return end
    }
  }
}
