import OpenSSLKit
import PinFormat
import PinPolicy
import PinRelease
import PinRules
import PinValidator
import ReleaseSupport
import Testing

/// What a manifest is compared with before it is signed, and when it doesn't follow.
struct SuccessionTests {
  private static func file(
    serial: Int64, previous: SHA256Digest? = nil, audience: String = "test", after seconds: Int64 = 0
  ) throws -> SignableManifest {
    var manifest = try SmallPolicy.checked(SmallPolicy.web).lowered(as: SmallPolicy.release)
    manifest.serial = serial
    manifest.previous = previous
    manifest.audience = audience
    manifest.issued = manifest.issued.adding(seconds: seconds)
    return try SignableManifest(SignedManifest.sign(manifest, with: []).bytes)
  }

  private static func released(_ file: SignableManifest) -> ReleasedManifest {
    ReleasedManifest(
      name: "serial \(file.manifest.serial)", serial: file.manifest.serial, issued: file.manifest.issued,
      digest: file.digest, loaded: file.loaded)
  }

  private static func find(
    _ file: SignableManifest, after released: [SignableManifest], allowsGap: Bool = false
  ) throws(SuccessionError) -> Succession {
    try Succession.find(
      of: file.loaded, digest: file.digest, after: released.map(Self.released), under: nil, allowsGap: allowsGap)
  }

  @Test func theReleaseThatIsNamedIsTheOneBefore() throws {
    let six = try Self.file(serial: 6)
    let seven = try Self.file(serial: 7, previous: six.digest)
    // A serial that was never published is left out.
    for serial in [8, 10] as [Int64] {
      let next = try Self.file(serial: serial, previous: seven.digest)
      guard case .after(let release, isNext: true) = try Self.find(next, after: [six, seven]) else {
        Issue.record("serial \(serial)")
        continue
      }
      #expect(release.digest == seven.digest)
    }
  }

  @Test func aReleaseThatIsOutIsComparedWithTheOneBefore() throws {
    let six = try Self.file(serial: 6)
    let seven = try Self.file(serial: 7, previous: six.digest)
    guard case .again(let same) = try Self.find(seven, after: [seven]) else {
      Issue.record("not the same")
      return
    }
    #expect(same.digest == seven.digest)
    guard case .after(let before, isNext: true) = try Self.find(seven, after: [six, seven]) else {
      Issue.record("not the one before")
      return
    }
    #expect(before.digest == six.digest)
  }

  @Test func aGapIsAllowedOnlyWhereSomebodySaysSo() throws {
    let six = try Self.file(serial: 6)
    let eight = try Self.file(serial: 8, previous: try Self.file(serial: 7, previous: six.digest).digest)
    #expect(throws: SuccessionError.self) { try Self.find(eight, after: [six]) }
    guard case .after(let release, isNext: false) = try Self.find(eight, after: [six], allowsGap: true) else {
      Issue.record("no gap")
      return
    }
    #expect(release.digest == six.digest)
  }

  /// Whatever else is allowed, clients that have the last release would refuse these.
  @Test(arguments: [false, true]) func whatClientsRefuseIsRefused(allowsGap: Bool) throws {
    let seven = try Self.file(serial: 7)
    let digest = seven.digest
    let cases: [(SignableManifest, SuccessionError)] = [
      (
        try Self.file(serial: 8, previous: digest, audience: "other"),
        .otherAudience("other", release: "serial 7", released: "test")
      ),
      (try Self.file(serial: 7, previous: digest), .serialTaken(7)),
      (try Self.file(serial: 6, previous: digest), .serialNotAbove(6, last: 7)),
      (
        try Self.file(serial: 8, previous: digest, after: -1),
        .issuedBackwards(
          seven.manifest.issued.adding(seconds: -1), release: "serial 7", released: seven.manifest.issued)
      ),
      (try Self.file(serial: 8), .namesNoPrevious(release: "serial 7")),
    ]
    for (file, error) in cases {
      #expect(throws: error) { try Self.find(file, after: [seven], allowsGap: allowsGap) }
    }
  }

  /// Swift's own comparison takes the two for equal; clients don't.
  @Test func audiencesAreComparedByteForByte() throws {
    let seven = try Self.file(serial: 7, audience: "caf\u{e9}")
    let eight = try Self.file(serial: 8, previous: seven.digest, audience: "cafe\u{301}")
    #expect(throws: SuccessionError.self) { try Self.find(eight, after: [seven]) }
  }

  /// Of a directory of releases all count: an older one that is named isn't the last.
  @Test func aForkIsRefused() throws {
    let six = try Self.file(serial: 6)
    let seven = try Self.file(serial: 7, previous: six.digest)
    let fork = try Self.file(serial: 8, previous: six.digest)
    #expect(throws: SuccessionError.namesOtherPrevious(six.digest, release: "serial 7", digest: seven.digest)) {
      try Self.find(fork, after: [six, seven])
    }
  }
}
