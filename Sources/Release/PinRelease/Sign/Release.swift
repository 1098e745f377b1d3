package import Diagnostics
package import PinFormat
package import PinValidator

/// What a manifest says of its release: given by the caller, never read from the clock or the machine.
package struct Release: Hashable, Sendable {
  /// 2^53 - 1, the largest integer that every JSON reader keeps exactly (RFC 7493 section 2.2).
  package static let maximumSerial: Int64 = 9_007_199_254_740_991

  /// Grows with each release; from 1 to ``maximumSerial``.
  package var serial: Int64
  package var issued: Instant
  /// SHA-256 over the signed bytes of the release before; nil for the first.
  package var previous: SHA256Digest?
  /// The commit of the sources.
  package var commit: String?
  /// The compiler and its version.
  package var compiler: String
  /// Why clients are to activate it even where it takes many pins away; nil for a plain release.
  package var drasticChange: String?

  package init(
    serial: Int64, issued: Instant, previous: SHA256Digest?, commit: String?, compiler: String,
    drasticChange: String? = nil
  ) {
    self.serial = serial
    self.issued = issued
    self.previous = previous
    self.commit = commit
    self.compiler = compiler
    self.drasticChange = drasticChange
  }
}

/// A release that clients have: read from a verified file, or compiled from a commit.
package struct ReleasedManifest: Sendable {
  /// As messages name it: `serial 7`, `git:main`.
  package var name: String
  /// Nil for one that was compiled from a commit.
  package var serial: Int64?
  /// When it was released; of a commit, its committer's date.
  package var issued: Instant
  /// SHA-256 over the signed bytes; nil for one that was compiled from a commit.
  package var digest: SHA256Digest?
  package var loaded: LoadedManifest
  /// The file that it was read from; nil for one that was compiled from a commit.
  package var path: String?
  /// The epoch of its serial: that of the newest keyset that endorses it; 1 without keysets.
  package var epoch: Int64 = 1
  /// The adoption window in seconds that the policy said then; nil for a released manifest, which doesn't say it.
  package var window: Int64?

  /// All that it says, made again at each call: of many releases nobody needs more than the tables of most.
  package var manifest: Manifest { loaded.manifest }

  package init(
    name: String, serial: Int64?, issued: Instant, digest: SHA256Digest?, loaded: LoadedManifest,
    window: Int64? = nil
  ) {
    self.name = name
    self.serial = serial
    self.issued = issued
    self.digest = digest
    self.loaded = loaded
    self.window = window
  }

  /// A verified file as a release.
  package init(_ file: VerifiedFile, path: String) throws(WorkFailure) {
    let manifest = file.manifest
    do {
      self.init(
        name: "serial \(manifest.serial)", serial: manifest.serial, issued: manifest.issued,
        digest: try manifest.signedDigest(), loaded: manifest)
    } catch {
      throw WorkFailure(.failed, error.message)
    }
    self.path = path
    epoch = file.keyset?.keyset.serialEpoch ?? 1
  }
}

/// How a manifest that will be signed follows the released ones.
package enum Succession: Sendable {
  /// It is released already: its very signed bytes are, and nothing that was released comes before.
  case again(ReleasedManifest)
  /// It comes after a release.
  ///
  /// `isNext` is false where it names another one as the release before it, and that was allowed.
  case after(ReleasedManifest, isNext: Bool)

  /// The release that it is compared with.
  package var release: ReleasedManifest {
    switch self {
    case .again(let release), .after(let release, _): release
    }
  }

  /// Looks how a manifest follows releases, as clients will.
  ///
  /// - Parameters:
  ///   - candidate: The manifest to sign.
  ///   - digest: SHA-256 over its signed bytes.
  ///   - released: The last release, or all of them; never none.
  ///   - keyset: The newest one, in whose epoch the candidate is; nil where keys are named one by one.
  ///   - allowsGap: Whether there may be others between the last release and the candidate.
  /// - Returns: What to compare the candidate with.
  /// - Throws: ``SuccessionError`` where clients would refuse it, or it names another release as the one before it.
  package static func find(
    of candidate: LoadedManifest, digest: SHA256Digest, after released: [ReleasedManifest],
    under keyset: TrustedKeyset?,
    allowsGap: Bool
  ) throws(SuccessionError) -> Succession {
    for release in released where !release.loaded.audience.utf8.elementsEqual(candidate.audience.utf8) {
      throw .otherAudience(candidate.audience, release: release.name, released: release.loaded.audience)
    }
    // A release that is signed again is compared with the one before it, or with itself.
    let line = released.line(under: keyset)
    guard let last = line.last(where: { $0.digest != digest }) else {
      // Where the keyset begins an epoch and no release before it is good, the candidate follows none.
      return line.last.map { .again($0) } ?? .after(released[released.count - 1], isNext: false)
    }
    guard candidate.serial != last.loaded.serial else { throw .serialTaken(candidate.serial) }
    guard candidate.serial > last.loaded.serial else {
      throw .serialNotAbove(candidate.serial, last: last.loaded.serial)
    }
    guard candidate.issued >= last.issued else {
      throw .issuedBackwards(candidate.issued, release: last.name, released: last.issued)
    }
    guard let previous = candidate.tables.header.previous else { throw .namesNoPrevious(release: last.name) }
    let isNext = previous == last.digest
    guard isNext || allowsGap else { throw .namesOtherPrevious(previous, release: last.name, digest: last.digest) }
    return .after(last, isNext: isNext)
  }
}

/// Why a manifest doesn't follow what is released.
package enum SuccessionError: Error, Hashable, Sendable {
  case otherAudience(String, release: String, released: String)
  /// A release with the serial is out, and has other signed bytes.
  case serialTaken(Int64)
  case serialNotAbove(Int64, last: Int64)
  case issuedBackwards(Instant, release: String, released: Instant)
  case namesNoPrevious(release: String)
  case namesOtherPrevious(SHA256Digest, release: String, digest: SHA256Digest?)

  /// What is wrong: a clause about the manifest.
  package var message: String {
    switch self {
    case .otherAudience(let audience, let release, let released):
      "it is for the audience '\(audience)', and \(release) is for '\(released)'"
    case .serialTaken(let serial): "serial \(serial) is released already, with other signed bytes"
    case .serialNotAbove(let serial, let last):
      "its serial \(serial) isn't above \(last), which is released; clients accept only a higher one"
    case .issuedBackwards(let issued, let release, let released):
      "it is issued \(issued), before \(release), which was issued \(released)"
    case .namesNoPrevious(let release): "it names no release before it, and \(release) is released"
    case .namesOtherPrevious(let previous, let release, let digest):
      "it names sha256:\(previous.hex) as the release before it, and \(release) is sha256:\(digest?.hex ?? "")"
    }
  }

  /// What to do about it.
  package var help: String {
    switch self {
    case .otherAudience:
      "Clients of one audience never accept the other's. Compare it with the last release for its audience."
    case .serialTaken: "Clients that have one of the two reject the other. Build it with the next serial."
    case .serialNotAbove, .issuedBackwards, .namesNoPrevious:
      "Build it again, with --against for the last release."
    case .namesOtherPrevious:
      "Compare it with the release that it names. If that one was never published, or there are others in between, pass "
        + "--skipped-release."
    }
  }

  /// Whether it is meant for others than the releases are.
  package var isOfAudience: Bool {
    if case .otherAudience = self { true } else { false }
  }
}
