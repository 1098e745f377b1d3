import FoundationEssentials

extension LocatedJSON {
  /// Decodes the text with Foundation's decoder.
  ///
  /// - Parameter type: The fields that are wanted; others are ignored.
  /// - Returns: The fields.
  /// - Throws: ``JSONTextError`` of code `missingField` or `invalidValue`, which names the field: `hosts[3].mode`.
  package func decode<Content: Decodable>(_ type: Content.Type) throws(JSONTextError) -> Content {
    do {
      return try JSONDecoder().decode(type, from: Data(bytes))
    } catch let error as DecodingError {
      throw JSONTextError(error)
    } catch {
      throw JSONTextError(.notJSON, "it isn't JSON")
    }
  }
}

extension JSONTextError {
  fileprivate init(_ error: DecodingError) {
    switch error {
    case .typeMismatch(_, let context) where context.codingPath.isEmpty: self.init(.notJSON, "it isn't a JSON object")
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      self.init(.invalidValue, "the field '\(Self.path(context.codingPath))' has a value of the wrong type")
    case .keyNotFound(let key, let context):
      self.init(.missingField, "the field '\(Self.path(context.codingPath + [key]))' is missing")
    case .dataCorrupted(let context) where !context.codingPath.isEmpty:
      self.init(.invalidValue, "the field '\(Self.path(context.codingPath))' has a value that it can't have")
    default: self.init(.notJSON, "it isn't JSON")
    }
  }

  /// `hosts[3].mode`: names of known fields and positions, nothing that the sender wrote.
  private static func path(_ keys: [any CodingKey]) -> String {
    keys.reduce(into: "") { text, key in
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += (text.isEmpty ? "" : ".") + key.stringValue
      }
    }
  }
}
