import PinFormat

/// What a store keeps on disk, and in which order it is written.
///
/// | file | what |
/// |---|---|
/// | `manifest.json`, `manifest.copy.json` | the last good manifest as it came, twice |
/// | `floor.1`, `floor.2` | the highest serial that was ever accepted, and the digest of its signed bytes, twice |
/// | `keysets`, `keysets.copy` | the keysets from the shipped one to the newest, one a line, twice |
/// | `time` | the last time seen |
/// | `lock` | empty; whoever writes holds a lock on it |
///
/// An update first writes all files under other names and has them on disk, so that a full disk is met before anything
/// has changed. Then `manifest.json` takes its name: that is the moment from which on a restart takes the new manifest.
/// The others follow. Killed in between, the floor is what the new manifest says or what the old floor says, whichever
/// is higher, and both are there.
///
/// A keyset is stored by itself, in the same manner: `keysets` takes its name, and then the copy. The files of the
/// manifest in force are whole before, as under another keyset the manifest alone wouldn't tell what floor it gave.
///
/// The methods are called while the folder's lock is held, except for reading without one where none can be had.
struct StateFiles: Sendable {
  static let manifests = ["manifest.json", "manifest.copy.json"]
  static let floors = ["floor.1", "floor.2"]
  static let keysets = ["keysets", "keysets.copy"]
  static let time = "time"

  let folder: StateFolder

  init(_ directory: String) throws(FileError) {
    folder = try StateFolder(directory)
  }

  /// What tells whether somebody has stored another manifest.
  var identity: FileIdentity? { folder.identity(of: Self.manifests[0]) }

  /// What tells whether somebody has stored another keyset.
  var keysetsIdentity: FileIdentity? { folder.identity(of: Self.keysets[0]) }

  /// Stores a manifest with the floor that it gives, or only a floor.
  ///
  /// - Returns: Whether all files have their names; those that don't are to be written again.
  /// - Throws: ``FileError``; on disk is then what was there before, unless the last step of writing the first name down
  ///   failed, of which nobody can say whether it is on disk.
  func store(_ manifest: [UInt8]?, _ floor: SerialFloor) throws(FileError) -> Bool {
    guard let record = StoredRecord.text(floor) else {
      throw FileError("write", folder.full(Self.floors[0]), detail: "libcrypto failed")
    }
    var files: [(name: String, bytes: [UInt8])] = []
    if let manifest { files += Self.manifests.map { ($0, manifest) } }
    files += Self.floors.map { ($0, record) }
    return try store(files)
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
      // What can't take its name now is mended later: the first file has said it all.
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

  /// Removes what an update left that was killed.
  func removeLeftovers() {
    for name in Self.manifests + Self.floors + Self.keysets + [Self.time] { folder.discard(name) }
  }

  /// Writes down the last time seen.
  func store(_ time: Instant) throws(FileError) {
    guard let record = StoredRecord.text(time) else {
      throw FileError("write", folder.full(Self.time), detail: "libcrypto failed")
    }
    do throws(FileError) {
      try folder.prepare(record, as: Self.time)
      try folder.commit(Self.time)
      try folder.sync()
    } catch {
      folder.discard(Self.time)
      throw error
    }
  }
}
