import Diagnostics
import XMLText

extension ExchangeError {
  /// A document that can't be read.
  init(_ complaint: XMLComplaint) {
    self.init(.notXML, complaint.message, at: complaint.place, help: complaint.help)
  }
}
