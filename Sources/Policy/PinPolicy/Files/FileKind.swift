import Diagnostics
import OpenSSLKit
import PinFormat
import PinValidator

/// What a file holds, guessed from its content: for the message about a file of the wrong kind, and nothing else.
enum FileKind: Equatable {
  case empty
  case compressed
  case webPage
  case privateKey
  /// Both, as some servers want them in one file.
  case certificateWithPrivateKey
  case publicKey
  /// An RSA public key without its algorithm (RFC 8017 appendix A.1.1).
  case rsaPublicKey
  case sshPublicKey
  case request
  case certificate
  case pkcs7
  case pkcs12
  case javaKeyStore
  case utf16
  case lfsPointer
  case propertyList
  /// PEM with a mark that isn't alone on its line, and the number of that line.
  case displacedMark(line: Int)
  /// PEM with a block that can't be decoded, and the number of the line: of its beginning if it has no end.
  case damagedBlock(line: Int, isOpen: Bool)
  /// Base64 of PEM or of DER, as Kubernetes Secrets and environment variables have it.
  case base64(isPEM: Bool)
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
    } else if let kind = FileKind(binary: bytes) {
      self = kind
    } else if let kind = Self.kind(ofPEM: bytes) ?? Self.kind(ofKeyText: bytes) {
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
    case .certificateWithPrivateKey: "a certificate with its private key"
    case .publicKey: "a public key"
    case .rsaPublicKey: "an RSA public key in PKCS #1"
    case .sshPublicKey: "a public key of OpenSSH"
    case .request: "a certificate request"
    case .certificate: "a certificate"
    case .pkcs7: "PKCS #7"
    case .pkcs12: "PKCS #12"
    case .javaKeyStore: "a Java key store"
    case .utf16: "UTF-16 text"
    case .lfsPointer: "a pointer of Git LFS"
    case .propertyList: "a binary property list"
    case .displacedMark(let line): "PEM with something beside the mark in line \(line)"
    case .damagedBlock(let line, let isOpen):
      isOpen ? "PEM whose block in line \(line) has no END line" : "PEM that is damaged in line \(line)"
    case .base64(let isPEM): isPEM ? "Base64 of PEM" : "Base64 without PEM's BEGIN and END lines"
    case .manifest: "a manifest"
    case .keyset: "a keyset"
    case .envelope: "a DSSE envelope"
    case .evidence: "evidence of live servers"
    case .policy: "a policy file"
    }
  }

  /// What to do with a file that has what was meant in a form that isn't read; nil for other kinds.
  func conversion(of path: String) -> String? {
    let path = ShellWord.of(path)
    return switch self {
    case .pkcs7:
      "'openssl pkcs7 -print_certs -in \(path) -out certificates.pem' writes its certificates; add '-inform DER' if it is binary."
    case .pkcs12:
      "'openssl pkcs12 -nokeys -in \(path) -out certificates.pem' writes its certificates without the private key."
    case .javaKeyStore: "'keytool -exportcert -rfc -keystore \(path) -alias NAME' prints a certificate."
    case .utf16: "'iconv -f UTF-16 -t UTF-8 \(path)' converts it."
    case .lfsPointer: "Run 'git lfs pull', or keep the file out of Git LFS."
    case .propertyList: "'plutil -convert xml1 \(path)' or 'plistutil -i \(path) -o NEW' writes it as XML."
    case .displacedMark:
      "Write each '-----BEGIN …-----' and '-----END …-----' on a line of its own, without spaces before it."
    case .damagedBlock:
      "Copy the file from its source again: a part is missing, or has characters that Base64 doesn't have."
    case .rsaPublicKey: "'openssl rsa -RSAPublicKey_in -in \(path) -pubout -out public.pem' converts it."
    case .sshPublicKey:
      "SSH has keys of its own: take the server's certificate, which 'openssl s_client -showcerts' prints."
    case .certificateWithPrivateKey:
      "'sed -n \"/BEGIN CERTIFICATE/,/END CERTIFICATE/p\" \(path) > chain.pem' writes the certificates alone."
    case .base64(let isPEM): "'base64 -d \(path) > certificate.\(isPEM ? "pem" : "der")' decodes it."
    default: nil
    }
  }

  /// The same as a clause about a file.
  func unread(_ path: String) -> String? {
    conversion(of: path).map { "it is \(noun). " + ($0.hasSuffix(".") ? String($0.dropLast()) : $0) }
  }

  /// The first bytes of gzip, ZIP, zstd, bzip2 and xz.
  private static let magicNumbers: [[UInt8]] = [
    [0x1F, 0x8B], [0x50, 0x4B, 0x03, 0x04], [0x28, 0xB5, 0x2F, 0xFD], Array("BZh".utf8),
    [0xFD, 0x37, 0x7A, 0x58, 0x5A],
  ]

  /// Other containers of certificates, by what their first bytes are.
  init?(binary bytes: [UInt8]) {
    let marks: [([UInt8], FileKind)] = [
      ([0xFF, 0xFE], .utf16), ([0xFE, 0xFF], .utf16), ([0xFE, 0xED, 0xFE, 0xED], .javaKeyStore),
      (Array("version https://git-lfs.".utf8), .lfsPointer), (Array("bplist".utf8), .propertyList),
    ]
    if let kind = marks.first(where: { bytes.starts(with: $0.0) })?.1 {
      self = kind
      return
    }
    guard bytes.first == 0x30 else { return nil }
    // Where the first element of the outer sequence begins, whatever the length of that is.
    let start = bytes.count > 1 && bytes[1] > 0x80 ? 2 + Int(bytes[1] & 0x0F) : 2
    let inner = bytes.dropFirst(start)
    // signedData (RFC 5652 section 5.1), and the version of a PFX (RFC 7292 section 4).
    if inner.starts(with: [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]) {
      self = .pkcs7
    } else if inner.starts(with: [0x02, 0x01, 0x03, 0x30]) {
      self = .pkcs12
    } else {
      return nil
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

  /// How much of a file is searched for what isn't at its beginning.
  private static let headBytes = 64 << 10

  /// The kind of the first PEM block, or a private key wherever in the file it is; nil if there is no block.
  private static func kind(ofPEM bytes: [UInt8]) -> FileKind? {
    var labels: [String] = []
    var displaced: Int?
    var open: (label: String, line: Int)?
    var damaged: FileKind?
    let lines = bytes.prefix(headBytes).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (number, line) in lines.enumerated() {
      let text = String(decoding: line, as: UTF8.self)
      guard let mark = ["-----BEGIN ", "-----END "].first(where: { text.contains($0) }) else {
        // Header lines of old private keys have a colon.
        let isRead = line.allSatisfy { PinScan.isSymbol($0) || $0 == UInt8(ascii: "=") || isBlank($0) }
        if open != nil, !isRead, !text.contains(":") {
          damaged = damaged ?? .damagedBlock(line: number + 1, isOpen: false)
        }
        continue
      }
      if displaced == nil, !isAlone(mark, text) { displaced = number + 1 }
      if mark == "-----BEGIN ", let begin = text.firstRange(of: mark) {
        if let open { damaged = damaged ?? .damagedBlock(line: open.line, isOpen: true) }
        labels.append(String(text[begin.upperBound...].prefix { $0 != "-" }))
        open = (labels.last ?? "", number + 1)
      } else if let end = text.firstRange(of: mark) {
        let isSame = text[end.upperBound...].prefix { $0 != "-" } == open?.label ?? ""
        if !isSame { damaged = damaged ?? .damagedBlock(line: number + 1, isOpen: false) }
        open = nil
      }
    }
    if let open, bytes.count <= headBytes { damaged = damaged ?? .damagedBlock(line: open.line, isOpen: true) }
    if labels.contains(where: { $0.hasSuffix("PRIVATE KEY") }) {
      return labels.contains { $0.hasSuffix("CERTIFICATE") } ? .certificateWithPrivateKey : .privateKey
    }
    if let displaced { return .displacedMark(line: displaced) }
    if let damaged { return damaged }
    guard let label = labels.first else { return nil }
    if ["PKCS7", "CMS", "PKCS #7 SIGNED DATA"].contains(label) { return .pkcs7 }
    if label == "RSA PUBLIC KEY" { return .rsaPublicKey }
    if label.hasSuffix("PUBLIC KEY") { return .publicKey }
    if label.hasSuffix("CERTIFICATE REQUEST") { return .request }
    return label.hasSuffix("CERTIFICATE") ? .certificate : nil
  }

  /// The kind of a key or certificate in a text without the marks of PEM.
  private static func kind(ofKeyText bytes: [UInt8]) -> FileKind? {
    let head = bytes.prefix(headBytes).drop(while: isBlank)
    // The key types of RFC 4253 section 6.6, RFC 5656 and RFC 8709; and RFC 4716.
    let marks = ["ssh-rsa AAAA", "ssh-ed25519 AAAA", "ecdsa-sha2-nistp", "sk-ssh-", "sk-ecdsa-", "---- BEGIN SSH2 "]
    if marks.contains(where: { head.starts(with: $0.utf8) }) { return .sshPublicKey }
    guard let start = Base64.decode(head.filter { !isBlank($0) }.prefix(16)), start.count == 12 else { return nil }
    if start.starts(with: "-----BEGIN".utf8) { return .base64(isPEM: true) }
    // Certificates, requests and public keys are a sequence that begins with another.
    guard start[0] == 0x30, start[1] < 0x80 || start[1] == 0x81 || start[1] == 0x82 else { return nil }
    return start[start[1] < 0x80 ? 2 : 2 + Int(start[1] & 0x0F)] == 0x30 ? .base64(isPEM: false) : nil
  }

  /// Whether a mark is all that is in its line.
  private static func isAlone(_ mark: String, _ line: String) -> Bool {
    guard line.hasPrefix(mark), let end = line.lastIndex(where: { !$0.isWhitespace }) else { return false }
    let rest = line[...end].dropFirst(mark.count)
    return rest.hasSuffix("-----") && !rest.dropLast(5).contains("-")
  }

  private static func kind(ofJSON bytes: [UInt8]) -> FileKind? {
    if bytes.starts(with: #"{"begun":"#.utf8) { return .evidence }
    if let envelope = try? SignatureEnvelope(draft: bytes, as: .keyset),
      (try? KeysetReader.read(bytes, signed: envelope.signed)) != nil
    {
      return .keyset
    }
    if let envelope = try? SignatureEnvelope(draft: bytes, as: .manifest),
      (try? ManifestReader.read(bytes, signed: envelope.signed)) != nil
    {
      return .manifest
    }
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
