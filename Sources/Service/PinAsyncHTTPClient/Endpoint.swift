#if AsyncHTTPClient
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PinnedAsyncHTTPClient {
  /// A host and port that requests are for.
  public struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// The name or address, as it is in the URL; no brackets around an address.
    public let host: String
    /// The port.
    public let port: UInt16

    /// Names an endpoint.
    ///
    /// - Parameters:
    ///   - host: The name or address.
    ///   - port: The port.
    public init(host: String, port: UInt16 = 443) {
      self.host = host.lowercased()
      self.port = port
    }

    /// The endpoint as messages name it.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// The endpoint of a URL, read as AsyncHTTPClient reads it, so that no two readings can differ.
    init(url text: String) throws(PinnedAsyncHTTPClientError) {
      // The error doesn't repeat the URL, which may contain secrets.
      guard let url = URL(string: text), let scheme = url.scheme, let host = url.host, !host.isEmpty else {
        throw PinnedAsyncHTTPClientError(.unsupportedURL, "the URL can't be read, or names no host")
      }
      guard scheme.lowercased() == "https" else {
        throw PinnedAsyncHTTPClientError(
          .unsupportedURL, "a URL of the scheme '\(scheme)' has no TLS server to be pinned by its name; use https")
      }
      guard let port = UInt16(exactly: url.port ?? 443), port != 0 else {
        throw PinnedAsyncHTTPClientError(.unsupportedURL, "the URL's port is not valid")
      }
      self.init(
        host: host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host, port: port)
    }
  }
}
#endif
