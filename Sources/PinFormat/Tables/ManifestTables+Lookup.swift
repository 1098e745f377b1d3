extension ManifestTables {
  /// The number of the one entry that governs a host and port, or nil.
  ///
  /// The exact host with this port, the exact host, then the nearest ancestor that includes subdomains, with this port
  /// before without. An address matches exactly or not at all.
  ///
  /// - Parameters:
  ///   - host: The host as ASCII in any letter case; it is brought into canonical form here.
  ///   - port: The port.
  /// - Returns: The entry's number in ``hosts``.
  /// - Throws: ``HostNameError`` where the text is no host.
  package func entry(for host: Span<UInt8>, port: UInt16) throws(HostNameError) -> Int? {
    if CanonicalHost.isCanonicalName(host, isQuestion: true) { return governing(host, .name, port: port) }
    let canonical = try CanonicalHost(host, isQuestion: true)
    return canonical.withBytes { governing($0, canonical.kind, port: port) }
  }

  private func governing(_ text: Span<UInt8>, _ kind: HostName.Kind, port: UInt16) -> Int? {
    if let found = select(text, port: port, asAncestor: false) { return found }
    guard kind == .name else { return nil }
    for dot in text.indices where text[dot] == UInt8(ascii: ".") {
      let ancestor = text.extracting(droppingFirst: dot + 1)
      if let found = select(ancestor, port: port, asAncestor: true) { return found }
    }
    return nil
  }

  /// Of the entries for exactly this host, the one for the port, else the one for all ports.
  private func select(_ host: Span<UInt8>, port: UInt16, asAncestor: Bool) -> Int? {
    guard let first = firstEntry(of: host) else { return nil }
    var answer: Int?
    var number = first
    repeat {
      let record = hosts[number]
      if !asAncestor || record.includesSubdomains {
        if record.portField == 0 { answer = number }
        if record.portField == port, port != 0 { return number }
      }
      number += 1
    } while number < hosts.count && hosts[number].continuesHost
    return answer
  }

  private func firstEntry(of host: Span<UInt8>) -> Int? {
    let text = text
    let names = text.span
    return hostIndex.find(hash: ByteHash.hash(host)) { number in
      let record = hosts[number]
      return Int(record.nameLength) == host.count && names.extracting(record.nameRange).equals(host)
    }
  }
}
