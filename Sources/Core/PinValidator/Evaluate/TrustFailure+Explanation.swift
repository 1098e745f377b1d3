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
