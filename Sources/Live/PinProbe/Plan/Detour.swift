package import PinFormat

/// Where to connect in place of what DNS says: one `--connect-to HOST:PORT:ADDRESS[:PORT]`.
package struct Detour: Hashable, Sendable {
  /// The host that it is for; nil for any.
  package var host: HostName?
  /// The port that it is for; nil for any.
  package var port: UInt16?
  package var address: IPAddress
  /// The port to connect to; nil for the target's own.
  package var addressPort: UInt16?

  package init(host: HostName?, port: UInt16?, address: IPAddress, addressPort: UInt16?) {
    self.host = host
    self.port = port
    self.address = address
    self.addressPort = addressPort
  }

  /// True where the target is one that the detour is for; another detour may be nearer.
  package func covers(_ target: ProbeTarget) -> Bool {
    (host ?? target.host) == target.host && (port ?? target.port) == target.port
  }

  /// The parts of a written detour, the host still as it was written.
  package struct Parts: Hashable, Sendable {
    package var host: String
    package var port: UInt16?
    package var address: IPAddress
    package var addressPort: UInt16?
  }

  /// Takes `HOST:PORT:ADDRESS[:PORT]` apart, IPv6 addresses in brackets; nil where it is anything else.
  ///
  /// As with curl, an empty HOST or PORT stands for any, and an empty last PORT for the same one.
  package static func parts(of text: String) -> Parts? {
    var rest = text[...]
    guard let host = field(&rest), let port = field(&rest), let address = field(&rest) else { return nil }
    let last = rest.isEmpty ? Substring() : field(&rest) ?? nil
    guard let last, rest.isEmpty, !text.hasSuffix(":") || last.isEmpty, let address = IPAddress(String(address)),
      let ports = numbers(port, last)
    else { return nil }
    return Parts(host: String(host), port: ports.0, address: address, addressPort: ports.1)
  }

  /// Takes the text up to the next colon, or in brackets; nil where brackets don't close.
  private static func field(_ rest: inout Substring) -> Substring? {
    var field: Substring
    if rest.first == "[" {
      guard let end = rest.firstIndex(of: "]") else { return nil }
      field = rest[rest.index(after: rest.startIndex)..<end]
      rest = rest[rest.index(after: end)...]
      guard rest.isEmpty || rest.first == ":" else { return nil }
    } else {
      field = rest.prefix { $0 != ":" }
      rest = rest[field.endIndex...]
    }
    rest = rest.dropFirst()
    return field
  }

  /// Two ports; nil inside where a text is empty, nil outside where one isn't a port.
  private static func numbers(_ one: Substring, _ other: Substring) -> (UInt16?, UInt16?)? {
    let ports = [one, other].map { $0.isEmpty ? nil : UInt16($0) }
    guard one.isEmpty || ports[0] ?? 0 > 0, other.isEmpty || ports[1] ?? 0 > 0 else { return nil }
    return (ports[0], ports[1])
  }
}

/// All detours of a run, to be looked up by target.
package struct Detours: Sendable {
  private struct Key: Hashable {
    var host: HostName?
    var port: UInt16?
  }

  private let byKey: [Key: [Detour]]

  package init(_ detours: [Detour]) {
    byKey = Dictionary(grouping: detours) { Key(host: $0.host, port: $0.port) }
  }

  /// The detours of a target: those that name its host and port, else its host, else its port, else those for all.
  package func taken(for target: ProbeTarget) -> [Detour] {
    byKey[Key(host: target.host, port: target.port)] ?? byKey[Key(host: target.host)] ?? byKey[Key(port: target.port)]
      ?? byKey[Key()] ?? []
  }
}
