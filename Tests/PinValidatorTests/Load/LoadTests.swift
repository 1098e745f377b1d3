import OpenSSLKit
import PinFormat
import PinValidator
import TestSupport
import Testing

@Suite("Loading a manifest")
struct LoadTests {
  private let signer: TestSigner
  private let signers: TrustedSigners

  init() throws {
    signer = try TestSigner()
    signers = try TrustedSigners(publicKeys: [signer.publicKey], threshold: 1)
  }

  private func error(_ bytes: [UInt8], audience: String = "production", maximumBytes: Int = 1 << 20) -> ManifestError? {
    do {
      _ = try LoadedManifest.load(bytes, signers: signers, audience: audience, maximumBytes: maximumBytes)
      return nil
    } catch { return error }
  }

  @Test("A loaded manifest says what was signed")
  func content() throws {
    let manifest = try Manifest.sample(hosts: [
      .init("example.com", subdomains: true, reportURIs: ["https://r.example"])
    ])
    let bytes = try file(manifest, signedBy: [signer])
    let loaded = try LoadedManifest.load(bytes, signers: signers, audience: "production")
    #expect(loaded.manifest.hosts == manifest.hosts)
    #expect(loaded.serial == 7)
    #expect(loaded.signedBy == [signer.keyID])
    #expect(loaded.signedBytes == manifest.signedBytes())
    #expect(try loaded.signedDigest().bytes == sha256(manifest.signedBytes()))
    #expect(loaded.reportURIs(ofEntry: 0) == ["https://r.example"])
    #expect(loaded.entryLabel(0) == "example.com")
    #expect(loaded.entryLabel(1) == nil)
    #expect(loaded.keySetName(ofEntry: 0) == "all")
  }

  @Test("An audience is compared byte for byte, not as text that looks the same")
  func lookalikeAudience() throws {
    var manifest = try Manifest.sample(hosts: [.init("example.com")])
    manifest.audience = "caf\u{E9}-K"
    let bytes = try file(manifest, signedBy: [signer])
    #expect(error(bytes, audience: "caf\u{E9}-K") == nil)
    #expect(error(bytes, audience: "cafe\u{301}-K")?.code == .wrongAudience)
    #expect(error(bytes, audience: "caf\u{E9}-\u{212A}")?.code == .wrongAudience)
  }

  @Test("Size, audience and extensions are checked")
  func conditions() throws {
    let bytes = try file(.sample(hosts: []), signedBy: [signer])
    #expect(error(bytes, maximumBytes: bytes.count) == nil)
    #expect(error(bytes, maximumBytes: bytes.count - 1)?.code == .tooLarge)
    #expect(error(bytes, audience: "staging")?.code == .wrongAudience)
    #expect(error(bytes, audience: "staging")?.message.contains("\"production\"") == true)
    var manifest = try Manifest.sample(hosts: [])
    manifest.critical = ["quantum"]
    #expect(error(try file(manifest, signedBy: [signer]))?.code == .unknownExtension)
    #expect(error([])?.code == .malformedFile)
    #expect(error(Array("{}".utf8))?.code == .malformedFile)
  }

  @Test("Bytes that are signed but not canonical are refused, with the place")
  func signedButMalformed() throws {
    let text = String(decoding: try Manifest.sample(hosts: [.init("example.com")]).signedBytes(), as: UTF8.self)
    for (from, to) in [
      ("\"serial\":7", "\"serial\": 7"), ("\"serial\":7", "\"serial\":07"), ("\"serial\":7", "\"serial\":7.0"),
      ("example.com", "Example.com"), ("example.com", "ex\\u0061mple.com"), ("\"all\",\"mode\"", "\"none\",\"mode\""),
      ("\"version\":1", "\"version\":2"), ("\"on-stale\":\"enforce\"", "\"on-stale\":\"ignore\""),
    ] {
      let changed = text.replacing(from, with: to)
      #expect(changed != text)
      let error = error(try file(Array(changed.utf8), signedBy: [signer]))
      #expect(error?.code == .malformedManifest)
      #expect(error?.format.map { $0.offset > 0 } == true)
    }
  }

  @Test("A certificate must be the one that its fingerprint names")
  func certificates() throws {
    let der = Array("no certificate".utf8)
    var manifest = try Manifest.sample(hosts: [])
    manifest.certificates = [.init(fingerprint: digest(1), der: der)]
    #expect(error(try file(manifest, signedBy: [signer]))?.code == .wrongCertificate)
    manifest.certificates = [.init(fingerprint: try #require(SHA256Digest(try sha256(der))), der: der)]
    let error = error(try file(manifest, signedBy: [signer]))
    #expect(error?.code == .wrongCertificate)
    #expect(error?.message.contains("not a certificate") == true)
  }

  @Test("Freshness changes on the instant")
  func freshness() throws {
    var manifest = try Manifest.sample(hosts: [])
    manifest.onStale = .reportOnly
    let loaded = try loaded(manifest)
    #expect(loaded.freshness(at: loaded.refreshAfter.adding(seconds: -1)) == .fresh)
    #expect(loaded.freshness(at: loaded.refreshAfter) == .refreshDue)
    #expect(loaded.freshness(at: loaded.expires.adding(seconds: -1)) == .refreshDue)
    #expect(loaded.freshness(at: loaded.expires) == .stale(.reportOnly))
  }
}
