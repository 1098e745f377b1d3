extension Keyset {
  /// The canonical bytes of `signed`: what is signed, and what a client reads.
  public func signedBytes() -> [UInt8] {
    var writer = CanonicalWriter(capacity: 1_024 + keys.count * 256)
    writer.field("audience", first: true)
    writer.string(audience)
    if !critical.isEmpty {
      writer.field("critical")
      writer.strings(critical.sortedByBytes())
    }
    writer.field("expires")
    writer.instant(expires)
    writer.field("issued")
    writer.instant(issued)
    writer.field("keys")
    writer.object(keys.sorted { $0.name.precedes($1.name) }) { writer, key in
      writer.string(key.name)
      writer.byte(":")
      writer.base64(key.subjectPublicKeyInfo)
    }
    writer.field("keyset-version")
    writer.integer(version)
    writer.field("minimum-serial")
    writer.integer(minimumSerial)
    writer.field("roots")
    writer.role(roots)
    writer.field("serial-epoch")
    writer.integer(serialEpoch)
    writer.field("signers")
    writer.role(signers)
    writer.field("type")
    writer.string(Self.mediaType)
    writer.field("version")
    writer.integer(Self.formatVersion)
    writer.byte("}")
    return writer.bytes
  }
}

extension CanonicalWriter {
  fileprivate mutating func role(_ role: Keyset.Role) {
    field("keys", first: true)
    strings(role.keys.sortedByBytes())
    field("threshold")
    integer(Int64(role.threshold))
    byte("}")
  }
}
