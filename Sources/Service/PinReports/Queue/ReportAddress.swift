import PinFormat
import PinValidator

/// Which addresses a report may go to.
enum ReportAddress {
  /// The most addresses of one report.
  static let maximumCount = 16

  /// True where a report about an entry may go to an address.
  ///
  /// It must be an https URI without a user name, as the policy's rules ask (P801), and its host must not be one that
  /// the entry covers, on whatever port: what is wrong with the entry's pins, or with its server, must not keep the
  /// report from arriving. Names below the entry's host that another entry governs are not covered by it. Where another
  /// entry pins the host, the address is taken as long as that entry isn't failing itself: two hosts that report to each
  /// other would go in circles (RFC 7469 section 2.1.4).
  ///
  /// - Parameters:
  ///   - uri: The address.
  ///   - entry: The number of the entry that the report is about.
  ///   - manifest: The manifest that has the entry.
  ///   - isFailing: Whether an entry, by its label, had something to report lately.
  /// - Returns: Whether the report may go there.
  static func isEligible(
    _ uri: String, forEntry entry: Int, of manifest: LoadedManifest, isFailing: (String) -> Bool
  ) -> Bool {
    guard isWellFormed(uri), let parts = ReportURI(uri), let host = parts.host else { return false }
    let tables = manifest.tables
    let own = tables.host(ofEntry: entry)
    if host.text == own { return false }
    switch (try? tables.entry(for: host.text.utf8Span.span, port: parts.port ?? 443)) ?? nil {
    case entry: return false
    case nil: return !(host.kind == .name && tables.hosts[entry].includesSubdomains && host.text.hasSuffix("." + own))
    case let other?: return tables.hosts[other].mode == .off || !isFailing(tables.label(ofEntry: other))
    }
  }

  /// True for an https URI with a host that can be connected to, without a user name, and of one word.
  static func isWellFormed(_ uri: String) -> Bool {
    guard uri.utf8.count <= 2_048, uri.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), let parts = ReportURI(uri) else {
      return false
    }
    return parts.scheme == "https" && parts.host != nil && !parts.hasUserInformation
  }
}
