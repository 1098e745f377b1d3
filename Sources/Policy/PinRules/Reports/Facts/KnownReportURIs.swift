import PinFormat

/// Report URIs taken apart, each text once: the entries of a policy report to few collectors.
struct KnownReportURIs {
  private var known: [String: ReportURI?] = [:]
  /// The last one asked for, which most often is asked for again.
  private var last: (text: String, parts: ReportURI?) = ("", nil)

  subscript(text: String) -> ReportURI? {
    mutating get {
      if text == last.text { return last.parts }
      let parts = known[text] ?? ReportURI(text)
      known[text] = .some(parts)
      last = (text, parts)
      return parts
    }
  }
}
