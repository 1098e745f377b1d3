import PinFormat

/// What a store keeps on disk, and in which order it is written.
///
/// | file | what |
/// |---|---|
/// | `manifest.json`, `manifest.copy.json` | the last good manifest as it came, twice |
/// | `floor.1`, `floor.2` | the highest serial that was ever accepted, and the digest of its signed bytes, twice |
/// | `time` | the last time seen |
/// | `lock` | empty; whoever writes holds a lock on it |
///
/// An update first writes all files under other names and has them on disk, so that a full disk is met before anything
/// has changed. Then `manifest.json` takes its name: that is the moment from which on a restart takes the new manifest.
/// The others follow. Killed in between, the floor is what the new manifest says or what the old floor says, whichever
/// is higher, and both are there.
///
/// The methods are called while the folder's lock is held, except for reading without one where none can be had.
struct StateFiles: Sendable {
  static let manifests = ["manifest.json", "manifest.copy.json"]
  static let floors = ["floor.1", "floor.2"]
  static let time = "time"

  let folder: StateFolder

  init(_ directory: String) throws(FileError) {
    folder = try StateFolder(directory)
  }

  /// What tells whether somebody has stored another manifest.
  var identity: FileIdentity? { folder.identity(of: Self.manifests[0]) }

  /// Stores a manifest with the floor that it gives, or only a floor.
  ///
  /// - Throws: ``FileError``; on disk is then what was there before, unless the last step of writing the first name down
  ///   failed, of which nobody can say whether it is on disk.
  func store(_ manifest: [UInt8]?, _ floor: SerialFloor) throws(FileError) {
    guard let record = StoredRecord.text(floor) else {
      throw FileError("write", folder.full(Self.floors[0]), detail: "libcrypto failed")
    }
    var files: [(name: String, bytes: [UInt8])] = []
    if let manifest { files += Self.manifests.map { ($0, manifest) } }
    files += Self.floors.map { ($0, record) }
    do throws(FileError) {
      for file in files { try folder.prepare(file.bytes, as: file.name) }
      try folder.commit(files[0].name)
    } catch {
      for file in files { folder.discard(file.name) }
      throw error
    }
    var failure: FileError?
    do throws(FileError) { try folder.sync() } catch { failure = error }
    for file in files.dropFirst() {
      // What can't take its name now is mended at the next start: the first file has said it all.
      do throws(FileError) { try folder.commit(file.name) } catch { folder.discard(file.name) }
    }
    if let failure { throw failure }
    do throws(FileError) { try folder.sync() } catch { return }
  }

  /// Removes what an update left that was killed.
  func removeLeftovers() {
    for name in Self.manifests + Self.floors + [Self.time] { folder.discard(name) }
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

/// What was found on disk.
struct StoredState {
  /// The manifests that could be read and verified, the highest serial first.
  var manifests: [LoadedManifest] = []
  /// The highest of the floors that could be read, and of the manifests.
  var floor: SerialFloor?
  var time: Instant?
  /// Of the first manifest file.
  var identity: FileIdentity?
  var problems: [PinStore.Problem] = []
  /// Whether every file is there and all say the same.
  var isWhole = true
  /// Whether the system refused to have a file read that may be in order.
  var isUnreadable = false

  /// Whether there may be a floor that nobody could read: then nothing is written, or it would be lost.
  var hidesFloor: Bool { isUnreadable && floor == nil }

  /// Raises the floor.
  mutating func witness(_ manifest: LoadedManifest) {
    guard let floor = manifest.floor, floor.serial > self.floor?.serial ?? 0 else { return }
    self.floor = floor
  }

  /// The highest manifest that isn't below the floor, and is the one that the floor stands for.
  var usable: LoadedManifest? {
    manifests.first { manifest in manifest.floor == floor }
  }
}

extension LoadedManifest {
  /// The floor that it gives once it is accepted; nil where libcrypto fails.
  var floor: SerialFloor? {
    guard let digest = try? signedDigest() else { return nil }
    return SerialFloor(serial: serial, digest: digest)
  }

  /// The whole file, as it came.
  var fileBytes: [UInt8] { tables.bytes }
}
