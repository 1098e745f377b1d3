package import CLibC
import OpenSSLKit

/// A folder, and the few things that are done to files in it, though somebody hostile may write to it, too.
///
/// Files are opened by their name in the folder that was opened at the start. A symbolic link, a pipe or a device that
/// somebody planted in place of one is never followed, waited for, read or written to: reading refuses it, and a new file
/// takes its name. Everything in Pintle that keeps or replaces files goes through here.
package final class SafeFolder: Sendable {
  package let path: String
  let folder: Descriptor

  /// Opens a folder, which must exist.
  package init(_ path: String) throws(FileError) {
    self.path = path
    folder = Descriptor(pintle_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    guard folder.isOpen else { throw FileError("open the folder", path) }
  }

  init(_ path: String, _ folder: consuming Descriptor) {
    self.path = path
    self.folder = folder
  }

  /// Whether others than the owner may put files into it.
  package var isOpenToOthers: Bool {
    var status = stat()
    return fstat(folder.number, &status) == 0 && status.st_mode & 0o022 != 0
  }

  /// Whether another user than root and this process's own owns it, and so can let anybody put files into it.
  package var isOfAnother: Bool {
    var status = stat()
    return fstat(folder.number, &status) == 0 && status.st_uid != 0 && status.st_uid != geteuid()
  }

  /// A file as it was read.
  package struct Content: Sendable {
    package let bytes: [UInt8]
    package let identity: FileIdentity
  }

  /// A file's bytes; nil where it isn't there.
  package func content(of name: String, limit: Int) throws(FileError) -> Content? {
    let file = Descriptor(pintle_openat(folder.number, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC))
    guard file.isOpen else {
      guard pintle_errno() != ENOENT else { return nil }
      throw FileError("read", full(name))
    }
    let status = try file.regularStatus(of: full(name))
    let bytes = try file.content(expected: Int(status.st_size), limit: limit, of: full(name))
    return Content(bytes: bytes, identity: FileIdentity(status))
  }

  /// What tells whether a file was replaced; nil where it isn't there.
  package func identity(of name: String) -> FileIdentity? {
    var status = stat()
    return fstatat(folder.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? FileIdentity(status) : nil
  }

  /// How many bytes a regular file has; 0 where there is none.
  package func size(of name: String) -> Int { identity(of: name).map { $0.isRegular ? Int($0.size) : 0 } ?? 0 }

  /// Whether this process may write a file, were it to be written in place.
  package func isWritable(_ name: String) -> Bool { faccessat(folder.number, name, W_OK, 0) == 0 }

  /// All names, in order of their bytes, with how many bytes each file has; 0 for what isn't a regular one.
  package func entries() throws(FileError) -> [(name: String, bytes: Int)] {
    try names().map { ($0, size(of: $0)) }
  }

  /// All names, in order of their bytes; `U+FFFD` stands for what isn't UTF-8.
  package func names() throws(FileError) -> [String] {
    // A separate descriptor, because reading moves the position.
    let copy = pintle_openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0, let stream = fdopendir(copy) else { throw FileError("read the folder", path) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = String(cString: pintle_name(entry))
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// What to do where a file of that name is already there.
  package enum Existing: Sendable {
    /// The new file takes its place in one step; readers see the old bytes or the new ones, never a mixture.
    case replace
    /// The old file stays, and writing fails.
    case keep
  }

  /// Writes a file so that it is there whole and on disk, or not at all.
  ///
  /// - Parameters:
  ///   - bytes: The whole content.
  ///   - name: The name to give it.
  ///   - permissions: The file's mode; unless given, what the process's umask leaves of `0o666`.
  ///   - existing: What to do where the name is taken.
  /// - Throws: ``FileError``; nothing is left behind then.
  package func write(
    _ bytes: [UInt8], to name: String, permissions: mode_t? = nil, existing: Existing = .replace
  ) throws(FileError) {
    // A random name, so that it is unused; if it does exist, the file isn't opened.
    let temporary = name + "." + String(UInt64.random(in: .min ... .max), radix: 36)
    try create(temporary, holding: bytes, permissions, named: name)
    let isDone =
      switch existing {
      case .replace: renameat(folder.number, temporary, folder.number, name) == 0
      case .keep: linkat(folder.number, temporary, folder.number, name, 0) == 0
      }
    let failure = isDone ? nil : FileError("write", full(name))
    remove(temporary)
    if let failure { throw failure }
    // Some file systems don't support it; nothing else can be done then.
    fsync(folder.number)
  }

  /// Writes bytes to a file that still waits for its name, and has them on disk.
  package func prepare(_ bytes: [UInt8], as name: String, permissions: mode_t = 0o600) throws(FileError) {
    // Left over from a process that was killed; while the lock is held, nobody else writes here.
    makeWay(for: name + Self.suffix)
    try create(name + Self.suffix, holding: bytes, permissions, named: name)
  }

  /// Gives a prepared file its name, in one step.
  package func commit(_ name: String) throws(FileError) {
    if renameat(folder.number, name + Self.suffix, folder.number, name) == 0 { return }
    // rename(2) can't replace a folder.
    if pintle_errno() == EISDIR { makeWay(for: name) }
    guard renameat(folder.number, name + Self.suffix, folder.number, name) == 0 else {
      throw FileError("write", full(name))
    }
  }

  /// Removes a prepared file that doesn't get its name.
  package func discard(_ name: String) { remove(name + Self.suffix) }

  package func remove(_ name: String) { unlinkat(folder.number, name, 0) }

  /// Gives a file another name; false where that isn't possible.
  package func rename(_ name: String, to other: String) -> Bool {
    renameat(folder.number, name, folder.number, other) == 0
  }

  /// Makes the names themselves survive a power cut.
  package func sync() throws(FileError) {
    guard fsync(folder.number) == 0 else { throw FileError("sync the folder", path) }
  }

  private func create(
    _ temporary: String, holding bytes: [UInt8], _ permissions: mode_t?, named name: String
  ) throws(FileError) {
    let mode = permissions.map { $0 & 0o600 } ?? 0o666
    let file = Descriptor(
      pintle_createat(folder.number, temporary, O_WRONLY | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode))
    guard file.isOpen else { throw FileError("write", full(name)) }
    do throws(FileError) {
      // Exactly these permissions, whatever the umask is.
      if let permissions, fchmod(file.number, permissions) != 0 { throw FileError("write", full(name)) }
      try file.fill(with: bytes, of: full(name))
      guard fsync(file.number) == 0 else { throw FileError("write", full(name)) }
    } catch {
      remove(temporary)
      throw error
    }
  }

  /// Takes away what is in a file's place; a folder that isn't empty gets another name.
  private func makeWay(for name: String) {
    if unlinkat(folder.number, name, 0) == 0 || unlinkat(folder.number, name, AT_REMOVEDIR) == 0 { return }
    guard pintle_errno() != ENOENT else { return }
    _ = rename(name, to: name + ".aside-" + String(UInt64.random(in: .min ... .max), radix: 36))
  }

  /// Keeps other processes, and other stores of this one, from writing meanwhile.
  ///
  /// Waits some five seconds at most: anybody who holds the lock writes a few files.
  package func whileLocked<Answer>(_ body: () -> Answer) throws(FileError) -> Answer {
    let lock = try lock(attempts: 500)
    let answer = body()
    lock.release()
    return answer
  }

  /// Takes the folder's lock, and tries again each hundredth of a second while somebody else has it.
  package func lock(attempts: Int = 1) throws(FileError) -> FolderLock {
    var number: Int32 = 0
    for attempt in 1...attempts {
      // Anything but a regular file isn't a valid lock: it is removed, and the second attempt creates one.
      for _ in 0..<2 {
        let file = Descriptor(
          pintle_createat(folder.number, Self.lockName, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600))
        number = pintle_errno()
        // After any other error, the existing lock stays.
        guard file.isOpen || [ELOOP, EISDIR, ENXIO, EACCES].contains(number) else { break }
        guard file.isOpen, (try? file.regularStatus(of: path)) != nil else {
          makeWay(for: Self.lockName)
          continue
        }
        if flock(file.number, LOCK_EX | LOCK_NB) == 0 { return FolderLock(file) }
        number = pintle_errno()
        break
      }
      guard number == EWOULDBLOCK || number == EINTR, attempt < attempts else { break }
      usleep(10_000)
    }
    throw FileError("lock", full(Self.lockName), number: number)
  }

  private static let suffix = ".new"
  private static let lockName = "lock"

  package func full(_ name: String) -> String { path + "/" + name }
}

/// The lock of a folder, until it is released or goes.
package struct FolderLock: ~Copyable, Sendable {
  private let file: Descriptor
  private let generation = ForkGeneration.now

  fileprivate init(_ file: consuming Descriptor) {
    self.file = file
  }

  deinit {
    // A forked child that inherited the lock must not release the parent's lock.
    guard generation == ForkGeneration.now else { return }
    // Unlocked explicitly: a forked child that hasn't called exec yet also has the descriptor, so closing isn't enough.
    flock(file.number, LOCK_UN)
  }

  /// Lets others in.
  package consuming func release() {}
}
