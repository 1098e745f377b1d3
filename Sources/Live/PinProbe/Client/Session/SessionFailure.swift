import CLibSSL
import Glibc
import PinFormat

extension TLSSession {
  /// Why the last step of libssl failed; empties its queue of errors.
  func failure() -> TLSClientError {
    let errors = LibraryErrors.take()
    let state = state.pointee
    if errors.isObjection { hasObjected = true }
    if state.end == .tooMuch {
      return TLSClientError(.brokenHandshake, "the server sent more than \(SocketState.maximumBytes / 1_024) KiB")
    }
    if let looks = Opening(state.opening).notTLS { return TLSClientError(.notTLS, looks) }
    if errors.isOutOfMemory { return TLSClientError(.local, "libssl has no memory left") }
    // Only the certificate message may be that long without an error of the server.
    if errors.reason == SSL_R_EXCESSIVE_MESSAGE_SIZE, SSL_get_state(session) == TLS_ST_CR_CERT {
      return TLSClientError(
        .oversizedChain,
        "the server sent more than \(TLSContexts.maximumCertificateBytes) bytes of certificates, the limit")
    }
    if let alert = errors.alert { return refusal(alert) }
    switch (state.end, errors.reason) {
    // An error of libssl comes first, because the connection may have ended only because of the alert for that error.
    case (.closed, _) where !errors.isObjection:
      let middle = state.received == 0 ? "without an answer to the TLS handshake" : "in the middle of the handshake"
      return TLSClientError(.closed, "the connection was closed \(middle)")
    case (.failed(let number), _) where !errors.isObjection: return Self.broken(number)
    case (_, let reason?) where LibraryErrors.versions.contains(reason):
      return TLSClientError(.protocolVersion, Self.wrongVersion(offer))
    case (_, let reason?) where offer != nil && LibraryErrors.families.contains(reason):
      return TLSClientError(.wrongKeyFamily, "the server proved itself with a kind of key that wasn't offered")
    default:
      if errors.reason == SSL_R_BAD_SIGNATURE {
        return TLSClientError(
          .brokenHandshake, "the handshake isn't signed with the key of the first certificate that the server sent")
      }
      let text = errors.text.map { ": \($0)" } ?? ""
      return TLSClientError(.brokenHandshake, "the server broke the TLS protocol\(text)")
    }
  }

  private func refusal(_ alert: UInt8) -> TLSClientError {
    if alert == UInt8(SSL_AD_PROTOCOL_VERSION) {
      return TLSClientError(.protocolVersion, alert: alert, Self.wrongVersion(offer))
    }
    let reason =
      switch clientCertificate {
      case .notAsked: ""
      case .asked: ", after asking for a client certificate"
      case .sent: ", after taking a client certificate"
      }
    return TLSClientError(
      .alert, alert: alert, "the server ended the handshake with TLS alert \(alert), \(Self.name(of: alert))\(reason)")
  }

  /// The alert's name (RFC 8446 section 6); libssl has no words for those that are new in TLS 1.3.
  private static func name(of alert: UInt8) -> String {
    switch alert {
    case 109: "missing extension"
    case 116: "certificate required"
    default: String(cString: SSL_alert_desc_string_long(Int32(alert)))
    }
  }

  private static func wrongVersion(_ offer: Evidence.Offer?) -> String {
    guard let offer else { return "the server speaks neither TLS 1.2 nor 1.3" }
    return "the server doesn't speak TLS \(offer.tlsVersion.rawValue)"
  }

  private static func broken(_ number: Int32) -> TLSClientError {
    switch number {
    case ECONNRESET, EPIPE: TLSClientError(.closed, "the connection was reset in the middle of the handshake")
    case ETIMEDOUT: TLSClientError(.timedOut, "the connection was lost in the middle of the handshake")
    case ENOMEM, ENOBUFS: TLSClientError(.local, "this machine can't continue: \(SocketError.text(number))")
    default: TLSClientError(.unreachable, "the connection was lost: \(SocketError.text(number))")
    }
  }
}

/// What libssl's queue of errors of this thread said.
private struct LibraryErrors {
  /// The reason of the first error that is libssl's own, not libcrypto's.
  var reason: Int32?
  /// The number of the alert that was received.
  var alert: UInt8?
  /// The first error in libssl's words, without its version-dependent codes.
  var text: String?
  var isOutOfMemory = false

  /// True where libssl itself refused what the server sent, such as a signature that isn't its key's.
  var isObjection: Bool { reason != nil && alert == nil && reason != SSL_R_UNEXPECTED_EOF_WHILE_READING }

  static let versions: Set<Int32> = [
    SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_WRONG_SSL_VERSION, SSL_R_WRONG_VERSION_NUMBER, SSL_R_VERSION_TOO_LOW,
    SSL_R_UNKNOWN_PROTOCOL,
  ]
  static let families: Set<Int32> = [SSL_R_WRONG_SIGNATURE_TYPE, SSL_R_WRONG_CERTIFICATE_TYPE]

  static func take() -> LibraryErrors {
    var errors = LibraryErrors()
    while case let number = ERR_get_error(), number != 0 {
      let reason = ERR_GET_REASON(number)
      if errors.text == nil, let text = ERR_reason_error_string(number) { errors.text = String(cString: text) }
      if reason == ERR_R_MALLOC_FAILURE { errors.isOutOfMemory = true }
      guard ERR_GET_LIB(number) == ERR_LIB_SSL, errors.reason == nil else { continue }
      errors.reason = reason
      errors.alert = UInt8(exactly: reason - SSL_AD_REASON_OFFSET)
    }
    return errors
  }
}

/// The first bytes of an answer, as far as a record's header goes.
private struct Opening {
  /// What it looks like instead of TLS; nil where it may be TLS, or is too short to tell.
  let notTLS: String?

  init(_ bytes: [UInt8]) {
    // The type of a record, then the major version (RFC 8446 section 5.1).
    let isTLS = bytes.isEmpty || (20...23).contains(bytes[0]) && (bytes.count < 2 || bytes[1] == 3)
    guard !isTLS else {
      notTLS = nil
      return
    }
    let kind: String? =
      switch String(decoding: bytes, as: UTF8.self) {
      case let text where text.hasPrefix("HTTP"): "HTTP"
      case let text where text.hasPrefix("SSH-"): "SSH"
      case let text where text.hasPrefix("220"): "a mail or file server's greeting, which wants STARTTLS"
      case let text where text.hasPrefix("* OK"): "an IMAP server's greeting, which wants STARTTLS"
      case let text where text.hasPrefix("+OK"): "a POP3 server's greeting, which wants STARTTLS"
      default: nil
      }
    notTLS = "the server's answer isn't TLS" + (kind.map { ", it looks like \($0)" } ?? "")
  }
}
