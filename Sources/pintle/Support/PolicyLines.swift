import Diagnostics
import OpenSSLKit
import PinFormat
import PinRules

/// Keys as the lines of a policy's `keys:`.
enum PolicyLines {
  /// A key and what its file says of it.
  struct Key {
    /// What the key was read from.
    enum Kind: String {
      case root
      case intermediate
      case leaf
      case request = "certificate-request"
      case publicKey = "public-key"

      fileprivate var noun: String {
        switch self {
        case .root, .intermediate, .leaf: rawValue + " certificate"
        case .request: "certificate request"
        case .publicKey: "public key"
        }
      }
    }

    var kind: Kind
    var name: String
    var pin: Pin
    var position: ChainPosition?
    var subject: String?
    var algorithm: String?
    var expires: Instant?

    init(kind: Kind, name: String, pin: Pin, subject: String? = nil, algorithm: String?) {
      self.kind = kind
      self.name = name
      self.pin = pin
      self.subject = subject
      self.algorithm = algorithm
    }

    init(_ certificate: Certificate) throws(CryptoError) {
      let kind: Kind = certificate.isCA ? certificate.isSelfIssued ? .root : .intermediate : .leaf
      self.init(
        kind: kind,
        name: PolicyLine.name(from: certificate.commonName ?? certificate.organization ?? kind.rawValue),
        pin: Pin(SHA256Digest(try certificate.publicKeyDigest())), subject: certificate.subject,
        algorithm: certificate.keyAlgorithm?.title)
      position = kind == .root ? .root : nil
      expires = certificate.notAfter.map { Instant(secondsSinceEpoch: $0) }
    }

    init(_ request: CertificateRequest) throws(CryptoError) {
      self.init(
        kind: .request, name: PolicyLine.name(from: request.commonName ?? request.organization ?? "request"),
        pin: Pin(SHA256Digest(try SHA256.digest(of: request.subjectPublicKeyInfo))), subject: request.subject,
        algorithm: request.keyAlgorithm.title)
    }

    fileprivate var comment: String {
      kind.noun + (subject.map { " " + $0 } ?? "") + (algorithm.map { ", " + $0 } ?? "")
        + (expires.map { ", expires \($0)" } ?? "")
    }
  }

  /// A file or a server, and its keys.
  struct Source {
    var name: String
    /// True for a served chain, which nobody has validated.
    var isServer: Bool
    var keys: [Key]
  }

  /// The keys, each under a name of its own.
  static func distinguished(_ keys: [Key]) -> [Key] {
    var used: [String: Int] = [:]
    return keys.map { key in
      let count = used[key.name, default: 0] + 1
      used[key.name] = count
      var key = key
      if count > 1 { key.name += "-\(count)" }
      return key
    }
  }

  /// One block for one source, a comment line saying where the keys come from.
  static func text(_ source: Source) -> String {
    var text = "# \(VisibleText.of(source.name))\(source.isServer ? ", as served, not validated" : "")\n"
    for key in source.keys {
      let line = PolicyLine.text(name: key.name, pin: key.pin, position: key.position)
      text += "\(line)  # \(VisibleText.of(key.comment))\n"
    }
    return text
  }

  static func json(_ sources: [Source]) -> String {
    Facts.text("pin") { writer in
      writer.array("sources") { writer in
        for source in sources {
          writer.object { writer in
            writer.member("source", source.name)
            writer.member("kind", source.isServer ? "served-chain" : "file")
            writer.array("keys") { writer in
              for key in source.keys { writer.object { add(key, to: &$0) } }
            }
          }
        }
      }
    }
  }

  private static func add(_ key: Key, to writer: inout JSONWriter) {
    writer.member("name", key.name)
    writer.member("pin", key.pin.description)
    if let position = key.position { writer.member("position", position.rawValue) }
    writer.member("kind", key.kind.rawValue)
    if let subject = key.subject { writer.member("subject", subject) }
    if let algorithm = key.algorithm { writer.member("algorithm", algorithm) }
    if let expires = key.expires { writer.member("expires", expires.description) }
  }

  /// A key's name made of a file's, without its folder and its last extension.
  static func name(fromPath path: String) -> String {
    let file = path.split(separator: "/").last ?? path[...]
    let dot = file.lastIndex(of: ".") ?? file.endIndex
    return PolicyLine.name(from: String(dot == file.startIndex ? file : file[..<dot]))
  }
}
