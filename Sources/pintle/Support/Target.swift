import DomainNames
import PinFormat
import TLSClient

/// The host and port that a decision is about.
struct Target {
  var host: String
  var port: UInt16
  var label: String

  /// Reads `HOST` or `HOST:PORT`; a host may be written in U-labels.
  init(_ text: String) throws(CommandFailure) {
    let isBareAddress = text.count(where: { $0 == ":" }) > 1 && !text.hasPrefix("[")
    let hasPort = !isBareAddress && text.last != "]" && text.contains(":")
    if hasPort {
      guard let endpoint = Endpoint(text) else {
        throw CommandFailure(
          .usage, "'\(text)' is no host and port", help: "Write api.example.com:8443 or [2001:db8::1]:8443.")
      }
      (host, port) = (endpoint.host, endpoint.port)
    } else {
      (host, port) = (text, 443)
    }
    // What can't be converted is asked as it is: the validator has an answer for it.
    if let canonical = try? InternationalName.host(host) {
      host = canonical.text
      label = HostLabel.text(host: canonical, port: port)
    } else {
      label = "\(host):\(port)"
    }
  }
}
