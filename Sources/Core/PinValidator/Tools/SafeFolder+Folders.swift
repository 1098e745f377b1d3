import CLibC

extension SafeFolder {
  /// A folder in this one; a link in its place is refused, not followed.
  ///
  /// - Parameters:
  ///   - name: Its name, which has no slash.
  ///   - creating: Whether to make it where it isn't there.
  /// - Returns: nil where it isn't there and isn't to be made.
  /// - Throws: ``FileError`` where something else is in its place, or it can't be made.
  package func folder(_ name: String, creating: Bool) throws(FileError) -> SafeFolder? {
    if let found = try opened(name) { return found }
    guard creating else { return nil }
    guard mkdirat(folder.number, name, 0o777) == 0 || pintle_errno() == EEXIST else {
      throw FileError("make the folder", full(name))
    }
    // Its name must survive a power cut, as what is written into it does.
    try sync()
    guard let made = try opened(name) else { throw FileError("open the folder", full(name), number: ENOENT) }
    return made
  }

  private func opened(_ name: String) throws(FileError) -> SafeFolder? {
    let found = Descriptor(
      pintle_openat(folder.number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))
    guard !found.isOpen else { return SafeFolder(full(name), found) }
    switch pintle_errno() {
    case ENOENT: return nil
    case ELOOP, ENOTDIR:
      throw FileError("open the folder", full(name), number: ENOTDIR, detail: "it is a link or a file, not a folder")
    default: throw FileError("open the folder", full(name))
    }
  }

  /// Removes what processes left that were killed while they wrote files whose names end so, such as `.json`.
  ///
  /// The caller keeps others from writing.
  package func removeLeftovers(endingIn ending: String) throws(FileError) {
    for name in try names() {
      guard let dot = name.lastIndex(of: "."), name[..<dot].hasSuffix(ending) else { continue }
      // The random part of `write`: 64 bits in base 36, which is far longer than an ending such as `.gz`.
      let suffix = name[dot...].utf8.dropFirst()
      let isRandom = suffix.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
      if isRandom, (10...13).contains(suffix.count) { remove(name) }
    }
  }
}
