extension ManifestTables: GoverningEntries {
  /// The number of the one entry that governs a host and port, or nil.
  ///
  /// The exact host with this port, the exact host, then the nearest ancestor that includes subdomains, with this port
  /// before without. An address matches exactly or not at all.
  ///
  /// - Parameters:
  ///   - host: The host as ASCII in any letter case; it is brought into canonical form here.
  ///   - port: The port.
  /// - Returns: The entry's number in ``hosts``.
  /// - Throws: ``HostNameError`` where the text isn't a host.
  package func entry(for host: Span<UInt8>, port: UInt16) throws(HostNameError) -> Int? {
    if CanonicalHost.isCanonicalName(host, isQuestion: true) { return governing(host, .name, port: port) }
    let canonical = try CanonicalHost(host, isQuestion: true)
    return canonical.withBytes { governing($0, canonical.kind, port: port) }
  }

  private func governing(_ host: Span<UInt8>, _ kind: HostName.Kind, port: UInt16) -> Int? {
    var names = NamesAbove()
    return governing(firstEntry(of: host), port: port) {
      guard kind == .name else { return nil }
      while let start = names.next(in: host) {
        if let first = firstEntry(of: host.extracting(start..<host.count)) { return first }
      }
      return nil
    }
  }

  /// Of the entries for one host, which begin at a number; the one for all ports is the first.
  package func entry(at first: Int, port: UInt16?, isBelow: Bool) -> Int? {
    let wanted = port ?? 0
    var number = first
    repeat {
      let record = hosts[number]
      if record.portField == wanted { return !isBelow || record.includesSubdomains ? number : nil }
      number += 1
    } while wanted != 0 && number < hosts.count && hosts[number].continuesHost
    return nil
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
