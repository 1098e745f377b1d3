import Foundation
import OpenSSLKit
import PinFormat
import PinPolicy
import PolicySupport
import Testing

@Suite("Key files")
struct KeyFileTests {
  /// A well-known certificate: its pin and fingerprints are published.
  private static let isrg = (
    path: "isrg.pem", pin: "sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=",
    sha256: "96:BC:EC:06:26:49:76:F3:74:60:77:9A:CF:28:C5:A7:CF:E8:A3:C0:AA:E1:1A:8F:FC:EE:05:C0:BD:DF:08:C6",
    sha1: "CA:BD:2A:79:A1:07:6A:31:F2:1D:25:36:35:CB:03:9D:43:29:A5:E8"
  )

  private func isrg() throws -> [String: [UInt8]] {
    [Self.isrg.path: try ExampleFiles.bytes("../../../policies/keys/isrg-root-x1.pem")]
  }

  @Test("A certificate's facts")
  func certificate() throws {
    let policy = try ExampleFiles.resolve("keys: { root: { file: isrg.pem } }", adding: isrg())
    #expect(describe(policy) == [])
    let key = try #require(policy.keys.first)
    let material = try #require(key.material)
    #expect(key.pin?.description == Self.isrg.pin)
    #expect(describe(key.sourcePlace) == "3:23-31")
    #expect(material.path == "isrg.pem")
    #expect(material.kind == .certificate)
    #expect(material.algorithm == .rsa(bits: 4096))
    #expect(material.commonName == "ISRG Root X1")
    #expect(material.organization == "Internet Security Research Group")
    let certificate = try #require(material.certificate)
    #expect(certificate.fingerprint.hex == Self.isrg.sha256.replacing(":", with: "").lowercased())
    #expect(certificate.notBefore.description == "2015-06-04T11:04:38Z")
    #expect(certificate.notAfter.description == "2035-06-04T11:04:38Z")
    #expect(certificate.isCA && certificate.isSelfIssued)
    #expect(certificate.signatureDigest == "SHA256")
    #expect(material.subject == certificate.issuer)
  }

  @Test("PEM and DER, certificate, request and public key of one key have one pin")
  func kinds() throws {
    let policy = try ExampleFiles.resolve(
      """
      keys:
        a: { file: keys/api.pem }
        b: { file: ./keys/../keys/api.der }
        c: { file: keys/api.csr }
        d: { file: keys/api-public.pem }
      """)
    #expect(describe(policy) == [])
    #expect(Set(policy.keys.compactMap(\.pin)).count == 1)
    #expect(policy.keys.map { $0.material?.kind } == [.certificate, .certificate, .request, .publicKey])
    #expect(
      policy.keys.map { $0.material?.path } == [
        "keys/api.pem", "./keys/../keys/api.der", "keys/api.csr", "keys/api-public.pem",
      ])
  }

  @Test(
    "Files that are of no use say why, once for each place that names them",
    arguments: [
      ("none.pem", #"unreadableKeyFile(path: "none.pem", reason: "it doesn\'t exist")"#),
      (
        "../keys/api.pem",
        #"unreadableKeyFile(path: "../keys/api.pem", reason: "it lies outside the policy directory")"#
      ),
      ("keys/private-key.pem", #"privateKeyFile(path: "keys/private-key.pem")"#),
      ("both.pem", #"privateKeyFile(path: "both.pem")"#),
      ("private.der", #"privateKeyFile(path: "private.der")"#),
      ("empty.pem", #"badKeyFile(path: "empty.pem", reason: "it is empty")"#),
      (
        "two.pem",
        #"badKeyFile(path: "two.pem", reason: "it holds 2 certificates, but a key has one; put each into its own file")"#
      ),
      (
        "mixed.pem",
        #"badKeyFile(path: "mixed.pem", reason: "the file has a certificate and a certificate request with the same key; remove one of them")"#
      ),
      (
        "own.pem",
        #"badKeyFile(path: "own.pem", reason: "the file has a certificate and a public key with the same key; remove one of them")"#
      ),
      (
        "other.pem",
        #"badKeyFile(path: "other.pem", reason: "the file has a certificate and a public key with another key; put each into its own file")"#
      ),
      (
        "keys.pem",
        #"badKeyFile(path: "keys.pem", reason: "the file has 2 public keys or certificate requests; put each into its own file")"#
      ),
      (
        "forged.csr", #"badKeyFile(path: "forged.csr", reason: "the certificate request isn\'t signed by its own key")"#
      ),
      (
        "compressed.pem",
        #"badKeyFile(path: "compressed.pem", reason: "the EC public key is a compressed point, not an uncompressed one (RFC 5480 section 2.2), so clients reject its certificates; write the key with an uncompressed point (openssl ec -conv_form uncompressed), and have its certificate issued for that")"#
      ),
      ("large.pem", #"unreadableKeyFile(path: "large.pem", reason: "it has more than 1 MiB")"#),
      (
        "keys/not-a-key.txt",
        #"badKeyFile(path: "keys/not-a-key.txt", reason: "neither PEM nor a DER certificate, certificate request or public key")"#
      ),
    ])
  func unusable(path: String, problem: String) throws {
    let certificate = try ExampleFiles.bytes("keys/api.pem")
    let secret = try PrivateKey(generating: .ed25519).pem()
    let publicKey = try ExampleFiles.bytes("keys/api-public.pem")
    var request = try #require(try PEMBlock.read(ExampleFiles.bytes("keys/api.csr")).first).bytes
    request[request.count - 1] ^= 1
    let point = try #require(try PEMBlock.read(ExampleFiles.bytes("keys/api-public.pem")).first).bytes.suffix(64)
    let head: [UInt8] = [
      0x30, 0x39, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE,
      0x3D, 0x03, 0x01, 0x07, 0x03, 0x22, 0x00, 0x02 + (point.last ?? 0) % 2,
    ]
    let files = [
      "compressed.pem": try PEMBlock.write(label: "PUBLIC KEY", bytes: head + point.prefix(32)),
      "both.pem": certificate + secret, "private.der": try #require(try PEMBlock.read(secret).first).bytes,
      "empty.pem": [], "two.pem": certificate + (try ExampleFiles.bytes("keys/appliance.pem")),
      "mixed.pem": certificate + (try ExampleFiles.bytes("keys/api.csr")),
      "own.pem": certificate + publicKey, "keys.pem": publicKey + publicKey,
      "other.pem": try ExampleFiles.bytes("keys/appliance.pem") + publicKey,
      "forged.csr": try PEMBlock.write(label: "CERTIFICATE REQUEST", bytes: request),
      "large.pem": certificate + [UInt8](repeating: 0x20, count: 1 << 20),
    ]
    let policy = try ExampleFiles.resolve("keys:\n  a: { file: \(path) }\n  b: { file: \(path) }\n", adding: files)
    let end = 14 + path.count
    #expect(describe(policy) == ["4:14-\(end) \(problem)", "5:14-\(end) \(problem)"])
    #expect(policy.keys.allSatisfy { $0.pin == nil && $0.material == nil })
    let texts = describe(policy).joined()
    #expect(!texts.contains("PRIVATE KEY") && !texts.contains(String(decoding: secret, as: UTF8.self)))
  }

  @Test("A fingerprint in place of a pin is reported, with the right pin if the certificate is there")
  func fingerprints() throws {
    let isrg = Self.isrg
    let digest = isrg.sha256.split(separator: ":").compactMap { UInt8($0, radix: 16) }
    let disguised = "sha256/" + Base64.encode(digest)
    let texts = [
      isrg.sha256, isrg.sha256.replacing(":", with: "").lowercased(), isrg.sha1, "SHA256 Fingerprint=" + isrg.sha256,
      disguised,
    ]
    for text in texts {
      let atHand = try ExampleFiles.resolve(
        "keys:\n  a: { pin: \"\(text)\" }\n  root: { file: isrg.pem }\n", adding: self.isrg())
      #expect(
        atHand.problems.map(\.kind) == [.certificateFingerprint(text: text, pin: isrg.pin, file: isrg.path)])
      #expect(atHand.problems.map { describe($0.place) } == ["4:13-\(15 + text.count)"])
      #expect(atHand.keys.first?.pin == nil)
      let alone = try ExampleFiles.resolve("keys:\n  a: { pin: \"\(text)\" }\n")
      #expect(
        alone.problems.map(\.kind)
          == (text == disguised ? [] : [.certificateFingerprint(text: text, pin: nil, file: nil)]))
    }
    let trusted = try ExampleFiles.resolve(
      "keys: { a: { pin: \(disguised) } }\nhosts: [{ host: a.example, trust: { anchors: [isrg.pem] } }]\n",
      adding: self.isrg())
    #expect(
      trusted.problems.map(\.kind) == [.certificateFingerprint(text: disguised, pin: isrg.pin, file: isrg.path)])
  }

  @Test(
    "A key's digest in hexadecimal isn't taken as a fingerprint", arguments: ["api.pem", "api.csr", "api-public.pem"])
  func hexadecimalPins(_ file: String) throws {
    let pin = try #require(
      try ExampleFiles.resolve("keys: { a: { file: keys/api.pem } }").keys.first?.pin)
    let digest = pin.digest.hex
    let colons = stride(from: 0, to: 64, by: 2).map { digest.dropFirst($0).prefix(2).uppercased() }
    for text in [digest, colons.joined(separator: ":"), "sha256/" + digest] {
      let policy = try ExampleFiles.resolve("keys:\n  a: { pin: \"\(text)\" }\n  b: { file: keys/\(file) }\n")
      #expect(
        policy.problems.map(\.kind) == [.hexadecimalPin(text: text, pin: pin.description, file: "keys/\(file)")])
    }
  }

  @Test("Paths are relative to the file that names them")
  func paths() throws {
    let policy = try ExampleFiles.resolve(
      [
        "a.yaml": "version: 1\nmanifest: {}\nkeys: { a: { file: sub/k.pem } }\n",
        "sub/b.yaml": "version: 1\nkeys: { b: { file: k.pem }, c: { file: ../sub/k.pem }, d: { file: ../../k.pem } }\n",
      ], adding: ["sub/k.pem": ExampleFiles.bytes("keys/api.pem")], root: "some/where/")
    #expect(policy.keys.map { $0.material?.path } == ["sub/k.pem", "k.pem", "../sub/k.pem", nil])
    #expect(
      describe(policy) == [
        #"2:67-78 unreadableKeyFile(path: "../../k.pem", reason: "it lies outside the policy directory")"#
      ])
  }
}
