/// The parts of a report URI that rules and reports look at (RFC 3986 section 3).
package struct ReportURI: Hashable {
  /// Lower case.
  package var scheme: String
  /// Nil where the authority's host isn't one that a client can connect to.
  package var host: HostName?
  /// The port that is connected to; nil where the scheme doesn't say.
  package var port: UInt16?
  /// A name or password before the host.
  package var hasUserInformation: Bool

  /// Takes a URI apart, or answers nil where it has no scheme.
  package init?(_ text: String) {
    guard let colon = text.firstIndex(of: ":") else { return nil }
    scheme = text[..<colon].lowercased()
    guard let first = scheme.utf8.first, first >= UInt8(ascii: "a"), first <= UInt8(ascii: "z") else { return nil }
    let rest = text[text.index(after: colon)...]
    hasUserInformation = false
    guard rest.hasPrefix("//") else { return }
    var authority = rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    if let at = authority.lastIndex(of: "@") {
      hasUserInformation = true
      authority = authority[authority.index(after: at)...]
    }
    port = scheme == "https" ? 443 : nil
    let afterAddress = authority.lastIndex(of: "]") ?? authority.startIndex
    if let colon = authority[afterAddress...].lastIndex(of: ":") {
      let digits = authority[authority.index(after: colon)...]
      authority = authority[..<colon]
      if !digits.isEmpty {
        guard let written = UInt16(digits), written > 0 else { return }
        port = written
      }
    }
    host = try? HostName(canonicalising: String(authority))
  }
}
