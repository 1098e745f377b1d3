import PinFormat

/// What a store keeps on disk, and in which order it is written.
///
/// | file | what |
/// |---|---|
/// | `manifest.json`, `manifest.copy.json` | the last good manifest as it came, twice |
/// | `keysets`, `keysets.copy` | the keysets from the shipped one to the newest, one a line, twice |
/// | `lock` | empty; anybody who writes holds a lock on it |
///
/// An update first writes all files under other names and has them on disk, so that a full disk is met before anything
/// has changed. Then `manifest.json` takes its name: that is the moment from which on a restart takes the new manifest.
/// The copy follows. A keyset is stored by itself, in the same manner: `keysets` takes its name, and then the copy.
///
/// All that is read is believed for its signatures alone: anybody who can write here could forge anything else.
///
/// The methods are called while the folder's lock is held, except for reading without one where none can be had.
struct StateFiles: Sendable {
  static let manifests = ["manifest.json", "manifest.copy.json"]
  static let keysets = ["keysets", "keysets.copy"]
  /// What older versions kept, which could be forged; nothing reads it.
  private static let obsolete = ["floor.1", "floor.2", "time"]

  let folder: SafeFolder

  init(_ directory: String) throws(FileError) {
    folder = try SafeFolder(directory)
  }

  /// What tells whether somebody has stored another manifest.
  var identity: FileIdentity? { folder.identity(of: Self.manifests[0]) }

  /// What tells whether somebody has stored another keyset.
  var keysetsIdentity: FileIdentity? { folder.identity(of: Self.keysets[0]) }

  /// Stores a manifest.
  ///
  /// - Returns: Whether all files have their names; those that don't must be written again.
  /// - Throws: ``FileError``; on disk is then what was there before, unless the last step of writing the first name down
  ///   failed, of which nobody can say whether it is on disk.
  func store(_ manifest: [UInt8]) throws(FileError) -> Bool {
    try store(Self.manifests.map { ($0, manifest) })
  }

  /// Stores the keysets.
  ///
  /// - Returns: Whether both files have their names.
  /// - Throws: ``FileError``, as for a manifest, and where they are too many.
  func store(_ chain: KeysetChain) throws(FileError) -> Bool {
    guard let bytes = chain.fileBytes else {
      throw FileError(
        "write", folder.full(Self.keysets[0]),
        detail: "there are more than \(KeysetChain.maximumCount) keysets from the shipped one on; ship a newer one")
    }
    return try store(Self.keysets.map { ($0, bytes) })
  }

  /// Writes files of which the first decides.
  private func store(_ files: [(name: String, bytes: [UInt8])]) throws(FileError) -> Bool {
    do throws(FileError) {
      for file in files { try folder.prepare(file.bytes, as: file.name) }
      try folder.commit(files[0].name)
    } catch {
      for file in files { folder.discard(file.name) }
      throw error
    }
    var failure: FileError?
    do throws(FileError) { try folder.sync() } catch { failure = error }
    var isWhole = true
    for file in files.dropFirst() {
      // If a rename fails here, it is repaired later: the first file has all the content.
      do throws(FileError) {
        try folder.commit(file.name)
      } catch {
        folder.discard(file.name)
        isWhole = false
      }
    }
    if let failure { throw failure }
    do throws(FileError) { try folder.sync() } catch { return false }
    return isWhole
  }

  /// Removes what an update left that was killed, and what an older version kept.
  func removeLeftovers() {
    for name in Self.manifests + Self.keysets + Self.obsolete { folder.discard(name) }
    for name in Self.obsolete { folder.remove(name) }
  }
}
