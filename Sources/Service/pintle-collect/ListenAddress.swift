#if Collector
import ArgumentParser

/// `HOST:PORT`, `[IPv6]:PORT`, or a port alone for loopback.
struct ListenAddress: ExpressibleByArgument {
  var host: String
  var port: Int

  init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  init?(argument: String) {
    let colon = argument.lastIndex(of: ":")
    let digits = colon.map { argument[argument.index(after: $0)...] } ?? argument[...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else {
      return nil
    }
    var host = colon.map { String(argument[..<$0]) } ?? "127.0.0.1"
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = String(host.dropFirst().dropLast())
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty else { return nil }
    self.init(host: host, port: Int(port))
  }

  var defaultValueDescription: String { "\(shownHost):\(port)" }

  /// The host as addresses write it.
  var shownHost: String { host.contains(":") ? "[\(host)]" : host }

  /// Whether only this machine can connect.
  var isLoopback: Bool { host.hasPrefix("127.") || host == "::1" || host == "localhost" }
}
#endif
