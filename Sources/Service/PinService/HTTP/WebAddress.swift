#if Service
import FoundationEssentials

/// An `https` or `http` URL, checked once.
struct WebAddress: Hashable, Sendable {
  /// What is requested.
  let text: String
  /// The host in lower case.
  let host: String
  /// The host as the store is asked about it: an IPv6 address without its brackets.
  let name: String
  /// The port, the scheme's own where the URL names none.
  let port: Int
  let isEncrypted: Bool
  /// The URL as logs show it: without its query, which may hold a secret.
  let shown: String

  /// Reads a URL.
  ///
  /// - Parameters:
  ///   - text: The URL.
  ///   - allowsPlainHTTP: Whether `http` is taken.
  /// - Throws: ``AddressError`` saying what is wrong with it.
  init(_ text: String, allowsPlainHTTP: Bool) throws(AddressError) {
    guard text.utf8.count <= 4_096, let url = URL(string: text) else { throw AddressError("is not a URL") }
    try self.init(url.absoluteURL, allowsPlainHTTP: allowsPlainHTTP)
  }

  private init(_ url: URL, allowsPlainHTTP: Bool) throws(AddressError) {
    switch url.scheme?.lowercased() {
    case "https": isEncrypted = true
    case "http":
      guard allowsPlainHTTP else {
        throw AddressError("is not an https URL; plain http has to be allowed explicitly")
      }
      isEncrypted = false
    default: throw AddressError("is not an https URL")
    }
    guard let host = url.host(percentEncoded: true)?.lowercased(), !host.isEmpty else {
      throw AddressError("names no host")
    }
    guard url.user(percentEncoded: true) == nil, url.password(percentEncoded: true) == nil else {
      throw AddressError("holds a user name or a password, which are not sent")
    }
    guard url.fragment == nil else { throw AddressError("has a fragment, which is never sent") }
    self.host = host
    name = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    port = url.port ?? (isEncrypted ? 443 : 80)
    guard (0...65_535).contains(port) else { throw AddressError("names no port that there is") }
    let text = url.absoluteString
    self.text = text
    shown = text.firstIndex(of: "?").map { String(text[..<$0]) } ?? text
  }

  /// Where a redirect leads, if it stays on this host, port and scheme; nil otherwise.
  func redirected(to location: String) -> WebAddress? {
    guard location.utf8.count <= 4_096, let base = URL(string: text),
      let url = URL(string: location, relativeTo: base)?.absoluteURL,
      let target = try? WebAddress(url, allowsPlainHTTP: !isEncrypted),
      target.host == host, target.port == port, target.isEncrypted == isEncrypted
    else { return nil }
    return target
  }
}

/// What is wrong with a URL: a clause to be after it.
struct AddressError: Error, Hashable, Sendable {
  let message: String

  init(_ message: String) {
    self.message = message
  }
}
#endif
