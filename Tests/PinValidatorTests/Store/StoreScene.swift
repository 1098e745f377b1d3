import Foundation
import PinFormat
import PinValidator
import TestSupport
import Testing

/// A folder for a store's state, releases for it, and what is needed to open it as often as one likes.
final class StoreScene: Sendable {
  let folder: TemporaryDirectory
  let signer: TestSigner
  let settings: PinStoreSettings
  /// Where the state is.
  var state: String { folder.path("state") }

  /// Makes an empty folder, and settings for a store that blocks without a manifest, at 2026-11-21, before they are changed.
  init(_ change: (inout PinStoreSettings) throws -> Void = { _ in }) throws {
    folder = try TemporaryDirectory()
    signer = try TestSigner()
    try FileManager.default.createDirectory(atPath: folder.path("state"), withIntermediateDirectories: false)
    var settings = PinStoreSettings(
      signers: try TrustedSigners(publicKeys: [signer.publicKey], threshold: 1), audience: "production",
      withoutManifest: .block)
    settings.directory = folder.path("state")
    let now = try instant("2026-11-21")
    settings.clock = { now }
    try change(&settings)
    self.settings = settings
  }

  /// A store on the folder, as after a restart.
  func open(_ change: (inout PinStoreSettings) throws -> Void = { _ in }) throws -> PinStore {
    var settings = settings
    try change(&settings)
    return PinStore(settings)
  }

  /// A signed release that pins ten hosts.
  func release(_ serial: Int64, _ change: (inout Manifest) throws -> Void = { _ in }) throws -> [UInt8] {
    var manifest = try Manifest.sample(hosts: (0..<10).map { try Manifest.HostEntry("h\($0).example.com") })
    manifest.serial = serial
    try change(&manifest)
    return try file(manifest, signedBy: [signer])
  }

  /// Empties the folder and has a store accept releases, so that all files are there.
  func accept(_ serials: Int64...) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: state) {
      try FileManager.default.removeItem(atPath: state + "/" + name)
    }
    let store = try open()
    for serial in serials { try store.update(release(serial)) }
  }

  func path(_ name: String) -> String { state + "/" + name }

  func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: state).sorted() }
}

extension PinStore {
  /// What is in force, and what an update must not be below.
  var standing: [Int64] { [validator?.manifest.serial ?? 0, status.highestSerial] }
  var problemCodes: [String] { startup.problems.map(\.code) }
}

/// The code with which an update is refused; `activated` or `unchanged` where it isn't.
func outcome(_ store: PinStore, _ bytes: [UInt8]) -> String {
  do throws(UpdateError) {
    return switch try store.update(bytes) {
    case .activated: "activated"
    case .unchanged: "unchanged"
    }
  } catch {
    return error.code.description
  }
}
