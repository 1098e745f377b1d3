/// Why trust evaluation built no chain that may be matched: the first failure that nothing excuses.
///
/// Two failures are equal where their codes and certificates are.
public struct TrustFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  ///
  /// More may be added; compare with the ones you handle.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The stable name, such as `unknown-issuer`.
    public let description: String

    private init(_ description: String) {
      self.description = description
    }

    /// A notAfter has passed.
    public static let expired = Code("expired")
    /// A notBefore is still to come.
    public static let notYetValid = Code("not-yet-valid")
    /// The name asked for isn't among the leaf's names.
    public static let nameMismatch = Code("name-mismatch")
    /// Key Usage or Extended Key Usage doesn't allow what the certificate is used for.
    public static let wrongUsage = Code("wrong-usage")
    /// A key is weaker than what is asked for.
    public static let weakKey = Code("weak-key")
    /// A signature's digest or family isn't one that is asked for.
    public static let weakSignature = Code("weak-signature")
    /// No path leads to an anchor that counts for this entry.
    public static let unknownIssuer = Code("unknown-issuer")
    /// A certificate's signature isn't its issuer's.
    public static let badSignature = Code("bad-signature")
    /// A certificate signs others without being a certificate authority.
    public static let notAnAuthority = Code("not-an-authority")
    /// More certificates stand below an authority than it allows.
    public static let pathTooLong = Code("path-too-long")
    /// A name that an authority above doesn't permit.
    public static let nameConstraints = Code("name-constraints")
    /// A certificate that can't be read, or breaks a rule of RFC 5280 that is not listed here.
    public static let malformed = Code("malformed")
    /// The server didn't present the one certificate that the entry names.
    public static let wrongCertificate = Code("wrong-certificate")
    /// The connection's TLS version is below what the entry asks for, or nobody says what it is.
    public static let oldTLSVersion = Code("old-tls-version")
    /// libcrypto could not do its work.
    public static let cryptography = Code("cryptography")
    /// Any other failure of path validation.
    public static let other = Code("other")
  }

  /// The kind of failure.
  public let code: Code
  /// The certificate that failed, by its place above the leaf, which is 0; nil where it is none in particular.
  public let certificate: Int?
  /// What is wrong, for people: a clause in lower case without a full stop.
  public let message: String

  package init(_ code: Code, certificate: Int? = nil, _ message: String) {
    self.code = code
    self.certificate = certificate
    self.message = message
  }

  /// The message.
  public var description: String { message }

  /// Compares code and certificate.
  public static func == (left: TrustFailure, right: TrustFailure) -> Bool {
    left.code == right.code && left.certificate == right.certificate
  }

  /// Hashes code and certificate.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(certificate)
  }
}
