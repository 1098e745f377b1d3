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
  /// UTF-16 or UTF-32, as iconv calls it.
  case wideText(encoding: String)
  case lfsPointer
  case propertyList
  case damagedPEM(PEMFault)
  /// PEM in one line, with backslash and n in place of line ends, as environment variables have it.
  case escapedPEM
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
    if Self.isCompressed(bytes[...]) {
      self = .compressed
    } else if let text = WideText(bytes) {
      self = .wideText(encoding: text.encoding)
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
    case .wideText(let encoding): "\(encoding.prefix(6)) text"
    case .lfsPointer: "a pointer of Git LFS"
    case .propertyList: "a binary property list"
    case .damagedPEM(let fault):
      switch fault.kind {
      case .mark: "PEM with a wrong BEGIN or END line in line \(fault.line)"
      case .damage: "PEM that is damaged in line \(fault.line)"
      case .noEnd: "PEM whose block in line \(fault.line) has no END line"
      case .bare: "PEM with a certificate or key in line \(fault.line) that has no BEGIN line"
      case .nul: "PEM with a NUL byte in line \(fault.line)"
      }
    case .escapedPEM: "PEM with '\\n' in place of its line ends"
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
    case .wideText(let encoding): "'iconv -f \(encoding) -t UTF-8 \(path)' converts it."
    case .lfsPointer: "Run 'git lfs pull', or keep the file out of Git LFS."
    case .propertyList: "'plutil -convert xml1 \(path)' or 'plistutil -i \(path) -o NEW' writes it as XML."
    case .damagedPEM(let fault): Self.repair(of: fault, path)
    case .escapedPEM: "'printf %b \"$(cat \(path))\" > new.pem' writes it with line ends."
    case .rsaPublicKey: "'openssl rsa -RSAPublicKey_in -in \(path) -pubout -out public.pem' converts it."
    case .sshPublicKey:
      "SSH has keys of its own: take the server's certificate, which 'openssl s_client -showcerts' prints."
    case .certificateWithPrivateKey:
      "'sed -n \"/BEGIN CERTIFICATE/,/END CERTIFICATE/p\" \(path) > chain.pem' writes the certificates alone."
    case .base64(let isPEM): "'base64 -d \(path) > certificate.\(isPEM ? "pem" : "der")' decodes it."
    default: nil
    }
  }

  private static func repair(of fault: PEMFault, _ path: String) -> String {
    switch fault.kind {
    case .mark:
      "Write it as '-----BEGIN …-----' or '-----END …-----', with five hyphens on both sides, in capital letters, and "
        + "on a line of its own, without spaces before it."
    case .damage, .noEnd:
      "Copy the file from its source again: a part is missing, or has characters that Base64 doesn't have."
    case .bare: "Write BEGIN and END lines around its Base64, put its DER into a file of its own, or remove it."
    case .nul: "'tr -d \"\\000\" < \(path) > new.pem' removes NUL bytes."
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
      ([0xFE, 0xED, 0xFE, 0xED], .javaKeyStore),
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

  /// Whether a file begins as one that is compressed.
  static func isCompressed(_ head: ArraySlice<UInt8>) -> Bool {
    magicNumbers.contains { head.starts(with: $0) }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

  /// How much of a file is searched for what isn't at its beginning.
  private static let headBytes = 64 << 10

  /// The kind of the first PEM block, or a private key wherever in the file it is; nil if there is no block.
  private static func kind(ofPEM bytes: [UInt8]) -> FileKind? {
    guard PEMBlock.looksLikePEM(bytes) else { return nil }
    let head = String(decoding: bytes.prefix(headBytes), as: UTF8.self)
    let labels = head.split(separator: "-----BEGIN ", omittingEmptySubsequences: false).dropFirst()
      .map { $0.prefix { $0 != "-" } }
    if labels.contains(where: { $0.hasSuffix("PRIVATE KEY") }) {
      return labels.contains { $0.hasSuffix("CERTIFICATE") } ? .certificateWithPrivateKey : .privateKey
    }
    if let fault = PEMFault(in: bytes) {
      return fault.kind == .mark && bytes.contains("-----\\n".utf8) ? .escapedPEM : .damagedPEM(fault)
    }
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
    let digits = Array(head.lazy.filter { !isBlank($0) }.prefix(KeyStructure.headSymbols))
    if Base64.decode(digits)?.starts(with: "-----BEGIN".utf8) ?? false { return .base64(isPEM: true) }
    return KeyStructure.head(base64: digits)?.tag == 0x30 ? .base64(isPEM: false) : nil
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
