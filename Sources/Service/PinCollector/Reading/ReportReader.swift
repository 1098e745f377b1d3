import Diagnostics
import PinReports

/// Reads reports that anybody may have sent.
///
/// Senders differ: fields may come in any order, with any spacing and escapes, some may be missing, and unknown ones
/// are ignored. Only the amount that is read is limited.
package enum ReportReader {
  /// The most bytes of a report on one connection.
  package static let maximumMismatchBytes = 512 << 10
  /// The most bytes of a report with a day's counts.
  package static let maximumAggregateBytes = 1 << 20

  /// A certificate of 64 KiB in PEM has a text of 96 KiB, with its line breaks escaped; a thousand hosts with all that they
  /// may have are 200,000 values and as many names.
  private static var limits: LocatedJSON.Limits {
    var limits = LocatedJSON.Limits()
    (limits.depth, limits.values, limits.textBytes) = (8, 400_000, 96 << 10)
    return limits
  }

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
    let text: LocatedJSON
    do { text = try LocatedJSON(bytes, limits: limits) } catch { throw ReportReaderError(error) }
    guard let members = text.root.members else { throw ReportReaderError(.notJSON, "the body isn't a JSON object") }
    let names = Set(members.compactMap(\.name.text))
    if type == AggregateReport.mediaType || names.contains("type") && names.contains("reporter") {
      return .aggregate(try AggregateReport(decode(RawAggregate.self, text)))
    }
    guard bytes.count <= maximumMismatchBytes else { throw tooLarge(bytes.count) }
    let isTrustKit = !names.isDisjoint(with: ["app-bundle-id", "trustkit-version", "validation-result"])
    return .mismatch(
      try ReceivedMismatch(decode(RawMismatch.self, text), format: isTrustKit ? .trustKit : .rfc7469))
  }

  /// The type and subtype in lower case; empty where there is none.
  private static func mediaType(_ contentType: String?) throws(ReportReaderError) -> String {
    let text = (contentType ?? "").prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
    guard ["", "application/json", "text/json", "text/plain", AggregateReport.mediaType].contains(text) else {
      throw ReportReaderError(.mediaType, "unsupported Content-Type")
    }
    return text
  }

  private static func decode<Content: Decodable>(
    _ type: Content.Type, _ text: LocatedJSON
  ) throws(ReportReaderError) -> Content {
    do { return try text.decode(type) } catch { throw ReportReaderError(error) }
  }

  private static func tooLarge(_ count: Int) -> ReportReaderError {
    ReportReaderError(.tooLarge, "the report has \(count) bytes, more than the limit")
  }
}

extension ReportReaderError {
  fileprivate init(_ error: JSONTextError) {
    switch error.code {
    case .tooLarge: self.init(.tooLarge, error.message)
    case .notJSON: self.init(.notJSON, error.message)
    // The message doesn't repeat the field's name, which the sender chose.
    case .duplicateName: self.init(.notJSON, "a field occurs twice; each may appear only once (RFC 7469 section 3)")
    case .overLimit: self.init(.overLimit, "values are nested deeper, longer or more than in any report")
    case .missingField: self.init(.missingField, error.message)
    case .invalidValue: self.init(.invalidValue, error.message)
    }
  }
}
