import OpenSSLKit
import PinValidator

/// What a file holds, guessed from its content: for the message about a file of the wrong kind, and nothing else.
enum FileKind {
  case empty
  case compressed
  case webPage
  case privateKey
  case publicKey
  case request
  case certificate
  case manifest
  case keyset
  case envelope
  case evidence
  case policy

  /// Nil if it is none of these, or can't be told.
  init?(_ bytes: [UInt8]) {
    guard let first = bytes.first(where: { !Self.isBlank($0) }) else {
      self = .empty
      return
    }
    if Self.magicNumbers.contains(where: { bytes.starts(with: $0) }) {
      self = .compressed
    } else if let kind = Self.kind(ofPEM: bytes) {
      self = kind
    } else if first == UInt8(ascii: "{"), let kind = Self.kind(ofJSON: bytes) {
      self = kind
    } else if first == UInt8(ascii: "<") {
      self = .webPage
    } else if Self.looksLikePolicy(bytes) {
      self = .policy
    } else {
      return nil
    }
  }

  /// With its article: `a policy file`.
  var noun: String {
    switch self {
    case .empty: "empty"
    case .compressed: "compressed"
    case .webPage: "an HTML or XML file"
    case .privateKey: "a private key"
    case .publicKey: "a public key"
    case .request: "a certificate request"
    case .certificate: "a certificate"
    case .manifest: "a manifest"
    case .keyset: "a keyset"
    case .envelope: "a DSSE envelope"
    case .evidence: "evidence of live servers"
    case .policy: "a policy file"
    }
  }

  /// The first bytes of gzip, ZIP, zstd, bzip2 and xz.
  private static let magicNumbers: [[UInt8]] = [
    [0x1F, 0x8B], [0x50, 0x4B, 0x03, 0x04], [0x28, 0xB5, 0x2F, 0xFD], Array("BZh".utf8),
    [0xFD, 0x37, 0x7A, 0x58, 0x5A],
  ]

  private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

  /// How much of a file is searched for what isn't at its beginning.
  private static let headBytes = 64 << 10

  /// The kind of the first PEM block, or a private key wherever in the file it is; nil if there is no block.
  private static func kind(ofPEM bytes: [UInt8]) -> FileKind? {
    let begin = Array("-----BEGIN ".utf8)
    let labels = bytes.prefix(headBytes).split(separator: UInt8(ascii: "\n")).lazy.filter { $0.starts(with: begin) }.map
    {
      String(decoding: $0.dropFirst(begin.count).prefix { $0 != UInt8(ascii: "-") }, as: UTF8.self)
    }
    if labels.contains(where: { $0.hasSuffix("PRIVATE KEY") }) { return .privateKey }
    guard let label = labels.first else { return nil }
    if label.hasSuffix("PUBLIC KEY") { return .publicKey }
    if label.hasSuffix("CERTIFICATE REQUEST") { return .request }
    return label.hasSuffix("CERTIFICATE") ? .certificate : nil
  }

  private static func kind(ofJSON bytes: [UInt8]) -> FileKind? {
    if bytes.starts(with: #"{"begun":"#.utf8) { return .evidence }
    if (try? KeysetFile(reading: bytes)) != nil { return .keyset }
    if (try? SignedManifest.keyIDs(of: bytes)) != nil { return .manifest }
    let head = String(decoding: bytes.prefix(headBytes), as: UTF8.self)
    return head.contains(#""payloadType""#) || head.hasPrefix(#"{"payload":"#) ? .envelope : nil
  }

  /// Whether the first line that says something begins with a field of policy files: others may quote one.
  private static func looksLikePolicy(_ bytes: [UInt8]) -> Bool {
    let fields = ["version:", "keys:", "key-sets:", "hosts:", "manifest:", "owner:", "defaults:"].map { Array($0.utf8) }
    let lines = bytes.prefix(headBytes).split(separator: UInt8(ascii: "\n"))
    let first = lines.first { line in
      !line.allSatisfy(isBlank) && !["#", "---", "%"].contains { line.starts(with: $0.utf8) }
    }
    return first.map { line in fields.contains { line.starts(with: $0) } } ?? false
  }
}
