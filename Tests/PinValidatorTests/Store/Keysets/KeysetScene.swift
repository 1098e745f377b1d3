import Foundation
import PinFormat
import PinValidator
import Synchronization
import TestSupport
import Testing

/// A folder for a store's state, and keysets and releases for it: one root, and up to three signers of whom one is enough.
final class KeysetScene: Sendable {
  let folder: TemporaryDirectory
  let root: TestSigner
  let signers: [TestSigner]
  private let seconds = Atomic<Int64>(0)
  /// Where the state is.
  var state: String { folder.path("state") }

  /// Makes an empty folder, at 2026-11-21.
  init() throws {
    folder = try TemporaryDirectory()
    root = try TestSigner()
    signers = try (0..<3).map { _ in try TestSigner() }
    try FileManager.default.createDirectory(atPath: folder.path("state"), withIntermediateDirectories: false)
    try set("2026-11-21")
  }

  func set(_ text: String) throws { seconds.store(try instant(text).secondsSinceEpoch, ordering: .relaxed) }

  /// The file of a version; the signers that it names, and how serials begin.
  func keyset(
    _ version: Int64, signers: [Int] = [0], epoch: Int64 = 1, minimum: Int64 = 1, expires: String = "2027-11-01",
    root: TestSigner? = nil, _ change: (inout Keyset) throws -> Void = { _ in }
  ) throws -> [UInt8] {
    let root = root ?? self.root
    var keyset = Keyset(
      audience: "production", version: version, issued: .earliest, expires: try instant(expires), serialEpoch: epoch,
      minimumSerial: minimum, roots: Keyset.Role(keys: ["root"], threshold: 1),
      signers: Keyset.Role(keys: signers.map { "s\($0)" }, threshold: 1),
      keys: [Keyset.Key(name: "root", subjectPublicKeyInfo: root.publicKey)]
        + signers.map { Keyset.Key(name: "s\($0)", subjectPublicKeyInfo: self.signers[$0].publicKey) })
    try change(&keyset)
    let signed = keyset.signedBytes()
    return SignatureEnvelope.encode(signed: signed, signatures: [try root.signature(of: signed, as: .keyset)])
  }

  /// A release that pins ten hosts.
  func release(
    _ serial: Int64, signedBy signing: [Int] = [0], _ change: (inout Manifest) throws -> Void = { _ in }
  ) throws -> [UInt8] {
    var manifest = try Manifest.sample(hosts: (0..<10).map { try Manifest.HostEntry("h\($0).example.com") })
    manifest.serial = serial
    manifest.expires = try instant("2028-01-01")
    try change(&manifest)
    return try file(manifest, signedBy: signing.map { signers[$0] })
  }

  func settings(shipping bytes: [UInt8]) throws -> PinStoreSettings {
    try settings(
      PinStoreSettings(
        keyset: TrustedKeyset.load(shipped: bytes, audience: "production"), withoutManifest: .block))
  }

  /// Settings for signers that are fixed.
  func settings(fixed: [Int]) throws -> PinStoreSettings {
    try settings(
      PinStoreSettings(
        signers: TrustedSigners(publicKeys: fixed.map { signers[$0].publicKey }, threshold: 1), audience: "production",
        withoutManifest: .block))
  }

  private func settings(_ settings: PinStoreSettings) throws -> PinStoreSettings {
    var settings = settings
    settings.directory = state
    settings.clock = { Instant(secondsSinceEpoch: self.seconds.load(ordering: .relaxed)) }
    return settings
  }

  /// A store on the folder, as after a restart, of a program that ships the first keyset unless another is given.
  func open(
    shipping bytes: [UInt8]? = nil, _ change: (inout PinStoreSettings) throws -> Void = { _ in }
  ) throws -> PinStore {
    var settings = try settings(shipping: try bytes ?? keyset(1))
    try change(&settings)
    return PinStore(settings)
  }

  func path(_ name: String) -> String { state + "/" + name }

  func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: state).sorted() }

  /// The bytes of all files but the lock.
  func files() throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for name in try names() where name != "lock" { files[name] = try readFile(path(name)) }
    return files
  }

  func write(_ bytes: [UInt8], to name: String) throws { try Data(bytes).write(to: URL(fileURLWithPath: path(name))) }
}

extension PinStore {
  /// The keyset's version, what is in force, and what an update must not be below.
  var footing: [Int64] { [keyset?.version ?? 0] + standing }
}

/// The code with which a keyset is refused; `activated` or `unchanged` where it isn't.
func outcome(_ store: PinStore, keyset bytes: [UInt8]) -> String {
  do throws(UpdateError) {
    return switch try store.update(keyset: bytes) {
    case .activated: "activated"
    case .unchanged: "unchanged"
    }
  } catch {
    return error.code.description
  }
}
