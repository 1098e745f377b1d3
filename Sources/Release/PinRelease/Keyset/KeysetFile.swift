package import OpenSSLKit
package import PinFormat
import PinValidator

/// A keyset file as tools handle it: anybody who signed it, and perhaps nobody yet.
///
/// Nothing is trusted by it. What a client would trust is a ``TrustedKeyset``.
package struct KeysetFile: Sendable {
  /// What it says.
  package let keyset: Keyset
  /// The signatures that it bears, verified or not, in the order of the file.
  package let signatures: [SignatureEnvelope.Signature]
  /// The canonical bytes of `signed`.
  package let signed: [UInt8]
  /// The keys by their ids.
  package let keyring: Keyring

  /// Reads a file, which may be a draft.
  ///
  /// - Throws: ``KeysetFileError`` where it isn't the canonical encoding of a keyset whose keys can be used.
  package init(reading file: [UInt8]) throws(KeysetFileError) {
    guard file.count <= TrustedKeyset.maximumBytes else { throw .tooLarge(file.count) }
    do throws(FormatError) {
      let envelope = try SignatureEnvelope(draft: file, as: .keyset)
      keyset = try KeysetReader.read(file, signed: envelope.signed)
      signatures = envelope.signatures
      signed = Array(file[envelope.signed])
    } catch {
      throw .notAKeyset(error)
    }
    keyring = try Keyring(keyset)
  }

  /// Takes a keyset that nobody has signed.
  ///
  /// - Throws: ``KeysetFileError`` where no client would read it back: what can't be read isn't signed.
  package init(draft keyset: Keyset) throws(KeysetFileError) {
    try self.init(reading: SignatureEnvelope.encode(signed: keyset.signedBytes(), signatures: []))
  }

  private init(_ other: KeysetFile, signatures: [SignatureEnvelope.Signature]) {
    keyset = other.keyset
    signed = other.signed
    keyring = other.keyring
    self.signatures = signatures.sorted { $0.keyID < $1.keyID }
  }

  /// The file with further signatures that are kept apart from it; of a key that has one, that stays.
  package func joined(with others: [SignatureEnvelope.Signature]) -> KeysetFile {
    var all = signatures
    for signature in others where !all.contains(where: { $0.keyID == signature.keyID }) { all.append(signature) }
    return KeysetFile(self, signatures: all)
  }

  /// The whole file.
  package var bytes: [UInt8] { SignatureEnvelope.encode(signed: signed, signatures: signatures) }

  /// The file with further signatures; an older one of the same key is replaced, the signed bytes are untouched.
  ///
  /// - Parameter signers: Who signs; one that is twice signs once.
  /// - Returns: The file, its signatures in order.
  /// - Throws: ``SignerFailure`` of the first that can't.
  package func signed(by signers: [Signer]) throws(SignerFailure) -> KeysetFile {
    let made = try signers.signatures(over: SignatureEnvelope.preAuthenticationEncoding(of: signed, as: .keyset))
    return KeysetFile(
      self, signatures: signatures.filter { old in !made.contains { $0.keyID == old.keyID } } + made)
  }
}

/// Why a file isn't a keyset that tools can work on.
package enum KeysetFileError: Error, Sendable {
  /// It has more bytes than a keyset may have.
  case tooLarge(Int)
  /// It isn't in canonical form.
  case notAKeyset(FormatError)
  /// A key in it isn't one that a client would take.
  case unusableKey(name: String, CryptoError)

  /// What is wrong.
  package var message: String {
    switch self {
    case .tooLarge(let count):
      "the file has \(count) bytes; the limit is \(TrustedKeyset.maximumBytes)"
    case .notAKeyset(let error): "the file is not a keyset: \(error.description)"
    case .unusableKey(let name, let error): "the key '\(name)' can't be used: \(error.message)"
    }
  }
}

/// Whose signatures a keyset file bears, and whose it still needs until a client takes it.
package struct KeysetSignatures: Sendable {
  /// One threshold: of the roots of the version before, or of its own.
  package struct Tally: Hashable, Sendable {
    /// The version whose roots these are.
    package var version: Int64
    package var threshold: Int
    /// Names of the roots whose signatures are there and right.
    package var signed: [String]
    /// Names of the roots who haven't signed.
    package var open: [String]

    package init(version: Int64, threshold: Int, signed: [String], open: [String]) {
      self.version = version
      self.threshold = threshold
      self.signed = signed
      self.open = open
    }

    /// How many signatures it still lacks.
    package var missing: Int { max(0, threshold - signed.count) }
  }

  /// The version before's, where there is one, then its own.
  package private(set) var tallies: [Tally] = []
  /// Names of roots whose signatures don't fit the signed bytes: these or they were changed.
  package private(set) var invalid: [String] = []
  /// The keys of signatures that no threshold counts.
  package private(set) var strangers: [SHA256Digest] = []

  /// Verifies the signatures of all roots.
  ///
  /// - Parameters:
  ///   - file: The keyset, which may be a draft.
  ///   - previous: The keys of the version before; nil for a first version.
  /// - Throws: ``CryptoError`` where libcrypto fails.
  package init(of file: KeysetFile, after previous: KeysetFile?) throws(CryptoError) {
    let message = SignatureEnvelope.preAuthenticationEncoding(of: file.signed, as: .keyset)
    var right: Set<SHA256Digest> = []
    for signature in file.signatures {
      let members = [file.keyring[signature.keyID], previous?.keyring[signature.keyID]].compactMap(\.self)
      guard let root = members.first(where: \.isRoot) else {
        strangers.append(signature.keyID)
        continue
      }
      if try root.signed(message, signature.bytes) { right.insert(root.keyID) } else { invalid.append(root.name) }
    }
    for version in [previous, file].compactMap(\.self) {
      let roots = version.keyring.roots
      tallies.append(
        Tally(
          version: version.keyset.version, threshold: version.keyset.roots.threshold,
          signed: roots.filter { right.contains($0.keyID) }.map(\.name),
          open: roots.filter { !right.contains($0.keyID) }.map(\.name)))
    }
  }

  /// True where every threshold is reached and no root's signature is wrong: a client takes it.
  package var isComplete: Bool { invalid.isEmpty && tallies.allSatisfy { $0.missing == 0 } }
}
