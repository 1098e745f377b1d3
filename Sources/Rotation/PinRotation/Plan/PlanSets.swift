package import PinFormat
package import PinValidator

extension LoadedManifest {
  /// The key set of the entry that governs a server; nil where none does, or it pins nothing.
  func keySet(of server: Server) -> KeySetContent? {
    guard let entry = try? tables.entry(for: server.host.text.utf8Span.span, port: server.port),
      let number = tables.hosts[entry].keySet
    else { return nil }
    var content = KeySetContent(name: tables.name(ofKeySet: number), active: [], backup: [])
    for place in tables.members(ofKeySet: number) {
      let member = tables.member(place)
      let key = tables.key(member.key)
      if member.isBackup { content.backup.append(key) } else { content.active.append(key) }
    }
    return content
  }

  /// Whether the entry that governs a server asks for a key at the leaf and one above it.
  func wantsPair(of server: Server) -> Bool {
    guard let entry = try? tables.entry(for: server.host.text.utf8Span.span, port: server.port) else { return false }
    return tables.hosts[entry].requirement == .leafAndCA
  }

  /// Why a pin is denied; nil where it isn't.
  package func denial(of pin: Pin) -> String? {
    for number in tables.deniedKeys where tables.pin(ofKey: Int(number)) == pin {
      return tables.denial(ofKey: Int(number))
    }
    return nil
  }
}

extension ServerPhase {
  /// All views, those of single releases included.
  package var allViews: [ClientView] { views + otherViews.values.flatMap { $0 } }
}

extension Server {
  /// The index of the phase that holds at an instant.
  func phase(at instant: Instant) -> Int { phases.lastIndex { $0.begin <= instant } ?? 0 }
}
