public import PinFormat

/// One thing that is wrong with a served chain: why trust evaluation built no chain that may be matched.
///
/// Two failures are equal where their codes and certificates are.
public struct TrustFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  ///
  /// More may be added; compare with the ones you handle.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The stable name, such as `unknown-issuer`.
    public let description: String
    /// The gravest is named first: what explains the others has the lower number.
    let rank: Int

    private init(_ description: String, rank: Int) {
      self.description = description
      self.rank = rank
    }

    /// Compares the names.
    public static func == (left: Code, right: Code) -> Bool { left.description.isSame(as: right.description) }

    /// A certificate that can't be read, or breaks a rule of RFC 5280 that is not listed here.
    public static let malformed = Code("malformed", rank: 0)
    /// A public key that isn't in the usual form of its algorithm, so pins and denials of it wouldn't be found.
    public static let keyEncoding = Code("key-encoding", rank: 1)
    /// Too many certificates or too many bytes; or none at all.
    public static let unusableChain = Code("unusable-chain", rank: 2)
    /// The server didn't present the one certificate that the entry names.
    public static let wrongCertificate = Code("wrong-certificate", rank: 3)
    /// The leaf is self-signed and no anchor.
    public static let selfSigned = Code("self-signed", rank: 4)
    /// The leaf's issuer was neither served nor is it an anchor: probably an intermediate is left out.
    public static let missingIntermediate = Code("missing-intermediate", rank: 5)
    /// No path leads to an anchor that counts for this entry.
    public static let unknownIssuer = Code("unknown-issuer", rank: 6)
    /// The trust store itself rejects a certificate for this use.
    public static let rejected = Code("rejected", rank: 7)
    /// A certificate's signature isn't its issuer's.
    public static let badSignature = Code("bad-signature", rank: 8)
    /// A certificate signs others without being a certificate authority.
    public static let notAnAuthority = Code("not-an-authority", rank: 9)
    /// More certificates are below an authority than it allows, or than any path may have.
    public static let pathTooLong = Code("path-too-long", rank: 10)
    /// A name that an authority above doesn't permit.
    public static let nameConstraints = Code("name-constraints", rank: 11)
    /// Key Usage or Extended Key Usage doesn't allow what the certificate is used for.
    public static let wrongUsage = Code("wrong-usage", rank: 12)
    /// A notAfter has passed.
    public static let expired = Code("expired", rank: 13)
    /// A notBefore is still to come.
    public static let notYetValid = Code("not-yet-valid", rank: 14)
    /// The name asked for isn't among the leaf's names.
    public static let nameMismatch = Code("name-mismatch", rank: 15)
    /// A key is weaker than what is asked for.
    public static let weakKey = Code("weak-key", rank: 16)
    /// A signature's digest or family isn't one that is asked for.
    public static let weakSignature = Code("weak-signature", rank: 17)
    /// The connection's TLS version is below what the entry asks for, or nobody says what it is.
    public static let oldTLSVersion = Code("old-tls-version", rank: 18)
    /// libcrypto could not do its work.
    public static let cryptography = Code("cryptography", rank: 19)
    /// Any other failure of path validation.
    public static let other = Code("other", rank: 20)
  }

  /// The kind of failure.
  public var code: Code { facts.code }
  /// The certificate that failed, by its place above the leaf, which is 0; nil where it isn't one in particular.
  public var certificate: Int? { facts.certificate }
  /// SHA-256 over that certificate's DER bytes, where it could be read.
  public var fingerprint: SHA256Digest? { facts.fingerprint }
  /// The subject of that certificate (RFC 4514), cut where it is long; nil where it could not be read or is empty.
  public var subject: String? { facts.subject }
  /// What is wrong, for people: a clause in lower case without a full stop.
  public var message: String { facts.message }
  /// The rule where it is known more exactly than by the code; the message names it.
  var ownRule: String? { facts.ownRule }
  /// Who has to act where the code doesn't say it.
  var ownActor: Actor? { facts.ownActor }

  /// Behind one reference: to copy this much in many places takes much of a small library.
  private let facts: Facts

  private final class Facts: Sendable {
    let code: Code
    let certificate: Int?
    let fingerprint: SHA256Digest?
    let subject: String?
    let message: String
    let ownRule: String?
    let ownActor: Actor?

    init(
      _ code: Code, _ certificate: Int?, _ fingerprint: SHA256Digest?, _ subject: String?, _ rule: String?,
      _ actor: Actor?, _ message: String
    ) {
      self.code = code
      self.certificate = certificate
      self.fingerprint = fingerprint
      self.subject = subject
      ownRule = rule
      ownActor = actor
      self.message = rule.map { message + " (" + $0 + ")" } ?? message
    }
  }

  package init(
    _ code: Code, certificate: Int? = nil, fingerprint: SHA256Digest? = nil, subject: String? = nil,
    rule: String? = nil, actor: Actor? = nil, _ message: String
  ) {
    facts = Facts(code, certificate, fingerprint, subject, rule, actor, message)
  }

  /// The message.
  public var description: String { message }

  /// Compares code and certificate.
  public static func == (left: TrustFailure, right: TrustFailure) -> Bool {
    left.code == right.code && left.certificate == right.certificate && left.fingerprint == right.fingerprint
  }

  /// Hashes code and certificate.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(certificate)
    hasher.combine(fingerprint)
  }
}

extension [TrustFailure] {
  /// Each failure once, the one that explains the others first, then from the leaf upwards.
  package func inOrderOfGravity() -> [TrustFailure] {
    var distinct: [TrustFailure] = []
    for failure in self where !distinct.contains(failure) { distinct.append(failure) }
    return distinct.sorted {
      ($0.code.rank, $0.certificate ?? -1) < ($1.code.rank, $1.certificate ?? -1)
    }
  }
}

/// What people need besides the message: the rule that is broken, the certificate, and who has to act.
extension TrustFailure {
  /// Who has to act before the chain is accepted.
  public enum Actor: String, Hashable, Sendable, CaseIterable {
    /// Who runs the server, or the client whose certificate it is.
    case serverOperator = "server operator"
    /// Who issued the certificate.
    case certificateAuthority = "CA"
    /// Who writes the policy, and with it the anchors, the names and the minimum strengths.
    case policyAuthor = "policy author"
    /// Who runs the program that asks, as where memory is short.
    case clientOperator = "client operator"
  }

  /// The rule that is broken, such as `RFC 5280 section 4.2.1.9`; where the policy sets it, the setting.
  public var rule: String { ownRule ?? code.rule }

  /// Who has to act.
  public var actor: Actor { ownActor ?? usualActor }

  private var usualActor: Actor {
    switch code {
    case .unknownIssuer, .rejected, .wrongCertificate, .other: .policyAuthor
    case .cryptography: .clientOperator
    case .notAnAuthority, .pathTooLong, .nameConstraints, .badSignature: .certificateAuthority
    case .malformed, .keyEncoding, .wrongUsage, .weakSignature:
      certificate == nil ? .serverOperator : .certificateAuthority
    // A CA renews its own key and dates; everything else is fixed by the owner of the server's certificate.
    case .weakKey, .expired, .notYetValid: certificate ?? 0 > 0 ? .certificateAuthority : .serverOperator
    default: .serverOperator
    }
  }

  /// The message and the rule.
  package var messageWithRule: String { ownRule == nil ? message + " (" + rule + ")" : message }

  /// The whole of it in one clause: `certificate 1 'CN=Example CA': the certificate has expired (RFC 5280 section 6.1.3);
  /// the CA has to act`.
  public var explanation: String {
    var text = ""
    if let certificate {
      text = certificate == 0 ? "leaf" : "certificate " + String(certificate)
      if let subject { text += " '" + subject + "'" }
      text += ": "
    }
    return text + messageWithRule + "; the " + actor.rawValue + " has to act"
  }
}

extension TrustFailure.Code {
  /// The rule that a failure of this kind breaks, where it isn't known more exactly.
  fileprivate var rule: String {
    switch self {
    case .malformed: "RFC 5280 section 4.1"
    case .unusableChain, .missingIntermediate: "RFC 8446 section 4.4.2"
    case .wrongCertificate: "the policy's 'certificate:'"
    case .selfSigned, .unknownIssuer, .rejected: "RFC 5280 section 6.1.1"
    case .badSignature, .expired, .notYetValid: "RFC 5280 section 6.1.3"
    case .notAnAuthority: "RFC 5280 sections 4.2.1.3 and 4.2.1.9"
    case .pathTooLong: "RFC 5280 section 4.2.1.9"
    case .nameConstraints: "RFC 5280 section 4.2.1.10"
    case .wrongUsage: "RFC 5280 sections 4.2.1.3 and 4.2.1.12"
    case .nameMismatch: "RFC 9525 section 6.3"
    case .weakKey, .weakSignature: "RFC 9325 section 4.5"
    case .oldTLSVersion: "the policy's 'minimum-tls:'"
    default: "RFC 5280 section 6.1"
    }
  }
}
