import PinFormat

/// What reading the signed part of some bytes comes to: the manifest and what decisions are made on, or why not.
///
/// The records are compared beside the manifest that they stand for: decisions are made on them.
enum ReadingOutcome: Equatable {
  case read(Manifest, hosts: [HostRecord], trust: [Manifest.Trust?], keys: [KeyRecord], denied: [UInt32])
  case refused(FormatError.Code, offset: Int, String)

  init(_ bytes: [UInt8], signed: Range<Int>? = nil, takesPlainForms: Bool) {
    do throws(FormatError) {
      let tables = try ManifestReader.read(
        bytes, signed: signed ?? bytes.indices, takesPlainForms: takesPlainForms)
      self = .read(
        Manifest(tables), hosts: tables.hosts,
        trust: tables.hosts.indices.map { tables.trust(ofHost: $0) }, keys: tables.keys, denied: tables.deniedKeys)
    } catch {
      self = .refused(error.code, offset: error.offset, error.description)
    }
  }

  var manifest: Manifest? {
    guard case .read(let manifest, _, _, _, _) = self else { return nil }
    return manifest
  }
}
