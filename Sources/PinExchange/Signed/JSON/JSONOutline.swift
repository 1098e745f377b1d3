import FoundationEssentials

/// Looks over bytes before a general parser does: how deep, how many, and whether a name is twice in an object.
///
/// It doesn't decide what is JSON. It keeps away from the parser what would cost more than such a file may, and what
/// two parsers may take for two different things.
enum JSONOutline {
  /// The deepest that values are in each other, those of unknown fields included.
  static let maximumDepth = 32
  /// The most values.
  static let maximumValues = 10_000

  /// Refuses what no parser is to see.
  static func check(_ bytes: [UInt8]) throws(ExchangeError) {
    guard bytes.first(where: { !isSpace($0) }) == UInt8(ascii: "{"),
      let text = try? UTF8Span(validating: bytes.span), text.count == bytes.count, !bytes.contains(0)
    else { throw ExchangeError(.notJSON, "it is not a JSON object in UTF-8") }
    // The names of each object that is open; nil for a list.
    var open: [Set<[UInt8]>?] = []
    var values = 0
    var isName = false
    // Foundation passes over a comma that nothing follows; no other parser should have to.
    var isAfterComma = false
    var index = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "{"):
        open.append([])
        (values, isName) = (values + 1, true)
      case UInt8(ascii: "["):
        open.append(nil)
        (values, isName) = (values + 1, false)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard !isAfterComma else {
          throw ExchangeError(.notJSON, "it is not valid JSON: a comma ends a list or an object")
        }
        _ = open.popLast()
        isName = false
      case UInt8(ascii: ","):
        values += 1
        isName = open.last.map { $0 != nil } ?? false
      case UInt8(ascii: "\""):
        let end = try endOfText(in: bytes, from: index + 1)
        if isName {
          let name = try name(bytes[index...end])
          guard open[open.count - 1]?.insert(name).inserted == true else {
            throw ExchangeError(
              .notJSON,
              "the field '\(String(decoding: name.prefix(64), as: UTF8.self))' is listed twice in an object: which of "
                + "them counts would depend on who reads it")
          }
          isName = false
        }
        index = end
      default: break
      }
      if !isSpace(bytes[index]) { isAfterComma = bytes[index] == UInt8(ascii: ",") }
      guard open.count <= maximumDepth, values <= maximumValues else {
        throw ExchangeError(.overLimit, "its values are nested too deeply, or there are too many")
      }
      index += 1
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

  /// Parses JSON that was looked over.
  static func decode<Value: Decodable>(_ bytes: [UInt8]) throws(ExchangeError) -> Value {
    do {
      return try JSONDecoder().decode(Value.self, from: Data(bytes))
    } catch let error as DecodingError {
      throw ExchangeError(error)
    } catch {
      throw ExchangeError(.notJSON, "it is not valid JSON")
    }
  }

  /// The bytes of a name, whose quotation marks are given with it; a name with escapes is the one that it stands for.
  private static func name(_ quoted: ArraySlice<UInt8>) throws(ExchangeError) -> [UInt8] {
    guard quoted.contains(UInt8(ascii: "\\")) else { return Array(quoted.dropFirst().dropLast()) }
    let list: [String] = try decode([UInt8(ascii: "[")] + quoted + [UInt8(ascii: "]")])
    return Array((list.first ?? "").utf8)
  }

  /// The place of the quotation mark that ends a text.
  private static func endOfText(in bytes: [UInt8], from start: Int) throws(ExchangeError) -> Int {
    var index = start
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard index < bytes.count else { throw ExchangeError(.notJSON, "it is not valid JSON: a text doesn't end") }
    return index
  }
}

extension ExchangeError {
  fileprivate init(_ error: DecodingError) {
    switch error {
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      self.init(.invalidValue, "the field '\(Self.path(context.codingPath))' has a value of the wrong type")
    case .keyNotFound(let key, let context):
      self.init(.missingField, "the field '\(Self.path(context.codingPath + [key]))' is missing")
    case .dataCorrupted(let context) where !context.codingPath.isEmpty:
      self.init(.invalidValue, "the field '\(Self.path(context.codingPath))' has a value that it can't have")
    default: self.init(.notJSON, "it is not valid JSON")
    }
  }

  /// `signatures[3].sig`.
  private static func path(_ keys: [any CodingKey]) -> String {
    var text = ""
    for key in keys {
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += (text.isEmpty ? "" : ".") + key.stringValue
      }
    }
    return text
  }
}
