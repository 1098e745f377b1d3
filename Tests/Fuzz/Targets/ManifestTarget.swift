import OpenSSLKit
import PinFormat
import PinValidator

/// The manifest loader: once on the input as a file, and once on the input as bytes that were signed properly.
///
/// What is accepted must be the one encoding of what it says, and can be asked about anything.
enum ManifestTarget {
  /// The key of RFC 8032 section 7.1, test 1.
  private static let pem =
    "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
    + "-----END PRIVATE KEY-----\n"
  private final class Signing {
    let key: PrivateKey
    let keyID: SHA256Digest
    let signers: TrustedSigners

    init?() {
      guard let key = try? PrivateKey(pem: Array(pem.utf8)), let publicKey = try? key.subjectPublicKeyInfo(),
        let signers = try? TrustedSigners(publicKeys: [publicKey], threshold: 1), let keyID = signers.keyIDs.first
      else { return nil }
      self.key = key
      self.keyID = keyID
      self.signers = signers
    }
  }
  // libFuzzer calls from one thread only.
  private nonisolated(unsafe) static let signing = Signing()

  static func run(_ bytes: [UInt8]) {
    guard let signing else { return promise(false, "the signing key can be read") }
    if let envelope = try? SignatureEnvelope(scanning: bytes) {
      let again = SignatureEnvelope.encode(signed: Array(bytes[envelope.signed]), signatures: envelope.signatures)
      promise(again == bytes, "an accepted envelope is the encoding of what it says")
    }
    _ = try? LoadedManifest.load(bytes, signers: signing.signers, requiredAudience: nil)

    promise(
      reading(bytes, upTo: bytes.count) == reading(bytes + bytes, upTo: bytes.count),
      "nothing behind the end is looked at")

    let message = SignatureEnvelope.preAuthenticationEncoding(of: bytes)
    guard let signature = try? signing.key.sign(message) else { return promise(false, "anything can be signed") }
    let file = SignatureEnvelope.encode(signed: bytes, signatures: [.init(keyID: signing.keyID, bytes: signature)])
    do throws(ManifestError) {
      let loaded = try LoadedManifest.load(file, signers: signing.signers, requiredAudience: nil)
      promise(loaded.manifest.signedBytes() == bytes, "an accepted manifest is the encoding of what it says")
      promise(loaded.signedBytes == bytes, "what was read can be written again")
      promise(loaded.fileBytes == file, "and the file around it")
      ask(loaded)
    } catch {
      promise(error.code != .invalidSignature, "what was signed verifies")
      promise(error.code != .cryptography, "libcrypto does its work")
    }
  }

  /// What reading the bytes up to an end comes to: the manifest, and the records that decisions are made on.
  private static func reading(_ bytes: [UInt8], upTo end: Int) -> Result<Reading, Refusal> {
    do throws(FormatError) {
      let tables = try ManifestReader.read(bytes, signed: 0..<end)
      return .success(
        Reading(
          manifest: Manifest(tables), hosts: tables.hosts, trust: tables.hosts.indices.map { tables.trust(ofHost: $0) },
          keys: tables.keys, denied: tables.deniedKeys))
    } catch {
      return .failure(Refusal(code: error.code, offset: error.offset, message: error.description))
    }
  }

  private struct Reading: Equatable {
    let manifest: Manifest
    let hosts: [HostRecord]
    let trust: [Manifest.Trust?]
    let keys: [KeyRecord]
    let denied: [UInt32]
  }

  private struct Refusal: Error, Equatable {
    let code: FormatError.Code
    let offset: Int
    let message: String
  }

  /// All that a decision reads, for each entry and beside it, at each of its instants.
  private static func ask(_ loaded: LoadedManifest) {
    var instants = [Instant.earliest, .latest, loaded.refreshAfter, loaded.expires]
    for entry in loaded.manifest.hosts.prefix(8) {
      if let expires = entry.expires { instants.append(expires) }
      for host in [entry.host.text, "a.b." + entry.host.text, "[" + entry.host.text + "]", "other.test."] {
        for instant in instants { _ = loaded.govern(host: host, port: entry.port ?? 443, at: instant) }
      }
    }
    for number in 0..<min(loaded.entryCount, 8) {
      promise(loaded.entryLabel(number) != nil, "each entry has a label")
      _ = loaded.keySetName(ofEntry: number)
      _ = loaded.reportURIs(ofEntry: number)
    }
  }
}
