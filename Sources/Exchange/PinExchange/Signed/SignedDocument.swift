package import PinFormat

/// A signed file on its way from one format to another: what is signed, as what, and the signatures.
///
/// The form that exporters take and importers answer, so that each format knows nothing of the others. The signed bytes
/// are never written again, so the signatures stay what they are.
package struct SignedDocument: Hashable, Sendable {
  /// A signature, and whose it says it is.
  package struct Signature: Hashable, Sendable {
    /// What names the key, which nothing is ever decided by; nil where nothing does.
    package var keyID: String?
    package var bytes: [UInt8]

    package init(keyID: String?, bytes: [UInt8]) {
      self.keyID = keyID
      self.bytes = bytes
    }
  }

  package var content: SignedContent
  package var signed: [UInt8]
  package var signatures: [Signature]

  init(content: SignedContent, signed: [UInt8], signatures: [Signature]) {
    self.content = content
    self.signed = signed
    self.signatures = signatures
  }

  /// Reads a manifest or a keyset, which nobody may have signed yet; no signature is verified.
  ///
  /// - Parameter file: The whole file.
  /// - Throws: ``ExchangeError`` where it is neither in its one encoding.
  package init(file: [UInt8]) throws(ExchangeError) {
    guard let content = SignedContent.allCases.first(where: { $0.isNamed(in: file) }) else {
      throw ExchangeError(.otherContent, "it is neither a manifest nor a keyset")
    }
    let envelope: SignatureEnvelope
    do {
      envelope = try SignatureEnvelope(draft: file, as: content)
    } catch {
      throw ExchangeError(.notCanonical, "it is not a \(content.noun): \(error.description)")
    }
    self.init(
      content: content, signed: Array(file[envelope.signed]),
      signatures: envelope.signatures.map { Signature(keyID: $0.keyID.hex, bytes: $0.bytes) })
    try requireCanonical()
  }

  /// Holds the signed bytes to the encoding and to the size of what they say they are.
  func requireCanonical() throws(ExchangeError) {
    let limit = content.sizeLimit
    guard signed.count <= limit else {
      throw ExchangeError(
        .tooLarge, "\(signed.count) bytes are signed, and a \(content.noun) has at most \(limit)")
    }
    do {
      switch content {
      case .manifest: _ = try ManifestReader.read(signed, signed: signed.startIndex..<signed.endIndex)
      case .keyset: _ = try KeysetReader.read(signed, signed: signed.startIndex..<signed.endIndex)
      }
    } catch {
      throw ExchangeError(.notCanonical, "what is signed is not a \(content.noun): \(error.description)")
    }
  }
}

extension SignedContent {
  /// The most bytes of the signed part: those of a whole file.
  var sizeLimit: Int {
    switch self {
    case .manifest: FormatLimits.fileBytes
    case .keyset: FormatLimits.keysetBytes
    }
  }
}
