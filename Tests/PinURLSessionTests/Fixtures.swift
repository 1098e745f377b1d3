#if CryptoKit && !canImport(Security)
import Foundation
import OpenSSLKit
import PinFormat
import PinValidator
import Testing

import enum Crypto.Curve25519

/// The certificates of the conformance vectors, by their names.
enum Certificates {
  private static let all: [String: [UInt8]] = {
    let file = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Vectors/certificates.json")
    guard let data = try? Data(contentsOf: file), let json = try? JSONSerialization.jsonObject(with: data),
      let found = (json as? [String: Any])?["certificates"] as? [String: [String: String]]
    else { return [:] }
    return found.compactMapValues { $0["der"].flatMap { Data(base64Encoded: $0) }.map { Array($0) } }
  }()

  static func der(_ name: String) throws -> [UInt8] { try #require(all[name], "there is no certificate \(name)") }
  static func data(_ name: String) throws -> Data { Data(try der(name)) }
  static func name(_ data: Data) -> String { all.first { $0.value == Array(data) }?.key ?? "?" }

  static func fingerprint(_ name: String) throws -> SHA256Digest {
    SHA256Digest(try OpenSSLKit.SHA256.digest(of: der(name)))
  }

  static func pin(_ name: String) throws -> Pin {
    Pin(SHA256Digest(try Certificate(der: der(name)).publicKeyDigest()))
  }
}

/// The one who signs the manifests of the tests.
let signer = Curve25519.Signing.PrivateKey()
private let spki: [UInt8] =
  [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00] + signer.publicKey.rawRepresentation

let now = Instant(secondsSinceEpoch: 1_795_219_200)  // 2026-11-21

/// A signed manifest file with these entries.
///
/// Its keys are those of `leaf-1`, `int-1`, `root-1` and `root-3`, each with a set of its name, and `strange`, which no
/// certificate has.
func file(
  _ hosts: [Manifest.HostEntry], serial: Int64 = 1, denied: String? = nil, unpinnedHosts: UnpinnedHosts = .allow,
  drasticChange: String? = "a test"
) throws -> [UInt8] {
  let names = ["int-1", "leaf-1", "root-1", "root-3"]
  var keys = try names.map {
    Manifest.Key(
      name: $0, pin: try Certificates.pin($0), position: nil, denied: $0 == denied ? "found in a bucket" : nil)
  }
  keys.append(Manifest.Key(name: "strange", pin: Pin(SHA256Digest(.init(repeating: 7))), position: nil, denied: nil))
  let trusts = hosts.compactMap(\.trust)
  let certificates = try ["int-1", "root-3", "leaf-1", "leaf-2", "expired"].compactMap {
    name -> Manifest.Certificate? in
    let fingerprint = try Certificates.fingerprint(name)
    guard trusts.contains(where: { $0.names(fingerprint) }) else { return nil }
    return Manifest.Certificate(fingerprint: fingerprint, der: try Certificates.der(name))
  }
  let manifest = Manifest(
    audience: "production", serial: serial, issued: now, refreshAfter: now.adding(seconds: 86_400),
    expires: now.adding(seconds: 864_000), onStale: .enforce, previous: nil,
    provenance: Manifest.Provenance(
      sources: SHA256Digest(.init(repeating: 0)), commit: nil, compiler: "pintle test"),
    unpinnedHosts: unpinnedHosts, drasticChange: drasticChange, keys: keys,
    keySets: (names.filter { $0 != denied } + ["strange"]).map {
      Manifest.KeySet(name: $0, active: [$0], backup: [])
    },
    certificates: certificates, hosts: hosts)
  let signed = manifest.signedBytes()
  let message = SignatureEnvelope.preAuthenticationEncoding(of: signed, as: .manifest)
  let signature = SignatureEnvelope.Signature(
    keyID: SHA256Digest(try OpenSSLKit.SHA256.digest(of: spki)), bytes: Array(try signer.signature(for: message)))
  return SignatureEnvelope.encode(signed: signed, signatures: [signature])
}

extension Manifest.Trust {
  fileprivate func names(_ fingerprint: SHA256Digest) -> Bool {
    (anchors + intermediates + [certificate].compactMap(\.self)).contains(fingerprint)
  }
}

/// An entry for `api.example.com`; what isn't given is as plain as can be.
func entry(
  _ keys: String = "root-1", mode: Mode = .enforce, expired onExpiry: ExpiryAction? = nil,
  trust: Manifest.Trust? = nil, host: String = "example.com"
) throws -> Manifest.HostEntry {
  Manifest.HostEntry(
    host: try HostName(canonicalising: host), port: nil, includeSubdomains: true, mode: mode,
    keySet: mode == .off ? nil : keys, requirement: .any, expires: onExpiry == nil ? nil : now, onExpiry: onExpiry,
    reportURIs: [], trust: trust)
}

/// A store with a manifest, or none.
func store(
  _ file: [UInt8]?, withoutManifest: WithoutManifest = .block,
  observer: @escaping @Sendable (Decision) -> Void = { _ in }
) throws -> PinStore {
  var settings = PinStoreSettings(
    signers: try TrustedSigners(publicKeys: [spki], threshold: 1), audience: "production",
    withoutManifest: withoutManifest)
  settings.embedded = file
  settings.clock = { now }
  settings.observers = [{ _, decision, _ in observer(decision) }]
  let store = PinStore(settings)
  try #require(store.startup.problems.isEmpty, "\(store.startup.problems)")
  return store
}
#endif
