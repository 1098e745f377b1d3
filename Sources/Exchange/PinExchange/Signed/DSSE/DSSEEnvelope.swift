import PinFormat

/// The JSON envelope of DSSE 1.0 (https://github.com/secure-systems-lab/dsse, envelope.md).
///
/// The payload is the signed bytes, and the signatures are the very same, because manifests and keysets are signed over
/// DSSE's pre-authentication encoding.
package enum DSSEEnvelope {
  /// The most bytes of an envelope: a manifest of 64 MiB in Base64, and what is around it.
  package static let maximumBytes = 96 << 20

  /// Writes a document as an envelope.
  ///
  /// - Parameter document: A manifest or a keyset, signed or not.
  /// - Returns: One line of JSON, ended by a line break.
  package static func write(_ document: SignedDocument) -> [UInt8] {
    write(type: document.content.mediaType, payload: document.signed, signatures: document.signatures)
  }

  /// Writes a payload of any type.
  static func write(type: String, payload: [UInt8], signatures: [SignedDocument.Signature]) -> [UInt8] {
    var writer = CanonicalWriter(capacity: payload.count / 3 * 4 + 256 + signatures.count * 256)
    writer.field("payload", first: true)
    writer.base64(payload)
    writer.field("payloadType")
    writer.string(type)
    writer.field("signatures")
    writer.list(signatures) { writer, signature in
      // Without a key ID, write an empty one: the specification treats both alike.
      writer.field("keyid", first: true)
      writer.string(signature.keyID ?? "")
      writer.field("sig")
      writer.base64(signature.bytes)
      writer.byte("}")
    }
    writer.literal("}\n")
    return writer.bytes
  }
}
