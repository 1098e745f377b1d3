package import Diagnostics
package import PinFormat
import PinPolicy
package import PinRelease

/// An authorities file in a DSSE envelope, whose payload is the text of the YAML file.
///
/// The text isn't read before enough signers of a keyset are known to have signed it.
package struct SignedAuthorities {
  package static let mediaType = "application/vnd.pintle.authorities.v1+yaml"
  /// The most bytes of an envelope: Base64 of the largest file, and 64 signatures.
  package static let sizeLimit = 2 * AuthorityFile.sizeLimit

  /// The text that is signed.
  package let text: [UInt8]
  package private(set) var signatures: [SignedDocument.Signature] = []

  /// A text that nobody has signed.
  package init(unsigned text: [UInt8]) {
    self.text = text
  }

  /// Reads an envelope; no signature is verified.
  package init(envelope bytes: [UInt8]) throws(ExchangeError) {
    let envelope = try DSSEEnvelope.parts(of: bytes)
    guard envelope.type.utf8.elementsEqual(Self.mediaType.utf8) else {
      throw ExchangeError(otherType: envelope.type, than: [Self.mediaType])
    }
    (text, signatures) = (envelope.payload, envelope.signatures)
  }

  /// The envelope.
  package var bytes: [UInt8] { DSSEEnvelope.write(type: Self.mediaType, payload: text, signatures: signatures) }

  private var message: [UInt8] { DSSE.preAuthenticationEncoding(type: Self.mediaType, body: text) }

  /// Whether a file looks like an envelope, of whatever type: by this, nothing is trusted.
  package static func isEnvelope(_ bytes: [UInt8]) -> Bool {
    bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "{")
      && (try? DSSEEnvelope.parts(of: bytes)) != nil
  }

  /// Adds signatures; an older one under the same key id is replaced.
  package mutating func add(_ signers: [Signer]) throws(SignerFailure) {
    let made = try signers.signatures(over: message)
    signatures.removeAll { old in made.contains { $0.keyID.hex == old.keyID } }
    signatures += made.map { SignedDocument.Signature(keyID: $0.keyID.hex, bytes: $0.bytes) }
  }

  /// The text of a file, once as many signers of a keyset are known to have signed it as a manifest needs.
  ///
  /// - Parameters:
  ///   - bytes: The envelope.
  ///   - path: The file as messages name it.
  ///   - keyset: The user's own keyset.
  ///   - instant: The time; an expired keyset endorses nothing.
  /// - Returns: The YAML text, whose content nobody has checked.
  /// - Throws: ``WorkFailure``, with exit status 6.
  package static func text(
    _ bytes: [UInt8], of path: String, by keyset: KeysetWalk, at instant: Instant
  ) throws(WorkFailure) -> [UInt8] {
    guard isEnvelope(bytes) else {
      throw WorkFailure(
        .refused, "'\(VisibleText.of(path))' is not signed, and a keyset is given to verify it",
        help: "Pass the signed file, which is a DSSE envelope, or leave out the keyset.")
    }
    let file: SignedAuthorities
    let owners: [SignedDocument.Found]
    do throws(ExchangeError) {
      file = try SignedAuthorities(envelope: bytes)
      owners = try SignedDocument.owners(of: file.signatures, over: file.message, byTrying: keyset.signerKeys).found
    } catch {
      throw WorkFailure(.refused, "'\(VisibleText.of(path))' is rejected: \(keyset.naming(in: error.message))")
    }
    let signatures = owners.map { SignatureEnvelope.Signature(keyID: $0.keyID, bytes: $0.bytes) }
    try keyset.requireEndorsed(signatures, over: file.message, of: path, at: instant)
    return file.text
  }
}
