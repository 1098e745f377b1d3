package import Diagnostics

/// Why a file can't be brought into another format, or out of one.
package struct ExchangeError: Error, Hashable, Sendable {
  /// The kind of refusal.
  package enum Code: String, Hashable, Sendable {
    /// More bytes than such a file may have.
    case tooLarge
    /// The bytes aren't a JSON object in UTF-8, or one that stands for two things at once.
    case notJSON
    /// The bytes aren't a XML document, or one that stands for things which it doesn't say.
    case notXML
    /// Deeper, or of more parts, than any such file is.
    case overLimit
    /// A field that no such file can do without isn't there.
    case missingField
    /// A field has a value that it can't have.
    case invalidValue
    /// What is signed is neither a manifest nor a keyset.
    case otherContent
    /// The signed bytes aren't the one encoding of what they say they are.
    case notCanonical
    /// Nobody has signed.
    case unsigned
    /// It can't be told whose signature one is.
    case namelessSignature
    /// A signature isn't one of the key that it names.
    case invalidSignature
    /// A key that was given can't be used.
    case unusableKey
    /// libcrypto failed where it should not have.
    case cryptography
  }

  package let code: Code
  /// What is wrong, for people: a clause in lower case without a full stop.
  package let message: String
  /// Where it is wrong, in a file that was read.
  package let place: Place?
  /// What to do, as an instruction with a full stop, where more can be said than "repair it".
  package let help: String?

  init(_ code: Code, _ message: String, at place: Place? = nil, help: String? = nil) {
    self.code = code
    self.message = message
    self.place = place
    self.help = help
  }

  init(_ error: JSONTextError) {
    let code: Code =
      switch error.code {
      case .tooLarge: .tooLarge
      case .notJSON, .duplicateName: .notJSON
      case .overLimit: .overLimit
      case .missingField: .missingField
      case .invalidValue: .invalidValue
      }
    self.init(code, error.message)
  }
}
