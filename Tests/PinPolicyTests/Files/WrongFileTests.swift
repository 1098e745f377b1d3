import Diagnostics
import PinPolicy
import TestSupport
import Testing

/// Files of the wrong kind, and paths that can't be read.
struct WrongFileTests {
  private static func pem(_ label: String) -> String { "-----BEGIN \(label)-----\nAAAA\n-----END \(label)-----\n" }

  private static let kinds: [(String, NeededFile, String?)] = [
    ("", NeededFile.manifest, "empty, not a manifest"),
    ("\n \t", .policy, "empty, not a policy file"),
    ("\u{1F}x", .manifest, nil),
    ("BZh91AY", .keyset, "compressed, not a keyset"),
    ("<!DOCTYPE html>", .evidence, "an HTML or XML file, not evidence of live servers"),
    (pem("PRIVATE KEY"), .publicKey, "a private key, not a signer's public key"),
    (pem("PUBLIC KEY"), .signingKey, "a public key, not a private key that signs"),
    (pem("CERTIFICATE REQUEST"), .certificates, "a certificate request, not a certificate"),
    (pem("CERTIFICATE"), .keyFile, nil),
    (pem("NONSENSE"), .keyFile, nil),
    (#"{"begun":"2026"#, .manifest, "evidence of live servers, not a manifest"),
    (#"{"payload":"AA","payloadType":"x"}"#, .keyset, "a DSSE envelope, not a keyset"),
    ("# a comment\nversion: 1\n", .manifest, "a policy file, not a manifest"),
    ("%YAML 1.2\r\n---\r\n\r\nhosts:\r\n", .manifest, "a policy file, not a manifest"),
    ("  version: 1\n", .manifest, nil),
    ("# A page\n\nwhich shows a policy:\n\nversion: 1\n", .manifest, nil),
    ("plain text", .manifest, nil),
    (pem("PKCS7"), .certificates, "PKCS #7, not a certificate"),
    (
      "version https://git-lfs.github.com/spec/v1\noid sha256:00\n", .certificates,
      "a pointer of Git LFS, not a certificate"
    ),
    (pem("X509 CERTIFICATE"), .keyFile, nil),
    (pem("RSA PUBLIC KEY"), .publicKey, "an RSA public key in PKCS #1, not a signer's public key"),
    ("MIIBIjAN", .keyFile, nil), ("MIIBAgIBADANBgkqhkiG", .keyFile, nil), ("ssh-keygen prints this", .keyFile, nil),
    (pem("TRUSTED CERTIFICATE"), .keyFile, nil),
  ]

  /// What the words of a file of bytes are, and the program that converts it.
  private static let converted: [([UInt8], String, String)] = [
    (
      [0x30, 0x82, 0x01, 0x00, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02], "PKCS #7",
      "openssl pkcs7"
    ),
    ([0x30, 0x82, 0x01, 0x00, 0x02, 0x01, 0x03, 0x30, 0x82], "PKCS #12", "openssl pkcs12"),
    ([0xFE, 0xED, 0xFE, 0xED, 0, 0, 0, 2], "a Java key store", "keytool"),
    (
      Array((pem("CERTIFICATE") + pem("EC PRIVATE KEY")).utf8), "has a private key beside its certificates",
      "END CERTIFICATE/p\" f > chain.pem"
    ),
    (Array(pem("RSA PUBLIC KEY").utf8), "an RSA public key in PKCS #1", "openssl rsa -RSAPublicKey_in -in f -pubout"),
    (Array("ssh-rsa AAAAB3NzaC1yc2E x@y\n".utf8), "a public key of OpenSSH", "take the server's certificate"),
    (Array("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5".utf8), "a public key of OpenSSH", "SSH has keys of its own"),
    (Array("---- BEGIN SSH2 PUBLIC KEY ----\n".utf8), "a public key of OpenSSH", "SSH has keys of its own"),
    // A certificate, and public keys whose lengths take one byte, two and three.
    (
      Array("MIIDdzCCAl+gAwIB\nAgIEAgAAuTANBgkq\n".utf8), "Base64 without PEM's BEGIN and END lines",
      "base64 -d f > certificate.der"
    ),
    (Array("MFkwEwYHKoZIzj0CAQYIKoZI".utf8), "Base64 without PEM's BEGIN and END lines", "base64 -d f"),
    (Array("MIGbMBAGByqGSM49AgEGBSuB".utf8), "Base64 without PEM's BEGIN and END lines", "base64 -d f"),
    (Array("LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg==\n".utf8), "Base64 of PEM", "base64 -d f > certificate.pem"),
    ([0xFF, 0xFE, 0x2D, 0x00], "UTF-16 text", "iconv -f UTF-16 "),
    ([0xFE, 0xFF, 0x00, 0x2D], "UTF-16 text", "iconv -f UTF-16 "),
    ([0x2D, 0x00, 0x2D, 0x00], "UTF-16 text", "iconv -f UTF-16LE "),
    ([0x00, 0x2D, 0x00, 0x2D], "UTF-16 text", "iconv -f UTF-16BE "),
    ([0xFF, 0xFE, 0, 0, 0x2D, 0, 0, 0], "UTF-32 text", "iconv -f UTF-32 "),
    ([0, 0, 0, 0x2D, 0, 0, 0, 0x2D], "UTF-32 text", "iconv -f UTF-32BE "),
    (Array((pem("CERTIFICATE") + "x\0y").utf8), "PEM with a NUL byte in line 4", "tr -d \"\\000\" < f > new.pem"),
    (Array(pem("CERTIFICATE").replacing("AA\n", with: "AA\0\n").utf8), "PEM with a NUL byte in line 2", "tr -d"),
    (
      Array(pem("CERTIFICATE").replacing("\n", with: "\\n").utf8), "PEM with '\\n' in place of its line ends",
      "printf %b \"$(cat f)\" > new.pem"
    ),
    (
      Array((pem("CERTIFICATE") + "MIIDdzCCAl+gAwIBAgIE\n").utf8),
      "certificate or key in line 4 that has no BEGIN line",
      "BEGIN and END lines around"
    ),
    (
      Array((pem("CERTIFICATE") + pem("CERTIFICATE").lowercased()).utf8), "wrong BEGIN or END line in line 4",
      "five hyphens"
    ),
    (Array(("  " + pem("CERTIFICATE")).utf8), "PEM with a wrong BEGIN or END line in line 1", "on a line of its own"),
    (
      Array(pem("CERTIFICATE").replacing("AAAA\n", with: "AAAA").utf8), "PEM with a wrong BEGIN or END line in line 2",
      "on a line of its own"
    ),
    (
      Array((pem("CERTIFICATE").dropLast() + pem("CERTIFICATE")).utf8), "PEM with a wrong BEGIN or END line in line 3",
      "on a line of its own"
    ),
    (Array(pem("CERTIFICATE").dropLast(28).utf8), "PEM whose block in line 1 has no END line", "from its source again"),
    (Array((pem("CERTIFICATE").dropLast(26) + pem("CERTIFICATE")).utf8), "block in line 1 has no END line", "again"),
    (
      Array(pem("CERTIFICATE").replacing("AAAA", with: "AA*A").utf8), "PEM that is damaged in line 2",
      "a part is missing"
    ),
    (Array(pem("X509 CRL").replacing("END X509", with: "END X").utf8), "PEM that is damaged in line 3", "again"),
  ]

  @Test(arguments: converted)
  func isConverted(_ bytes: [UInt8], _ noun: String, _ help: String) throws {
    let failure = try #require(WrongFile.failure("f", bytes, needed: .keyFile))
    #expect(failure.message.contains(noun))
    #expect(failure.help?.contains(help) == true)
  }

  @Test(arguments: kinds)
  func isSaidToBe(_ text: String, _ needed: NeededFile, _ words: String?) {
    let failure = WrongFile.failure("f", Array(text.utf8), needed: needed, .refused, code: "c")
    #expect(failure?.message == words.map { "'f' is \($0) [c]" })
    #expect(failure?.kind ?? .refused == .refused)
    #expect(failure?.help?.isEmpty != true)
  }

  private static let unreadable: [(String, String?)] = [
    ("manifest.jsn", nil), ("manifst.json", "Did you mean 'DIR/manifest.json'?"),
    ("manifest", "Did you mean 'DIR/manifest.json'?"),
    (
      "nothing/like.it",
      "The directory 'DIR/nothing/' doesn't exist: check the path, which is relative to where pintle "
        + "runs."
    ),
    ("keyz/a.pem", "The directory 'DIR/keyz/' doesn't exist: did you mean 'DIR/keys/'?"),
    ("keys", "It is a directory: name a file in it."),
  ]

  @Test(arguments: unreadable)
  func unreadablePaths(_ name: String, _ help: String?) throws {
    let folder = try TemporaryDirectory()
    try folder.write("x", to: "manifest.json")
    try folder.write("x", to: "keys/a.pem")
    let failure = #expect(throws: WorkFailure.self) {
      try InputFile.read(folder.path(name), limit: InputFile.manifestLimit)
    }
    let expected = help ?? "Check the path, which is relative to where pintle runs."
    #expect(failure?.help == expected.replacing("DIR", with: folder.path))
    #expect(failure?.kind == .failed)
  }

  @Test func whatAPathLeadsTo() throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write("1234", to: "sub/file")
    #expect(InputFile.isFolder(folder.path("sub")) && !InputFile.isFolder(file))
    #expect(!InputFile.isFolder(folder.path("none")))
    #expect(InputFile.isSame(file, folder.path("sub/../sub/file")))
    #expect(!InputFile.isSame(file, folder.path("sub")) && !InputFile.isSame(file, folder.path("none")))
    #expect(try InputFile.read(file, limit: 4) == Array("1234".utf8))
    #expect(throws: WorkFailure.self) { try InputFile.read(file, limit: 3) }
  }
}
