import PinValidator

/// Policy files that were read before, so that only those that changed on disk are read again.
struct PolicyFileMemory: Sendable {
  private struct Entry: Sendable {
    var stamp: FileIdentity
    var bytes: [UInt8]
  }

  private var entries: [String: Entry] = [:]

  /// A file's bytes: as they were, where nothing on disk says otherwise.
  mutating func read(
    _ path: String, in folder: ConfinedFolder, limit: Int
  ) throws(ConfinedFolder.Failure) -> [UInt8] {
    // The stamp is taken before reading: if the file changes in between, it is read again next time.
    let stamp = folder.stamp(path)
    if let entry = entries[path], entry.stamp == stamp { return entry.bytes }
    entries[path] = nil
    let bytes = try folder.read(path, limit: limit)
    if let stamp { entries[path] = Entry(stamp: stamp, bytes: bytes) }
    return bytes
  }
}
