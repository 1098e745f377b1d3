import Diagnostics
import OpenSSLKit
import PinFormat
import PinRules

/// Keys as the lines of a policy's `keys:`.
enum PolicyLines {
  /// A key and what its file says of it.
  struct Key {
    var name: String
    var pin: Pin
    var position: ChainPosition?
    var comment: String

    init(name: String, pin: Pin, position: ChainPosition? = nil, comment: String) {
      self.name = name
      self.pin = pin
      self.position = position
      self.comment = comment
    }

    init(_ certificate: Certificate) throws(CryptoError) {
      let kind = certificate.isCA ? certificate.isSelfIssued ? "root" : "intermediate" : "leaf"
      position = certificate.isCA && certificate.isSelfIssued ? .root : nil
      name = PolicyLine.name(from: certificate.commonName ?? certificate.organization ?? kind)
      pin = Pin(SHA256Digest(try certificate.publicKeyDigest()))
      let expiry = certificate.notAfter.map { ", expires \(Instant(secondsSinceEpoch: $0))" } ?? ""
      let algorithm = certificate.keyAlgorithm.map { ", " + $0.title } ?? ""
      comment = "\(kind) certificate \(certificate.subject)\(algorithm)\(expiry)"
    }

    init(_ request: CertificateRequest) throws(CryptoError) {
      name = PolicyLine.name(from: request.commonName ?? request.organization ?? "request")
      pin = Pin(SHA256Digest(try SHA256.digest(of: request.subjectPublicKeyInfo)))
      comment = "certificate request \(request.subject), \(request.keyAlgorithm.title)"
    }
  }

  /// One block for one source, a comment line saying where the keys come from.
  static func text(_ keys: [Key], from source: String) -> String {
    var used: [String: Int] = [:]
    var text = "# \(VisibleText.of(source))\n"
    for key in keys {
      used[key.name, default: 0] += 1
      let count = used[key.name] ?? 1
      let name = count == 1 ? key.name : "\(key.name)-\(count)"
      let line = PolicyLine.text(name: name, pin: key.pin, position: key.position)
      text += "\(line)  # \(VisibleText.of(key.comment))\n"
    }
    return text
  }

  /// A key's name made of a file's, without its folder and its last extension.
  static func name(fromPath path: String) -> String {
    let file = path.split(separator: "/").last ?? path[...]
    let dot = file.lastIndex(of: ".") ?? file.endIndex
    return PolicyLine.name(from: String(dot == file.startIndex ? file : file[..<dot]))
  }
}
