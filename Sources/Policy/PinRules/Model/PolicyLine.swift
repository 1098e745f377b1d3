import Diagnostics
package import OpenSSLKit
package import PinFormat
import PinProbe

/// A key as a line of a policy's `keys:`.
package enum PolicyLine {
  /// `example-root: { pin: sha256/…, position: root }`.
  package static func text(name: String, pin: Pin, position: ChainPosition?) -> String {
    "\(name): { pin: \(pin)\(position.map { ", position: \($0.rawValue)" } ?? "") }"
  }

  /// A key's name made of what a certificate calls itself: `ISRG Root X1` becomes `isrg-root-x1`.
  package static func name(from text: String) -> String {
    var name = ""
    for scalar in text.lowercased().unicodeScalars {
      switch scalar {
      case "a"..."z", "0"..."9": name.unicodeScalars.append(scalar)
      case ".": if !name.isEmpty, name.last != "-" { name += "." }
      default: if !name.isEmpty, name.last != "-" { name += "-" }
      }
    }
    name = String(name.prefix(64))
    while name.last == "-" || name.last == "." { name.removeLast() }
    return name.isEmpty ? "key" : name
  }

  /// The line for a certificate's key; by the name that the policy already gives the pin, where it has one.
  static func text(_ record: CertificateRecord, isLeaf: Bool, knownAs names: [Pin: String]) -> String? {
    guard let pin = record.pin else { return nil }
    let position: ChainPosition? = isLeaf ? .leaf : record.isCA && record.isSelfSigned ? .root : nil
    let kind = isLeaf ? "leaf" : position == .root ? "root" : "intermediate"
    let known = names[pin]
    return text(
      name: known ?? name(from: record.commonName ?? kind), pin: pin, position: position)
      + (known == nil ? "" : "  # the policy has it, but not in this set")
  }
}

/// Keys as the lines of a policy's `keys:`.
package enum PolicyLines {
  /// A key and what its file says of it.
  package struct Key {
    /// What the key was read from.
    package enum Kind: String {
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

    package var kind: Kind
    package var name: String
    package var pin: Pin
    package var position: ChainPosition?
    package var subject: String?
    package var algorithm: String?
    package var expires: Instant?
    /// Whether the file says what the certificate is trusted for.
    package var hasTrustSettings = false

    package init(kind: Kind, name: String, pin: Pin, subject: String? = nil, algorithm: String?) {
      self.kind = kind
      self.name = name
      self.pin = pin
      self.subject = subject
      self.algorithm = algorithm
    }

    package init(_ certificate: Certificate) throws(CryptoError) {
      let kind: Kind = certificate.isCA ? certificate.isSelfIssued ? .root : .intermediate : .leaf
      self.init(
        kind: kind,
        name: PolicyLine.name(from: certificate.commonName ?? certificate.organization ?? kind.rawValue),
        pin: Pin(SHA256Digest(try certificate.publicKeyDigest())), subject: certificate.subject,
        algorithm: certificate.keyAlgorithm?.title)
      position = kind == .root ? .root : nil
      expires = certificate.notAfter.map { Instant(secondsSinceEpoch: $0) }
    }

    package init(_ request: CertificateRequest) throws(CryptoError) {
      self.init(
        kind: .request, name: PolicyLine.name(from: request.commonName ?? request.organization ?? "request"),
        pin: Pin(SHA256Digest(try SHA256.digest(of: request.subjectPublicKeyInfo))), subject: request.subject,
        algorithm: request.keyAlgorithm.title)
    }

    fileprivate var comment: String {
      kind.noun + (subject.map { " " + $0 } ?? "") + (algorithm.map { ", " + $0 } ?? "")
        + (expires.map { ", expires \($0)" } ?? "")
        + (hasTrustSettings ? ", trust settings of TRUSTED CERTIFICATE ignored" : "")
    }
  }

  /// A file or a server, and its keys.
  package struct Source {
    package var name: String
    /// True for a served chain, which nobody has validated.
    package var isServer: Bool
    package var keys: [Key]

    package init(name: String, isServer: Bool, keys: [Key]) {
      self.name = name
      self.isServer = isServer
      self.keys = keys
    }
  }

  /// The keys, each under a name of its own.
  package static func distinguished(_ keys: [Key]) -> [Key] {
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
  package static func text(_ source: Source) -> String {
    var text = "# \(VisibleText.of(source.name))\(source.isServer ? ", as served, not validated" : "")\n"
    for key in source.keys {
      let line = PolicyLine.text(name: key.name, pin: key.pin, position: key.position)
      text += "\(line)  # \(VisibleText.of(key.comment))\n"
    }
    return text
  }

  package static func json(_ sources: [Source]) -> String {
    JSONWriter.document("pintle-pin", by: .pintle) { writer in
      writer.objects("sources", sources) { source, writer in
        writer.member("source", source.name)
        writer.member("kind", source.isServer ? "served-chain" : "file")
        writer.objects("keys", source.keys) { add($0, to: &$1) }
      }
    }
  }

  private static func add(_ key: Key, to writer: inout JSONWriter) {
    writer.member("name", key.name)
    writer.member("pin", key.pin)
    writer.member("position", key.position)
    writer.member("kind", key.kind)
    writer.member("subject", key.subject)
    writer.member("algorithm", key.algorithm)
    writer.member("expires", key.expires)
    if key.hasTrustSettings { writer.member("trustSettings", "ignored") }
  }

  /// A key's name made of a file's, without its folder and its last extension.
  package static func name(fromPath path: String) -> String {
    let file = path.split(separator: "/").last ?? path[...]
    let dot = file.lastIndex(of: ".") ?? file.endIndex
    return PolicyLine.name(from: String(dot == file.startIndex ? file : file[..<dot]))
  }
}
