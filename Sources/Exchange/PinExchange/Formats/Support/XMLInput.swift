import Diagnostics

/// What the formats in XML have in common.
enum XMLInput {
  /// The most bytes of a file.
  static let maximumBytes = XMLLimits().bytes
}

extension ExchangeError {
  /// A document that can't be read.
  init(_ complaint: XMLComplaint) {
    self.init(.notXML, complaint.message, at: complaint.place, help: complaint.help)
  }
}
