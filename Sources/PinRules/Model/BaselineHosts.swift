import PinFormat

/// What the baseline does with a host; the same choice of one entry that clients make.
struct BaselineHosts: Sendable {
  private var entries: [String: Manifest.HostEntry] = [:]

  init(_ manifest: Manifest) {
    for entry in manifest.hosts { entries[entry.label] = entry }
  }

  /// True where clients pin the host already, if only to report.
  func isPinned(_ host: HostName, port: UInt16?) -> Bool {
    guard let mode = governing(host, port: port)?.mode else { return false }
    return mode != .off
  }

  /// The entry that clients choose; for a nil port, the one for the ports that no entry names.
  func governing(_ host: HostName, port: UInt16?) -> Manifest.HostEntry? {
    if let entry = entry(host, port) { return entry }
    var rest = host.isAddress ? "" : host.text[...]
    while let dot = rest.firstIndex(of: ".") {
      rest = rest[rest.index(after: dot)...]
      guard let ancestor = try? HostName(canonicalising: String(rest)) else { return nil }
      if let port, let found = entries[HostLabel.text(host: ancestor, port: port)], found.includeSubdomains {
        return found
      }
      if let found = entries[ancestor.text], found.includeSubdomains { return found }
    }
    return nil
  }

  private func entry(_ host: HostName, _ port: UInt16?) -> Manifest.HostEntry? {
    port.flatMap { entries[HostLabel.text(host: host, port: $0)] } ?? entries[host.text]
  }
}
