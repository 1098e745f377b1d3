import CLibC

/// The folder that keeps a store's state, and the few things that are done to files in it.
///
/// Files are opened by their name in the folder that was opened at the start. A symbolic link, a pipe or a device that
/// somebody planted in place of one is never followed, read or written to: reading refuses it, and a new file takes its
/// name.
final class StateFolder: Sendable {
  private let path: String
  private let folder: Descriptor

  /// Opens a folder, which must exist.
  init(_ path: String) throws(FileError) {
    self.path = path
    folder = Descriptor(pintle_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    guard folder.isOpen else { throw FileError("open the folder", path) }
  }

  /// Whether others than the owner may put files into it.
  var isOpenToOthers: Bool {
    var status = stat()
    return fstat(folder.number, &status) == 0 && status.st_mode & 0o022 != 0
  }

  /// A file's bytes and identity; nil where it isn't there.
  func content(of name: String, limit: Int) throws(FileError) -> (bytes: [UInt8], identity: FileIdentity)? {
    let file = Descriptor(pintle_openat(folder.number, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC))
    guard file.isOpen else {
      guard pintle_errno() != ENOENT else { return nil }
      throw FileError("read", full(name))
    }
    var status = stat()
    guard fstat(file.number, &status) == 0 else { throw FileError("read", full(name)) }
    guard pintle_is_regular(status.st_mode) != 0 else {
      throw FileError("read", full(name), detail: "it is no regular file")
    }
    let bytes = try file.content(expected: Int(status.st_size), limit: limit, of: full(name))
    return (bytes, FileIdentity(status))
  }

  /// What tells whether a file was replaced; nil where it isn't there.
  func identity(of name: String) -> FileIdentity? {
    var status = stat()
    guard fstatat(folder.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    return FileIdentity(status)
  }

  /// Writes bytes to a file that still waits for its name, and has them on disk.
  func prepare(_ bytes: [UInt8], as name: String) throws(FileError) {
    // What an update left that was killed; nobody else writes here while the lock is held.
    unlinkat(folder.number, name + Self.suffix, 0)
    let file = Descriptor(
      pintle_createat(folder.number, name + Self.suffix, O_WRONLY | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600))
    guard file.isOpen else { throw FileError("write", full(name)) }
    try file.fill(with: bytes, of: full(name))
    guard fsync(file.number) == 0 else { throw FileError("write", full(name)) }
  }

  /// Gives a prepared file its name, in one step.
  func commit(_ name: String) throws(FileError) {
    guard renameat(folder.number, name + Self.suffix, folder.number, name) == 0 else {
      throw FileError("write", full(name))
    }
  }

  /// Removes a prepared file that doesn't get its name.
  func discard(_ name: String) {
    unlinkat(folder.number, name + Self.suffix, 0)
  }

  /// Makes the names themselves survive a power cut.
  func sync() throws(FileError) {
    guard fsync(folder.number) == 0 else { throw FileError("sync the folder", path) }
  }

  /// Keeps other processes, and other stores of this one, from writing meanwhile.
  ///
  /// Waits some five seconds at most: whoever holds the lock writes a few files.
  func whileLocked<Answer>(_ body: () -> Answer) throws(FileError) -> Answer {
    let lock = try lock()
    let answer = body()
    lock.release()
    return answer
  }

  private func lock() throws(FileError) -> FolderLock {
    let file = Descriptor(
      pintle_createat(folder.number, Self.lockName, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600))
    guard file.isOpen else { throw FileError("lock", full(Self.lockName)) }
    for _ in 0..<500 {
      if flock(file.number, LOCK_EX | LOCK_NB) == 0 { return FolderLock(file) }
      guard pintle_errno() == EWOULDBLOCK || pintle_errno() == EINTR else { break }
      usleep(10_000)
    }
    throw FileError("lock", full(Self.lockName))
  }

  private static let suffix = ".new"
  private static let lockName = "lock"

  func full(_ name: String) -> String { path + "/" + name }
}

/// The lock of a folder, until it is released or goes.
private struct FolderLock: ~Copyable {
  private let file: Descriptor

  init(_ file: consuming Descriptor) {
    self.file = file
  }

  deinit {
    // Said, not left to closing: a child that was forked and hasn't yet run its own program has the descriptor too.
    flock(file.number, LOCK_UN)
  }

  /// Lets others in.
  consuming func release() {}
}
