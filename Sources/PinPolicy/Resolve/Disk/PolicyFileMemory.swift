/// Policy files that were read before, so that only those that changed on disk are read again.
struct PolicyFileMemory: Sendable {
  private struct Entry: Sendable {
    var stamp: FileStamp
    var bytes: [UInt8]
  }

  private var entries: [String: Entry] = [:]

  /// A file's bytes: as they were, where nothing on disk says otherwise.
  mutating func read(
    _ path: String, in folder: ConfinedFolder, limit: Int
  ) throws(ConfinedFolder.Failure) -> [UInt8] {
    // Taken before the bytes: a file that changes in between is read once too often, never once too few.
    let stamp = folder.stamp(path)
    if let entry = entries[path], entry.stamp == stamp { return entry.bytes }
    entries[path] = nil
    let bytes = try folder.read(path, limit: limit)
    if let stamp { entries[path] = Entry(stamp: stamp, bytes: bytes) }
    return bytes
  }
}
