/// The directives of a header's value (RFC 7469 section 2.1).
///
/// `directive *( OWS ";" OWS directive )`, a directive a token, or a token, `=` and a token or a quoted string. Names are
/// compared without regard to case; each but a pin's may stand there once; unknown ones are passed over.
struct HPKPDirectives {
  struct Directive {
    /// In lower case.
    var name: String
    var value: String?
    var isQuoted = false
    var range: Range<Int>
  }

  private(set) var pins: [Directive] = []
  /// Seconds.
  private(set) var maximumAge: Int64?
  private(set) var includesSubdomains = false
  private(set) var reportURI: String?
  private(set) var unknown: [Directive] = []
  /// Why a user agent ignores the whole header; a clause.
  private(set) var problem: (message: String, range: Range<Int>)?

  init(_ bytes: [UInt8], _ range: Range<Int>) {
    var scanner = Scanner(bytes: bytes, index: range.lowerBound, end: range.upperBound)
    var seen: Set<String> = []
    while problem == nil, let directive = scanner.next() {
      take(directive, &seen)
    }
    if problem == nil, let offset = scanner.problem {
      problem = (
        "the header isn't made of directives with ';' between them", offset..<min(offset + 1, range.upperBound)
      )
    }
  }

  private mutating func take(_ directive: Directive, _ seen: inout Set<String>) {
    if directive.name.hasPrefix("pin-") {
      guard directive.isQuoted else {
        problem = ("the value of '\(directive.name)' isn't in quotation marks", directive.range)
        return
      }
      pins.append(directive)
      return
    }
    guard seen.insert(directive.name).inserted else {
      problem = ("'\(directive.name)' stands there twice", directive.range)
      return
    }
    switch directive.name {
    case "max-age":
      guard let digits = directive.value, !digits.isEmpty, digits.utf8.allSatisfy(SourceIdentifier.isDigit) else {
        problem = ("'max-age' is not a number of seconds", directive.range)
        return
      }
      maximumAge = Int64(digits) ?? .max
    case "includesubdomains": includesSubdomains = true
    case "report-uri":
      guard let value = directive.value else {
        problem = ("'report-uri' has no value", directive.range)
        return
      }
      reportURI = value
    default: unknown.append(directive)
    }
  }

  private struct Scanner {
    let bytes: [UInt8]
    var index: Int
    let end: Int
    /// The offset of what is no directive.
    var problem: Int?
    private var isFirst = true

    init(bytes: [UInt8], index: Int, end: Int) {
      self.bytes = bytes
      self.index = index
      self.end = end
    }

    /// The next directive; nil at the end, or where there is none.
    mutating func next() -> Directive? {
      skipSpaces()
      if !isFirst {
        guard index < end else { return nil }
        guard bytes[index] == UInt8(ascii: ";") else { return fail() }
        index += 1
        skipSpaces()
        // One at the end is common, and user agents pass it over.
        guard index < end else { return nil }
      }
      isFirst = false
      let start = index
      let name = token()
      guard !name.isEmpty else { return fail() }
      var directive = Directive(name: name.lowercased(), value: nil, range: start..<index)
      skipSpaces()
      guard index < end, bytes[index] == UInt8(ascii: "=") else {
        directive.range = start..<start + name.utf8.count
        return directive
      }
      index += 1
      skipSpaces()
      if index < end, bytes[index] == UInt8(ascii: "\"") {
        guard let value = quoted() else { return fail() }
        (directive.value, directive.isQuoted) = (value, true)
      } else {
        let value = token()
        guard !value.isEmpty else { return fail() }
        directive.value = value
      }
      directive.range = start..<index
      return directive
    }

    private mutating func fail() -> Directive? {
      problem = min(index, end)
      return nil
    }

    private mutating func skipSpaces() {
      while index < end, bytes[index] == 0x20 || bytes[index] == 0x09 { index += 1 }
    }

    /// RFC 7230 section 3.2.6.
    private mutating func token() -> String {
      let start = index
      while index < end, SourceIdentifier.isPart(bytes[index]) || "!#$%&'*+-.^`|~".utf8.contains(bytes[index]) {
        index += 1
      }
      return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func quoted() -> String? {
      var text: [UInt8] = []
      index += 1
      while index < end, bytes[index] != UInt8(ascii: "\"") {
        if bytes[index] == UInt8(ascii: "\\") {
          index += 1
          guard index < end else { return nil }
        }
        text.append(bytes[index])
        index += 1
      }
      guard index < end else { return nil }
      index += 1
      return String(decoding: text, as: UTF8.self)
    }
  }
}
