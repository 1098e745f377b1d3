import PinFormat

/// What a context offers: the versions, and the algorithms that leave a server only one family of keys.
struct OfferedAlgorithms {
  var minimumVersion: Int32
  var maximumVersion: Int32
  /// Signature algorithms in libssl's words; nil for its own list.
  var signatures: String?
  /// Cipher suites up to TLS 1.2 in libssl's words.
  var ciphers: String

  /// Takes an offer; nil for everything from TLS 1.2 on.
  init(_ offer: Evidence.Offer?) {
    minimumVersion = offer?.tlsVersion == .tls13 ? TLSVersion.tls13.number : TLSVersion.tls12.number
    maximumVersion = offer?.tlsVersion == .tls12 ? TLSVersion.tls12.number : TLSVersion.tls13.number
    switch (offer?.keyFamily, offer?.tlsVersion) {
    case (.ecdsa, .tls13): signatures = Self.curves + ":" + Self.rsaOfAuthorities
    // As it is, with the signatures of authorities that can't prove a server's key.
    case (.mlDSA, _): signatures = Self.postQuantum + ":" + Self.rsaOfAuthorities
    case (.rsa, .tls13): signatures = Self.rsaPSS + ":" + Self.rsaOfAuthorities
    // Here the cipher suites restrict the key's family. Signature algorithms also apply to the CA's keys, so all are
    // offered.
    case (.ecdsa, _): signatures = Self.curves + ":" + Self.rsaPSS + ":" + Self.rsaOfAuthorities + ":" + Self.old
    case (.rsa, _): signatures = Self.rsaPSS + ":" + Self.rsaOfAuthorities + ":" + Self.curves + ":" + Self.old
    case (nil, _): signatures = nil
    }
    switch offer?.keyFamily {
    case .ecdsa: ciphers = "aECDSA:!eNULL"
    case .rsa: ciphers = "aRSA:!eNULL:!PSK:!SRP"
    // In TLS 1.3 they don't restrict the key.
    case .mlDSA, nil: ciphers = "ALL:!aNULL:!eNULL:!PSK:!SRP"
    }
  }

  /// What a client certificate may be used with, whichever family the server is asked for.
  static let clientSignatures = curves + ":" + rsaPSS + ":" + rsaOfAuthorities

  /// As draft-ietf-tls-mldsa names them; libssl has them since 3.5.
  static let postQuantum = "mldsa44:mldsa65:mldsa87"
  private static let curves = "ECDSA+SHA256:ECDSA+SHA384:ECDSA+SHA512:ed25519:ed448"
  private static let rsaPSS =
    "rsa_pss_rsae_sha256:rsa_pss_rsae_sha384:rsa_pss_rsae_sha512:rsa_pss_pss_sha256:rsa_pss_pss_sha384:rsa_pss_pss_sha512"
  /// For old servers, so that they can be probed too.
  private static let old = "ECDSA+SHA1:RSA+SHA1"
  /// In TLS 1.3 these can't prove a server's key, only sign certificates (RFC 8446 section 4.2.3): a server that minds how
  /// its chain was signed finds an authority's usual signature among them.
  private static let rsaOfAuthorities = "RSA+SHA256:RSA+SHA384:RSA+SHA512"
}

extension TLSVersion {
  /// The number on the wire (RFC 8446 section 4.2.1).
  var number: Int32 {
    switch self {
    case .tls12: 0x0303
    case .tls13: 0x0304
    }
  }
}
