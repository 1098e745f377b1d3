package import Diagnostics
import PinFormat
import PinPolicy

/// The host and port that a decision is about.
package struct Target {
  package var host: String
  package var port: UInt16
  package var label: String

  /// The same host in A-labels, if it was written in U-labels and is kept so.
  package var aLabels: String?

  /// Reads `HOST` or `HOST:PORT`; a host may be written in U-labels.
  ///
  /// - Parameters:
  ///   - text: What is written.
  ///   - keepsULabels: True to ask as a client would that was given this host; otherwise U-labels are converted.
  /// - Throws: What is wrong, and what to write.
  package init(_ text: String, keepsULabels: Bool = false) throws(WorkFailure) {
    if let mistake = Self.mistake(text) { throw mistake }
    let isBareAddress = text.count(where: { $0 == ":" }) > 1 && !text.hasPrefix("[")
    let hasPort = !isBareAddress && text.last != "]" && text.contains(":")
    if hasPort {
      guard let endpoint = Endpoint(text) else {
        throw WorkFailure(
          .usage, "'\(text)' is not a host and port", help: "Write api.example.com:8443 or [2001:db8::1]:8443.")
      }
      (host, port) = (endpoint.host, endpoint.port)
    } else {
      (host, port) = (text, 443)
    }
    // A name that can't be converted stays as it is, and is rejected by the validator.
    let canonical = try? InternationalName.host(host)
    if keepsULabels, let canonical, !host.utf8.allSatisfy({ $0 < 0x80 }) {
      aLabels = canonical.text
      label = "\(host):\(port)"
    } else if let canonical {
      host = canonical.text
      label = HostLabel.text(host: canonical, port: port)
    } else {
      label = "\(host):\(port)"
    }
  }

  /// What is certainly not a host, though people often write it where one belongs.
  private static func mistake(_ text: String) -> WorkFailure? {
    if text.contains("://") {
      return WorkFailure(
        .usage, "'\(text)' is a URL, not a host",
        help: "Give the host alone, or the host and its port: api.example.com:8443.")
    }
    guard text.hasPrefix("*.") else { return nil }
    return WorkFailure(
      .usage, "'\(text)' is a wildcard, and a client connects to one host",
      help: "Give a host below it, such as 'www\(text.dropFirst())'.")
  }
}
