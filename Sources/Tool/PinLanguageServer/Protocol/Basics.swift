/// A place in a text: the line from 0, and characters in the units that were agreed on.
struct WirePosition: Codable, Hashable, Comparable {
  var line: Int
  var character: Int

  static func < (left: WirePosition, right: WirePosition) -> Bool {
    (left.line, left.character) < (right.line, right.character)
  }
}

struct WireRange: Codable, Hashable {
  var start: WirePosition
  var end: WirePosition

  /// True where the two share a character or touch.
  func touches(_ other: WireRange) -> Bool { start <= other.end && other.start <= end }
}

struct Location: Codable, Hashable {
  var uri: String
  var range: WireRange
}

struct TextEdit: Codable, Hashable {
  var range: WireRange
  var newText: String
}

/// Edits of several files, by the addresses of these.
struct WorkspaceEdit: Codable, Hashable {
  var changes: [String: [TextEdit]]
}

struct MarkupContent: Codable, Hashable {
  /// `markdown` or `plaintext`.
  var kind = "markdown"
  var value: String

  init(_ value: String) {
    self.value = value
  }
}

struct DocumentIdentifier: Decodable {
  var uri: String
}

/// What most requests about a place in a text are given.
struct PlaceParameters: Decodable {
  var textDocument: DocumentIdentifier
  var position: WirePosition
}

struct DocumentParameters: Decodable {
  var textDocument: DocumentIdentifier
}

/// A finding as editors show it.
struct WireDiagnostic: Codable, Hashable {
  struct Description: Codable, Hashable {
    var href: String
  }

  struct Related: Codable, Hashable {
    var location: Location
    var message: String
  }

  var range: WireRange
  /// 1 for errors, 2 for warnings, 3 for information.
  var severity: Int?
  var code: String?
  var codeDescription: Description?
  var source: String?
  var message: String
  /// 1 for what has no effect.
  var tags: [Int]?
  var relatedInformation: [Related]?

  enum CodingKeys: CodingKey {
    case range, severity, code, codeDescription, source, message, tags, relatedInformation
  }

  init(range: WireRange, severity: Int, code: String, message: String) {
    self.range = range
    self.severity = severity
    self.code = code
    self.message = message
    source = "pintle"
  }

  /// Reads what a client gives back, which may be another program's: a code may be a number.
  init(from decoder: any Decoder) throws {
    let object = try decoder.container(keyedBy: CodingKeys.self)
    range = try object.decode(WireRange.self, forKey: .range)
    message = (try? object.decode(String.self, forKey: .message)) ?? ""
    severity = try? object.decode(Int.self, forKey: .severity)
    code = try? object.decode(String.self, forKey: .code)
    source = try? object.decode(String.self, forKey: .source)
  }
}

struct PublishDiagnostics: Encodable {
  var uri: String
  /// Of the text that was checked; nil for files that aren't open.
  var version: Int?
  var diagnostics: [WireDiagnostic]
}
