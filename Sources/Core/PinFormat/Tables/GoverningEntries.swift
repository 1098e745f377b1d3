/// Entries, one of which governs a host and port: only this code decides which one, however they are stored.
package protocol GoverningEntries {
  /// What stands for a name that has entries.
  associatedtype Name

  /// The entry of this very name for a port; for nil, the one for all ports.
  ///
  /// Where a name below it is asked about, only an entry with subdomains covers that.
  func entry(at name: Name, port: UInt16?, isBelow: Bool) -> Int?
}

extension GoverningEntries {
  /// The one entry that governs a host and port, the most specific: of the host the entry for this port, then the one for
  /// all ports, then of the nearest name above it that covers its subdomains the same two.
  ///
  /// - Parameters:
  ///   - name: The host's own name; nil where it has no entries, or where what is below it is asked about.
  ///   - port: The port; nil for every port that no entry names.
  ///   - above: The names above the host that have entries, one a call and the nearest first; none for an address.
  /// - Returns: The entry; nil where none governs.
  @inline(__always)
  package func governing(_ name: Name?, port: UInt16?, above: () -> Name?) -> Int? {
    if let name, let found = best(at: name, port: port, isBelow: false) { return found }
    while let name = above() {
      if let found = best(at: name, port: port, isBelow: true) { return found }
    }
    return nil
  }

  @inline(__always)
  private func best(at name: Name, port: UInt16?, isBelow: Bool) -> Int? {
    if let port, let found = entry(at: name, port: port, isBelow: isBelow) { return found }
    return entry(at: name, port: nil, isBelow: isBelow)
  }
}

/// Steps through the names above a host: `b.example`, then `example`, for `a.b.example`.
package struct NamesAbove {
  private var offset = 0

  package init() {}

  /// Where the next name above begins in the text of the host; nil where there are no more.
  @inline(__always)
  package mutating func next(in host: Span<UInt8>) -> Int? {
    while offset < host.count {
      offset += 1
      if host[offset - 1] == UInt8(ascii: ".") { return offset }
    }
    return nil
  }
}
