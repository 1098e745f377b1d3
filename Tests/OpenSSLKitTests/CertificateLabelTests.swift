import Foundation
import OpenSSLKit
import TestSupport
import Testing

/// What each label of a PEM block is in a key file, in a chain and among anchors.
@Suite struct CertificateLabelTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// How openssl writes the root, if not as a certificate alone.
    var settings: [String]?
    var label: String?
    var trust: CertificateBlock.ServerTrust?
  }

  static let rows: [Row] = [
    Row(testDescription: "CERTIFICATE", trust: .unsaid),
    Row(testDescription: "X509 CERTIFICATE", label: "X509 CERTIFICATE", trust: .unsaid),
    Row(testDescription: "trusted for nothing in particular", settings: ["-setalias", "root"], trust: .unsaid),
    Row(testDescription: "trusted for servers", settings: ["-addtrust", "serverAuth"], trust: .trusted),
    Row(testDescription: "trusted for anything", settings: ["-addtrust", "anyExtendedKeyUsage"], trust: .trusted),
    Row(testDescription: "trusted for mail", settings: ["-addtrust", "emailProtection"], trust: .rejected),
    Row(testDescription: "rejected for servers", settings: ["-addreject", "serverAuth"], trust: .rejected),
    Row(testDescription: "rejected for anything", settings: ["-addreject", "anyExtendedKeyUsage"], trust: .rejected),
    Row(testDescription: "rejected for mail", settings: ["-addreject", "emailProtection"], trust: .unsaid),
    Row(
      testDescription: "trusted and rejected", settings: ["-addtrust", "serverAuth", "-addreject", "serverAuth"],
      trust: .rejected),
    Row(testDescription: "X509 CRL", label: "X509 CRL"), Row(testDescription: "PKCS7", label: "PKCS7"),
    Row(testDescription: "DH PARAMETERS", label: "DH PARAMETERS"),
    Row(testDescription: "ATTRIBUTE CERTIFICATE", label: "ATTRIBUTE CERTIFICATE"),
  ]

  @Test(arguments: rows)
  func isReadEverywhere(_ row: Row) throws {
    let chain = try TestPKI.standard()
    var root = chain.root.pem
    if let settings = row.settings {
      root = try runSuccessfully("openssl", ["x509", "-trustout"] + settings, stdin: chain.root.pem)
    }
    if let label = row.label {
      root = Array(String(decoding: root, as: UTF8.self).replacing("CERTIFICATE-", with: label + "-").utf8)
    }
    let pem = chain.leaf.pem + root
    guard let trust = row.trust else {
      #expect(throws: CryptoError.self) { try CertificateBlock.read(pem) }
      #expect(throws: CryptoError.self) { try KeyFile(pem) }
      #expect(throws: CryptoError.self) { try Certificate.read(pem, areAnchors: true) }
      return
    }
    #expect(try CertificateBlock.read(pem).map(\.der) == [chain.leaf.der, chain.root.der])
    guard case .certificates(let certificates, let found) = try KeyFile(pem) else {
      Issue.record("no certificates")
      return
    }
    #expect(certificates.map(\.der) == [chain.leaf.der, chain.root.der] && found == [.unsaid, trust])
    #expect(try Certificate.read(pem).count == 2)
    let anchors = try? Certificate.read(pem, areAnchors: true)
    #expect(anchors?.count == (trust == .rejected ? nil : 2))
  }

  /// How a copy of a certificate is damaged, and the line behind the good one in which that shows.
  static let damages: [(String, @Sendable ([UInt8], [UInt8]) -> [UInt8], PEMFault.Kind, Int)] = {
    func edit(_ change: @escaping @Sendable (String) -> String) -> @Sendable ([UInt8], [UInt8]) -> [UInt8] {
      { pem, _ in Array(change(String(decoding: pem, as: UTF8.self)).utf8) }
    }
    return [
      ("indented", edit { "  " + $0 }, .mark, 1), ("commented out", edit { "# " + $0 }, .mark, 1),
      ("glued", edit { "x" + $0 }, .mark, 1),
      ("four dashes before BEGIN", edit { $0.replacing("-----BEGIN", with: "----BEGIN") }, .mark, 1),
      ("four dashes everywhere", edit { $0.replacing("-----", with: "----") }, .mark, 1),
      ("six dashes", edit { $0.replacing("-----", with: "------") }, .mark, 1),
      ("dashes apart", edit { $0.replacing("-----BEGIN", with: "----- BEGIN") }, .mark, 1),
      ("small letters", edit { $0.replacing("BEGIN CERTIFICATE", with: "begin certificate") }, .mark, 1),
      ("en dashes", edit { $0.replacing("-----", with: "\u{2013}\u{2013}\u{2013}\u{2013}\u{2013}") }, .mark, 1),
      ("em dashes", edit { $0.replacing("-----", with: "\u{2014}\u{2014}-") }, .mark, 1),
      ("a dash of em width", edit { $0.replacing("-----", with: "\u{2014}") }, .mark, 1),
      ("no BEGIN", edit { $0.replacing("-----BEGIN CERTIFICATE-----\n", with: "") }, .bare, 1),
      ("no dashes", edit { $0.replacing("-----", with: "") }, .bare, 2),
      ("in quotes", edit { "x = \"" + $0.replacing(/-----.*-----\n/, with: "") }, .bare, 1),
      ("END alone", { _, _ in Array("-----END CERTIFICATE-----\n".utf8) }, .mark, 1),
      ("no END", edit { $0.replacing("-----END CERTIFICATE-----\n", with: "") }, .noEnd, 1),
      ("another END", edit { $0.replacing("-----END C", with: "-----END X509 C") }, .damage, 0),
      ("text after Base64", edit { $0.replacing("\n-----END", with: "\nx: y\n-----END") }, .damage, 0),
      ("more after the padding", edit { $0.replacing("\n-----END", with: "AA==AAAA\n-----END") }, .damage, 0),
      ("in one line with backslashes", edit { $0.replacing("\n", with: "\\n") }, .mark, 1),
      // Its serial number is random, and may have a NUL.
      ("DER", { _, der in der.map { $0 == 0 ? 1 : $0 } }, .bare, 1),
      ("UTF-16", { pem, _ in pem.flatMap { [$0, 0] } }, .nul, 1),
      ("NUL", { _, _ in Array("x\0y".utf8) }, .nul, 1),
    ]
  }()

  /// libcrypto takes each for ordinary text, or drops what follows it.
  @Test(arguments: 0..<damages.count)
  func noBlockIsSkipped(_ number: Int) throws {
    let (name, change, kind, line) = Self.damages[number]
    let chain = try TestPKI.standard()
    let damaged = change(chain.root.pem, chain.root.der)
    for pem in [chain.leaf.pem + damaged, damaged + chain.leaf.pem] where PEMBlock.looksLikePEM(pem) {
      #expect(throws: CryptoError.self, "\(name)") { try CertificateBlock.read(pem) }
      #expect(throws: CryptoError.self, "\(name)") { try KeyFile(pem) }
      #expect(throws: CryptoError.self, "\(name)") { try Certificate.read(pem, areAnchors: true) }
    }
    let fault = try #require(PEMFault(in: chain.leaf.pem + damaged), "\(name)")
    let before = chain.leaf.pem.count { $0 == 0x0A }
    #expect(fault.kind == kind && (line == 0 || fault.line == before + line), "\(name): \(fault)")
  }

  /// The last lines of a block, and a mark in it: what libcrypto would drop is after a dash.
  @Test func noEndIsMadeUp() throws {
    let chain = try TestPKI.standard()
    let leaf = String(decoding: chain.leaf.pem, as: UTF8.self).replacing("-----END CERTIFICATE-----\n", with: "")
    let root = String(decoding: chain.root.pem, as: UTF8.self).replacing("-----BEGIN", with: "----BEGIN")
    #expect(throws: CryptoError.self) { try CertificateBlock.read(Array((leaf + root).utf8)) }
  }

  /// What openssl, keytool and people write between blocks.
  @Test(arguments: [
    "", "\u{FEFF}", "subject=CN = x\nissuer=O = M\u{FC}ller \u{2014} end, CN = y\n", " 0 s:CN = x\n   i:CN = y\n",
    "Bag Attributes\n    localKeyID: 55 9D CE 41 \n    friendlyName: MIIDdz\nKey Attributes: <No Attributes>\n",
    "# -- begin internal CAs --\n# --- Begin Root Certificates ---\n- end certificate -\n---\nServer certificate\n",
    "GTS Root R1\n===========\n", "Alias name: x\nCertificate[1]:\n*******\n", "\r\n \t\r\n",
    "CONNECTED(00000003)\n---\nCertificate chain\nread from 0x1 [0x2] (5 bytes => 5 (0x5))\n0000 - 30 82 03 77 30   0..w0\n",
    "https://pki.goog/MAINTAINERS/M/0\n", "key: MTIzNDU2Nzg5MDEyMzQ1Njc4OTA=\n",
  ])
  func ordinaryTextIsSkipped(_ text: String) throws {
    let chain = try TestPKI.standard()
    let others = text == "\u{FEFF}" ? "" : text
    let pem = Array(text.utf8) + chain.leaf.pem + Array(others.utf8) + chain.root.pem + Array(others.utf8) + [0]
    #expect(try CertificateBlock.read(pem).map(\.der) == [chain.leaf.der, chain.root.der])
    #expect(PEMFault(in: pem) == nil)
  }

  /// Text as `openssl x509 -text` prints it, trust stores and the answer of a live server.
  @Test func wholeFilesAreRead() throws {
    let chain = try TestPKI.standard()
    let text = try runSuccessfully("openssl", ["x509", "-text"], stdin: chain.leaf.pem)
    #expect(try CertificateBlock.read(text + text).count == 2)
    let store = "/etc/ssl/certs/ca-certificates.crt"
    if FileManager.default.fileExists(atPath: store) {
      let bytes = Array(try Data(contentsOf: URL(filePath: store)))
      #expect(try CertificateBlock.read(bytes).count > 50)
    }
  }

  /// Whatever the text, it takes no longer than it is long.
  @Test(arguments: [
    "-", "\u{2014}", "M", "MFkwEwYHKoZIzj0C ", "0", "0Y0", "-----END ", "-- begin key ", "-----BEGIN\n", "\u{2014} ",
  ])
  func hostileTextEnds(_ part: String) {
    let time = processorTime {
      _ = PEMFault(in: Array(String(repeating: part, count: 20_000).utf8))
    }
    #expect(time < .seconds(20))
  }
}
