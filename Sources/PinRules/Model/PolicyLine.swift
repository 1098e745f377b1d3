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
    package var name: String
    package var pin: Pin
    package var position: ChainPosition?
    package var comment: String

    package init(name: String, pin: Pin, position: ChainPosition? = nil, comment: String) {
      self.name = name
      self.pin = pin
      self.position = position
      self.comment = comment
    }

    package init(_ certificate: Certificate) throws(CryptoError) {
      let kind = certificate.isCA ? certificate.isSelfIssued ? "root" : "intermediate" : "leaf"
      position = certificate.isCA && certificate.isSelfIssued ? .root : nil
      name = PolicyLine.name(from: certificate.commonName ?? certificate.organization ?? kind)
      pin = Pin(SHA256Digest(try certificate.publicKeyDigest()))
      let expiry = certificate.notAfter.map { ", expires \(Instant(secondsSinceEpoch: $0))" } ?? ""
      let algorithm = certificate.keyAlgorithm.map { ", " + $0.title } ?? ""
      comment = "\(kind) certificate \(certificate.subject)\(algorithm)\(expiry)"
    }

    package init(_ request: CertificateRequest) throws(CryptoError) {
      name = PolicyLine.name(from: request.commonName ?? request.organization ?? "request")
      pin = Pin(SHA256Digest(try SHA256.digest(of: request.subjectPublicKeyInfo)))
      comment = "certificate request \(request.subject), \(request.keyAlgorithm.title)"
    }
  }

  /// One block for one source, a comment line saying where the keys come from.
  package static func text(_ keys: [Key], from source: String) -> String {
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
  package static func name(fromPath path: String) -> String {
    let file = path.split(separator: "/").last ?? path[...]
    let dot = file.lastIndex(of: ".") ?? file.endIndex
    return PolicyLine.name(from: String(dot == file.startIndex ? file : file[..<dot]))
  }
}
