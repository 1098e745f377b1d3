import Foundation

extension TestPKI {
  /// What an OCSP responder is to say of a certificate (RFC 6960).
  package enum OCSPAnswer: Sendable {
    case good
    case revoked
    /// The responder has never heard of it.
    case unknown
  }

  /// Makes a signed OCSP response with `openssl ocsp`, as a responder would, and answers the path of its DER.
  ///
  /// It is valid from now on, for the minutes given. The signer is the issuer unless another is named.
  package func ocspResponse(
    _ answer: OCSPAnswer, for certificate: TestCertificate, issuer: TestCertificate, signer: TestCertificate? = nil,
    validMinutes: Int = 1_000_000
  ) throws -> String {
    let text = String(
      decoding: try runSuccessfully("openssl", ["x509", "-in", certificate.path, "-noout", "-serial"]), as: UTF8.self)
    let serial = text.split(separator: "=").last.map { $0.filter { !$0.isWhitespace } } ?? ""
    // The index of `openssl ca`: status, end, revocation, serial, file, subject.
    let line =
      switch answer {
      case .good: "V\t490101000000Z\t\t\(serial)\tunknown\t/CN=one\n"
      case .revoked: "R\t490101000000Z\t260101000000Z,keyCompromise\t\(serial)\tunknown\t/CN=one\n"
      case .unknown: ""
      }
    // Parallel tests share the certificates, and must not overwrite files that another test's server reads.
    let name = "ocsp-\(UUID().uuidString)"
    let index = try directory.write(line, to: "\(name).index")
    let path = directory.path("\(name).der")
    let signer = signer ?? issuer
    try runSuccessfully(
      "openssl",
      [
        "ocsp", "-index", index, "-CA", issuer.path, "-rsigner", signer.path, "-rkey", signer.keyPath, "-issuer",
        issuer.path, "-cert", certificate.path, "-nmin", "\(validMinutes)", "-respout", path, "-noverify",
      ])
    return path
  }
}
