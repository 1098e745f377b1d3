/// The names of TLS alerts (RFC 8446 section 6, and the alerts of RFC 5246 that it has kept the numbers of).
enum TLSAlert {
  /// `handshake_failure (40)`, or the number alone where it has no name.
  static func text(_ number: UInt8) -> String { names[number].map { "\($0) (\(number))" } ?? "\(number)" }

  /// What to do about `handshake_failure`, which doesn't say what is missing.
  static let nothingInCommon = """
    The alert handshake_failure (40) doesn't say what is missing. Check both on the server: that TLS 1.2 or 1.3 is enabled, and \
    that it has a cipher suite and a certificate for an RSA or ECDSA key in that version.
    """

  private static let names: [UInt8: String] = [
    0: "close_notify", 10: "unexpected_message", 20: "bad_record_mac", 22: "record_overflow",
    30: "decompression_failure", 40: "handshake_failure", 42: "bad_certificate", 43: "unsupported_certificate",
    44: "certificate_revoked", 45: "certificate_expired", 46: "certificate_unknown", 47: "illegal_parameter",
    48: "unknown_ca", 49: "access_denied", 50: "decode_error", 51: "decrypt_error", 60: "export_restriction",
    70: "protocol_version", 71: "insufficient_security", 80: "internal_error", 86: "inappropriate_fallback",
    90: "user_canceled", 100: "no_renegotiation", 109: "missing_extension", 110: "unsupported_extension",
    112: "unrecognized_name", 113: "bad_certificate_status_response", 115: "unknown_psk_identity",
    116: "certificate_required", 120: "no_application_protocol",
  ]
}
