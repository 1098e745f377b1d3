import Diagnostics
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

extension DSSEEnvelope {
  /// The most bytes of a key's name, which may be anything.
  private static let maximumKeyIDBytes = 1_024

  private static var limits: LocatedJSON.Limits {
    var limits = LocatedJSON.Limits()
    (limits.bytes, limits.depth, limits.values) = (maximumBytes, 32, 20_000)
    return limits
  }

  /// Reads an envelope that any tool may have written; no signature is verified, and the payload isn't looked into.
  ///
  /// Fields may be in any order, with any spacing and escapes; unknown ones are ignored, as the specification
  /// requires.
  ///
  /// - Parameter bytes: The whole envelope.
  /// - Returns: What is signed, and the signatures, in the envelope's order.
  /// - Throws: ``ExchangeError`` where it isn't an envelope, or one of something else.
  package static func read(_ bytes: [UInt8]) throws(ExchangeError) -> SignedDocument {
    let envelope = try parts(of: bytes)
    guard let content = SignedContent.allCases.first(where: { $0.mediaType.utf8.elementsEqual(envelope.type.utf8) })
    else {
      throw ExchangeError(otherType: envelope.type, than: SignedContent.allCases.map(\.mediaType))
    }
    return SignedDocument(content: content, signed: envelope.payload, signatures: envelope.signatures)
  }

  /// What an envelope of any type holds.
  static func parts(
    of bytes: [UInt8]
  ) throws(ExchangeError) -> (type: String, payload: [UInt8], signatures: [SignedDocument.Signature]) {
    guard bytes.count <= maximumBytes else {
      throw ExchangeError(.tooLarge, "the file has \(bytes.count) bytes; the limit is \(maximumBytes)")
    }
    let raw: RawDSSEEnvelope
    do {
      raw = try LocatedJSON(bytes, limits: limits).decode(RawDSSEEnvelope.self)
    } catch { throw ExchangeError(error) }
    guard let payload = Base64.decode(raw.payload.utf8, accepting: .tools) else {
      throw ExchangeError(.invalidValue, "the field 'payload' is not Base64")
    }
    guard raw.signatures.count <= FormatLimits.signatures else {
      throw ExchangeError(.overLimit, "it has more than \(FormatLimits.signatures) signatures")
    }
    var signatures: [SignedDocument.Signature] = []
    for (index, signature) in raw.signatures.enumerated() {
      let keyID = signature.keyid ?? ""
      guard keyID.utf8.count <= maximumKeyIDBytes else {
        throw ExchangeError(.overLimit, "the field 'signatures[\(index)].keyid' is longer than any name of a key")
      }
      guard let value = Base64.decode(signature.sig.utf8, accepting: .tools), !value.isEmpty else {
        throw ExchangeError(.invalidValue, "the field 'signatures[\(index)].sig' is not a signature in Base64")
      }
      // An empty name means none. A signature that is too long is kept, because it may be of another kind of key.
      signatures.append(SignedDocument.Signature(keyID: keyID.isEmpty ? nil : keyID, bytes: value))
    }
    return (raw.payloadType, payload, signatures)
  }
}

extension ExchangeError {
  init(otherType type: String, than known: [String]) {
    self.init(
      .otherContent, "its payload is of the type '\(type.prefix(128))', not \(known.joined(separator: " or "))")
  }
}

/// The fields of an envelope, as tools write them.
private struct RawDSSEEnvelope: Decodable {
  struct Signature: Decodable {
    var keyid: String?
    var sig: String
  }

  var payload: String
  var payloadType: String
  var signatures: [Signature]
}
