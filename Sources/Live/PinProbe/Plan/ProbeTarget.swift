package import PinFormat

/// A host and port to probe.
package struct ProbeTarget: Hashable, Sendable, Comparable {
  package var host: HostName
  package var port: UInt16
  /// The protocol in which TLS is asked for; nil where TLS comes first.
  package var startTLS: StartTLS?

  package init(host: HostName, port: UInt16, startTLS: StartTLS? = nil) {
    self.host = host
    self.port = port
    self.startTLS = startTLS
  }

  /// Orders by host, then port.
  package static func < (left: ProbeTarget, right: ProbeTarget) -> Bool {
    (left.host, left.port) < (right.host, right.port)
  }
}
