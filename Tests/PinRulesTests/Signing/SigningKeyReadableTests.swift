import Diagnostics
import PinRules
import Testing

/// Who may read a signing key.
@Suite struct SigningKeyReadableTests {
  @Test(arguments: [0o600, 0o400, 0o700, 0o000] as [UInt32])
  func ownersOnly(_ permissions: UInt32) {
    #expect(Rule.signingKeyFinding(path: "release.key", permissions: permissions) == nil)
  }

  @Test(arguments: [(0o644, "0644"), (0o640, "0640"), (0o602, "0602"), (0o611, "0611")] as [(UInt32, String)])
  func others(_ permissions: UInt32, _ shown: String) throws {
    let (diagnostic, sources) = try #require(
      Rule.signingKeyFinding(path: "keys/release.key", permissions: permissions))
    #expect(diagnostic.code == "P701")
    #expect(diagnostic.severity == .warning)
    #expect(diagnostic.message == "signing key 'keys/release.key' can be read or changed by others (mode \(shown))")
    #expect(sources[diagnostic.place.file].path == "keys/release.key")
    #expect(sources[diagnostic.place.file].bytes.isEmpty)
  }
}
