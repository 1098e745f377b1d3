import CLibSSL
import PinFormat

extension TLSSession {
  /// What the handshake brought to light.
  func exchange() throws(TLSClientError) -> Exchange {
    Exchange(
      servedChain: try servedChain(),
      tlsVersion: SSL_version(session) == TLSVersion.tls13.number ? .tls13 : .tls12,
      staple: staple, timestamps: timestamps, clientCertificate: clientCertificate)
  }

  /// What a handshake brought to light that failed behind the server's proof of its key; nil where it had proved nothing.
  ///
  /// The proof is its signature. libssl checks it as soon as it comes, so whatever is refused by the other side, or
  /// not answered in time, once there is one, comes behind a good one; but not where libssl objected to something, for
  /// a bad signature leaves its kind behind as well. (RSA key exchange has no signature, and proves the key at the very
  /// end only.)
  func exchange(endedBy error: TLSClientError) -> Exchange? {
    switch error.code {
    case .alert, .closed, .timedOut: break
    default: return nil
    }
    var kind: Int32 = 0
    guard !hasObjected, SSL_get_peer_signature_type_nid(session, &kind) == 1, var exchange = try? exchange() else {
      return nil
    }
    exchange.failure = Evidence.Failure(error.code, alert: error.alert, error.message)
    return exchange
  }

  var clientCertificate: Evidence.ClientCertificate {
    guard state.pointee.wantsCertificate else { return .notAsked }
    // The client has made a signature only if it sent a certificate.
    var kind: Int32 = 0
    return SSL_get_signature_type_nid(session, &kind) == 1 ? .sent : .asked
  }

  private var staple: [UInt8]? {
    var bytes: UnsafePointer<UInt8>?
    let length = pintle_ssl_staple(session, &bytes)
    guard length > 0, let bytes else { return nil }
    return Array(UnsafeBufferPointer(start: bytes, count: length))
  }

  /// Those of the handshake, of the leaf and of the staple; what can't be read counts as none.
  private var timestamps: Int {
    let count = Int(pintle_ssl_timestamp_count(session))
    ERR_clear_error()
    return max(0, count)
  }

  /// libssl gives certificates parsed, and they are encoded again: what a server encodes outside DER comes out in DER,
  /// except for the part that is signed, which stays as it was.
  private func servedChain() throws(TLSClientError) -> [[UInt8]] {
    guard let stack = SSL_get_peer_cert_chain(session), pintle_ssl_chain_count(stack) > 0 else {
      throw TLSClientError(.noCertificate, "the server sent no certificate")
    }
    let count = Int(pintle_ssl_chain_count(stack))
    guard count <= Self.maximumCertificates else {
      throw TLSClientError(
        .oversizedChain, "the server sent \(count) certificates; the limit is \(Self.maximumCertificates)")
    }
    var chain: [[UInt8]] = []
    chain.reserveCapacity(count)
    for index in 0..<count { chain.append(try Self.der(pintle_ssl_chain_at(stack, Int32(index)))) }
    return chain
  }

  private static func der(_ certificate: OpaquePointer?) throws(TLSClientError) -> [UInt8] {
    let length = Int(i2d_X509(certificate, nil))
    guard length > 0 else { throw TLSClientError(.local, "libssl could not encode a served certificate") }
    return Array(unsafeUninitializedCapacity: length) { buffer, count in
      var position = buffer.baseAddress
      count = max(0, Int(i2d_X509(certificate, &position)))
    }
  }
}
