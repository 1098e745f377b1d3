package import PinFormat
package import PinValidator

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
}
