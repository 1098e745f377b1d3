#if Service
import NIOHTTP1
import PinFormat

/// One URL, and what is remembered of it between fetches.
struct FetchSource: Sendable {
  let address: WebAddress
  /// What the server calls the bytes that it sent, where those bytes were taken.
  var validators: Validators?
  var patience = Patience()

  /// The server's names for a manifest (RFC 9110 section 8.8), and which manifest that is.
  struct Validators: Sendable {
    /// SHA-256 over the signed bytes of the manifest that the server named so.
    let manifest: SHA256Digest
    let entityTag: String?
    let lastModified: String?

    /// Takes the header fields of a response, or nil where there are none to be sent back.
    init?(_ headers: HTTPHeaders, of manifest: SHA256Digest) {
      self.manifest = manifest
      entityTag = Self.field("etag", of: headers, limit: 256)
      lastModified = Self.field("last-modified", of: headers, limit: 64)
      guard entityTag != nil || lastModified != nil else { return nil }
    }

    /// A field that is there once, short, and of visible characters; it is sent back, so nothing else is taken.
    private static func field(_ name: String, of headers: HTTPHeaders, limit: Int) -> String? {
      let values = headers[name]
      guard values.count == 1, let value = values.first, (1...limit).contains(value.utf8.count),
        value.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
      else { return nil }
      return value
    }
  }
}
#endif
