/// Why libcrypto could not do what was asked.
///
/// Two errors are equal where their codes are. The message is ours, not OpenSSL's: its texts change from version to version.
package struct CryptoError: Error, Hashable, Sendable {
  /// The kind of failure; more kinds may come.
  package struct Code: Hashable, Sendable {
    private enum Value: Hashable, Sendable {
      case outOfMemory, malformed, unsupported, encryptedKey, wrongPassphrase, privateKey, nothingFound, failed
      case unusualKeyForm
    }

    private let value: Value

    /// libcrypto could not make an object.
    package static let outOfMemory = Code(value: .outOfMemory)
    /// The bytes aren't what they should be.
    package static let malformed = Code(value: .malformed)
    /// Well formed, but of an algorithm or a kind that isn't used here.
    package static let unsupported = Code(value: .unsupported)
    /// A private key that a passphrase protects.
    package static let encryptedKey = Code(value: .encryptedKey)
    /// A passphrase that doesn't open a private key.
    package static let wrongPassphrase = Code(value: .wrongPassphrase)
    /// A private key where none may be.
    package static let privateKey = Code(value: .privateKey)
    /// A public key that clients reject for its encoding.
    package static let unusualKeyForm = Code(value: .unusualKeyForm)
    /// Nothing of the kind that was looked for.
    package static let nothingFound = Code(value: .nothingFound)
    /// An operation failed that should not have.
    package static let failed = Code(value: .failed)
  }

  package let code: Code
  /// What is wrong: one clause, lower case, no full stop.
  package let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  package static func == (left: CryptoError, right: CryptoError) -> Bool { left.code == right.code }

  package func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
