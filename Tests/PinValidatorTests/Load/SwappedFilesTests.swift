import PinFormat
import PinValidator
import TestSupport
import Testing

/// A manifest where a keyset belongs, and the other way round: the error says what the file is.
@Suite("Swapped files")
struct SwappedFilesTests {
  private let keys: KeysetKeys
  private let scene: StoreScene
  private let manifest: [UInt8]
  private let keyset: [UInt8]
  private static let isManifest = "; the file says that it is a manifest, and a keyset is expected here"
  private static let isKeyset = "; the file says that it is a keyset, and a manifest is expected here"

  init() throws {
    keys = try KeysetKeys()
    keyset = try keys.file(keys.keyset(1))
    scene = try StoreScene()
    manifest = try scene.release(1)
  }

  @Test("A keyset as a manifest, from memory and from a file")
  func keysetAsManifest() throws {
    let store = try scene.open()
    let path = try scene.folder.write(keyset, to: "swapped.json")
    let inMemory = #expect(throws: UpdateError.self) { _ = try store.update(keyset) }
    let inFile = #expect(throws: UpdateError.self) { _ = try store.update(file: path) }
    for text in [inMemory, inFile].map({ $0?.description ?? "" }) { #expect(text.hasSuffix(Self.isKeyset), "\(text)") }
  }

  @Test("A manifest as a keyset: the first one, the next one, and one that is too large")
  func manifestAsKeyset() throws {
    let first = try TrustedKeyset.load(shipped: keyset, audience: "production")
    let large = try scene.release(1) { manifest in
      manifest.hosts = try (0..<2_000).map { try Manifest.HostEntry("h\($0 + 1_000).example.com") }
    }
    let shipped = #expect(throws: KeysetError.self) {
      _ = try TrustedKeyset.load(shipped: manifest, audience: "production")
    }
    let next = #expect(throws: KeysetError.self) { _ = try first.successor(manifest) }
    let tooLarge = #expect(throws: KeysetError.self) { _ = try first.successor(large) }
    for text in [shipped, next, tooLarge].map({ $0?.message ?? "" }) {
      #expect(text.hasSuffix(Self.isManifest), "\(text)")
    }
  }

  @Test("Other errors say nothing of it")
  func others() throws {
    let error = #expect(throws: ManifestError.self) {
      _ = try LoadedManifest.load(
        manifest, signers: try TrustedSigners(publicKeys: [keys.signers[0].publicKey], threshold: 1),
        audience: "production")
    }
    #expect(error?.message == "needs 1 trusted signature, found 0 (of 1 signature)")
  }
}
