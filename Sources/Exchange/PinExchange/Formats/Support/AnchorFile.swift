import OpenSSLKit
import PinFormat

/// The certificates that hosts trust as anchors, in files, for formats that name files.
package enum AnchorFile {
  /// A file for each set of anchors, in the order of the first host that has it.
  static func all(of list: PinList) -> [ExchangedFile] {
    var seen: Set<String> = []
    return list.hosts.compactMap { host in
      guard let name = name(of: host.anchors), seen.insert(name).inserted else { return nil }
      return ExchangedFile(name: name, bytes: Array(host.anchors.map(\.pem).joined().utf8))
    }
  }

  /// The name of the file of these anchors, as Android lets a resource be called; nil without any.
  ///
  /// It has the beginning of the certificate's fingerprint, or of the digest over all fingerprints.
  static func name(of anchors: [PinList.Anchor]) -> String? {
    guard !anchors.isEmpty else { return nil }
    let names = anchors.map { String($0.fingerprint.hex.prefix(16)) }
    let digest = anchors.count > 1 ? try? SHA256.digest(of: anchors.flatMap(\.fingerprint.bytes)) : nil
    return prefix + (digest.map { String(SHA256Digest($0).hex.prefix(16)) } ?? names.joined(separator: "_")) + suffix
  }

  private static let prefix = "anchor_"
  private static let suffix = ".pem"
  private static let hexDigits = Array("0123456789abcdef".utf8)

  /// Whether an export may have made a file of this name.
  package static func isName(_ name: String) -> Bool {
    guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return false }
    let digits = name.dropFirst(prefix.count).dropLast(suffix.count)
    return digits.utf8.count == 16 && digits.utf8.allSatisfy(hexDigits.contains)
  }
}
