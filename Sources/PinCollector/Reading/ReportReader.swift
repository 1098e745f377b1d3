import FoundationEssentials
import PinReports

/// Reads reports that anybody may have sent.
///
/// Senders differ: fields may come in any order, with any spacing and escapes, some may be missing, and unknown ones
/// are passed over. What is bounded is how much is looked at. JSON itself is Foundation's to parse; before it sees a
/// byte, the bytes are checked to be UTF-8 and no deeper, longer or more than in any report.
package enum ReportReader {
  /// The most bytes of a report on one connection.
  package static let maximumMismatchBytes = 512 << 10
  /// The most bytes of a report with a day's counts.
  package static let maximumAggregateBytes = 1 << 20

  /// Reads a report.
  ///
  /// - Parameters:
  ///   - bytes: The body as it was received.
  ///   - contentType: The `Content-Type`, parameters included. Taken are the aggregate's media type, and
  ///     `application/json`, `text/json`, `text/plain` and none, with which the fields tell the format.
  /// - Returns: What the report says, with nothing verified.
  /// - Throws: ``ReportReaderError`` saying what is wrong.
  package static func read(
    _ bytes: [UInt8], contentType: String?
  ) throws(ReportReaderError) -> ReceivedReport {
    let type = try mediaType(contentType)
    guard bytes.count <= maximumAggregateBytes else { throw tooLarge(bytes.count) }
    let names = try JSONOutline.fieldNames(of: bytes)
    if type == AggregateReport.mediaType || names.contains("type") && names.contains("reporter") {
      return .aggregate(try AggregateReport(decode(RawAggregate.self, bytes)))
    }
    guard bytes.count <= maximumMismatchBytes else { throw tooLarge(bytes.count) }
    let isTrustKit = !names.isDisjoint(with: ["app-bundle-id", "trustkit-version", "validation-result"])
    return .mismatch(
      try ReceivedMismatch(decode(RawMismatch.self, bytes), format: isTrustKit ? .trustKit : .rfc7469))
  }

  /// The type and subtype in lower case; empty where there is none.
  private static func mediaType(_ contentType: String?) throws(ReportReaderError) -> String {
    let text = (contentType ?? "").prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
    guard ["", "application/json", "text/json", "text/plain", AggregateReport.mediaType].contains(text) else {
      throw ReportReaderError(.mediaType, "the media type is none that reports have")
    }
    return text
  }

  private static func decode<Value: Decodable>(
    _ type: Value.Type, _ bytes: [UInt8]
  ) throws(ReportReaderError) -> Value {
    do {
      return try JSONDecoder().decode(type, from: Data(bytes))
    } catch let error as DecodingError {
      throw ReportReaderError(error)
    } catch {
      throw ReportReaderError(.notJSON, "the bytes are no JSON")
    }
  }

  private static func tooLarge(_ count: Int) -> ReportReaderError {
    ReportReaderError(.tooLarge, "\(count) bytes are more than a report may have")
  }
}

extension ReportReaderError {
  fileprivate init(_ error: DecodingError) {
    switch error {
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      self.init(.invalidValue, "the field '" + Self.path(context.codingPath) + "' has a value of the wrong type")
    case .keyNotFound(let key, let context):
      self.init(.missingField, "the field '" + Self.path(context.codingPath + [key]) + "' is missing")
    case .dataCorrupted(let context) where !context.codingPath.isEmpty:
      self.init(.invalidValue, "the field '" + Self.path(context.codingPath) + "' has a value that it can't have")
    default: self.init(.notJSON, "the bytes are no JSON")
    }
  }

  /// `hosts[3].mode`: names of known fields and positions, never anything that the sender wrote.
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
