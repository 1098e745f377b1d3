import OpenSSLKit
import PinFormat
import PinGate
import PinPolicy
import PinRelease
import PinRules
import PinValidator
import ReleaseSupport
import Testing

/// Whether a manifest is what its sources compile to.
struct RecompilationTests {
  private static func released(
    _ policy: String = SmallPolicy.web, compiler: String? = nil, _ change: (inout Manifest) -> Void = { _ in }
  ) throws -> LoadedManifest {
    var release = SmallPolicy.release
    release.previous = SHA256Digest([UInt8](repeating: 3, count: 32))
    release.commit = String(repeating: "a", count: 40)
    release.drasticChange = "it is meant"
    if let compiler { release.compiler = compiler }
    var manifest = try SmallPolicy.checked(policy).lowered(as: release)
    change(&manifest)
    return try Rehearsal().load(manifest)
  }

  @Test func theSameSourcesGiveTheSameBytes() throws {
    let released = try Self.released()
    let again = try SmallPolicy.checked(SmallPolicy.web).recompiled(as: released.manifest, released.signedBytes)
    #expect(again.firstDifference == nil)
    #expect(again.fields == [])
    let older = try Self.released(compiler: "pintle 0.0.1")
    #expect(
      try SmallPolicy.checked(SmallPolicy.web).recompiled(as: older.manifest, older.signedBytes).firstDifference
        == nil)
  }

  @Test func aCommentMakesOtherSourcesThatSayTheSame() throws {
    let released = try Self.released()
    let again = try SmallPolicy.checked(SmallPolicy.web + "\n# more\n").recompiled(
      as: released.manifest, released.signedBytes)
    #expect(again.firstDifference != nil)
    #expect(again.fields == [])
    #expect(again.sources != released.manifest.provenance.sources)
  }

  private static let changes: [String: @Sendable (inout Manifest) -> Void] = [
    "on-stale": { $0.onStale = .block },
    "unpinned-hosts": { $0.unpinnedHosts = .deny },
    "expires": { $0.expires = $0.expires.adding(seconds: 1) },
    "refresh-after": { $0.refreshAfter = $0.refreshAfter.adding(seconds: 1) },
    "audience": { $0.audience = "other" },
    "keys": { $0.keys[0].denied = "so" },
    "hosts": { $0.hosts[0].includeSubdomains = true },
  ]

  @Test(arguments: changes.keys.sorted())
  func whatWasChangedIsNamed(field: String) throws {
    let change = try #require(Self.changes[field])
    let released = try Self.released(SmallPolicy.web, change)
    let again = try SmallPolicy.checked(SmallPolicy.web).recompiled(as: released.manifest, released.signedBytes)
    #expect(again.fields == [field])
    #expect(again.sources == released.manifest.provenance.sources)
    let difference = try #require(again.firstDifference)
    #expect(difference.released != difference.compiled)
    let bytes = Array(released.signedBytes)
    #expect(bytes[..<difference.offset].elementsEqual(again.manifest.signedBytes()[..<difference.offset]))
    #expect(bytes[difference.offset] != again.manifest.signedBytes()[difference.offset])
  }
}
