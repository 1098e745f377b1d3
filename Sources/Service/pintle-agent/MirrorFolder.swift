#if Service
import Glibc
import PinFormat
import PinValidator
import Synchronization

/// The folder that clients of this host read: the keysets and the manifest that the agent's own store trusts.
///
/// Clients verify everything again. Here, a file is written completely or not at all, keysets before the manifest that
/// they vouch for, and a manifest never replaces a newer one, even if the agent has lost its own state.
final class MirrorFolder: Sendable {
  static let manifestName = "manifest.json"
  private static let keysetsName = "keysets"
  /// Readable by all users.
  private static let permissions: mode_t = 0o644
  private static let regularFile: mode_t = 0o100000

  let folder: SafeFolder
  private let keysets: SafeFolder
  /// Held as long as the agent runs, so that no other agent writes here.
  private let lock: FolderLock
  private let known = Mutex(Known())

  private struct Known: Sendable {
    /// The files that have the right content, so they aren't read again while they are the same.
    var files: [String: FileIdentity] = [:]
    var manifest: LoadedManifest?
    /// A manifest file that isn't replaced, and why.
    var kept: (file: FileIdentity, by: Trusted, reason: AgentError)?
  }

  /// What the agent's store has: if it changes, a file that wasn't replaced is checked again.
  private struct Trusted: Equatable, Sendable {
    var manifest: LoadedManifest?
    var keyset: TrustedKeyset?

    init(_ store: PinStore) { (manifest, keyset) = (store.status.manifest, store.keyset) }

    static func == (left: Trusted, right: Trusted) -> Bool {
      left.manifest === right.manifest && left.keyset === right.keyset
    }
  }

  /// Opens the folder, which is created if it doesn't exist.
  ///
  /// - Parameters:
  ///   - path: The folder; its parent must exist.
  ///   - state: The folder of the agent's own state, which must be another one.
  /// - Throws: ``AgentError`` if it can't be used.
  init(_ path: String, besides state: String) throws(AgentError) {
    let path = Self.withoutSlash(path)
    do throws(FileError) {
      let (parent, name) = try WholeFile.place(of: path)
      folder = try Self.folder(name, in: parent)
      keysets = try Self.folder(Self.keysetsName, in: folder)
      lock = try folder.lock(attempts: 500)
    } catch {
      throw error.number == EWOULDBLOCK
        ? AgentError("another pintle-agent uses '\(path)': each needs a folder of its own") : AgentError(error.message)
    }
    if let own = FileIdentity(of: state), let other = FileIdentity(of: path),
      (own.device, own.inode) == (other.device, other.inode)
    {
      throw AgentError("'\(path)' is the agent's own folder (pintle.directory): clients need another one")
    }
    for folder in [folder, keysets] {
      try Self.refuseAnothers(folder)
      if folder.isOpenToOthers {
        throw AgentError("other users can write to '\(folder.path)': run 'chmod go-w' on it, or use another folder")
      }
    }
  }

  /// Creates a folder for this user alone, if only its parent exists.
  static func createPrivate(_ path: String) throws(AgentError) {
    // It may be a link to one, as systemd makes them.
    guard FileIdentity(of: path) == nil else {
      // What can't be opened is reported by the store.
      if let folder = try? SafeFolder(path) { try refuseAnothers(folder) }
      return
    }
    do throws(FileError) {
      let (parent, name) = try WholeFile.place(of: withoutSlash(path))
      let before = umask(0o077)
      defer { umask(before) }
      _ = try folder(name, in: parent)
    } catch {
      throw AgentError(error.message)
    }
  }

  /// Its owner could replace what clients trust, whatever its permissions are now.
  private static func refuseAnothers(_ folder: SafeFolder) throws(AgentError) {
    guard folder.isOfAnother else { return }
    throw AgentError(
      "another user owns '\(folder.path)': use a folder of the user that pintle-agent runs as, or change its owner (chown)"
    )
  }

  private static func withoutSlash(_ path: String) -> String {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }

  private static func folder(_ name: String, in parent: SafeFolder) throws(FileError) -> SafeFolder {
    guard let folder = try parent.folder(name, creating: true) else { return parent }
    return folder
  }

  /// Has the store accept what is in the folder already, as any other update: it may be newer than what the store has.
  func offer(to store: PinStore) {
    // What is rejected is replaced, unless it is newer.
    _ = try? KeysetFolder(path: keysets.path, store: store).checkForChange()
    guard let bytes = found(store) else { return }
    _ = try? store.update(bytes)
  }

  /// The manifest file; nil if there is none, or it can't be one.
  private func found(_ store: PinStore) -> [UInt8]? {
    (try? folder.content(of: Self.manifestName, limit: store.settings.maximumBytes))?.bytes
  }

  /// Writes what the store trusts and the folder doesn't have.
  ///
  /// - Parameter store: The agent's own store.
  /// - Returns: The manifest that is in the folder now; nil if the store has none.
  /// - Throws: ``AgentError``; the files in the folder are whole then, too.
  @discardableResult
  func update(from store: PinStore) throws(AgentError) -> LoadedManifest? {
    while true {
      let before = Trusted(store)
      let isWritten = known.withLock { $0.manifest === before.manifest } && isKnown(Self.manifestName, in: folder)
      if !isWritten { try refuseToReplaceNewer(store, before) }
      // The file may have been newer: then it is in force now.
      guard store.status.manifest === before.manifest else { continue }
      // Those that were trusted when the manifest was read, or more: the one that vouches for it is among them.
      for keyset in store.trustedKeysets {
        let name = "\(keyset.version).keyset.json"
        if !isKnown(name, in: keysets) { try put(keyset.fileBytes, as: name, in: keysets) }
      }
      guard let manifest = before.manifest, !isWritten else { return before.manifest }
      try put(manifest.fileBytes, as: Self.manifestName, in: folder)
      known.withLock { $0.manifest = manifest }
      return manifest
    }
  }

  /// Checks the file that would be replaced: another process may have put it there, or an agent whose state was lost.
  private func refuseToReplaceNewer(_ store: PinStore, _ before: Trusted) throws(AgentError) {
    guard let identity = folder.identity(of: Self.manifestName) else { return }
    if let kept = known.withLock({ $0.kept }), kept.file == identity, kept.by == before { throw kept.reason }
    known.withLock { $0.kept = nil }
    guard let bytes = found(store) else { return }
    do throws(UpdateError) {
      _ = try store.update(bytes)
    } catch {
      guard Self.isNewer(error.code) else { return }
      let why =
        error.code == .notStored
        ? "the agent's own folder can't be used"
        : "its signatures are valid, and it is newer or for another audience"
      let reason = AgentError("'\(folder.full(Self.manifestName))' isn't replaced: \(why): \(error.message)")
      known.withLock { $0.kept = (identity, before, reason) }
      throw reason
    }
  }

  /// Whether a store that rejects a manifest so has found its signatures valid and its serial high enough.
  private static func isNewer(_ code: UpdateError.Code) -> Bool {
    let codes: [UpdateError.Code] = [.stale, .keysetExpired, .empty, .shrunk, .refusesRecentChain, .notStored]
    return codes.contains(code) || code.description == ManifestError.Code.wrongAudience.description
  }

  /// Writes a file in one step, unless it has these bytes already.
  private func put(_ bytes: [UInt8], as name: String, in folder: SafeFolder) throws(AgentError) {
    do throws(FileError) {
      let isSame =
        (try? folder.content(of: name, limit: bytes.count)).map { content in
          content?.bytes == bytes && content?.identity.mode == Self.regularFile | Self.permissions
        } ?? false
      if !isSame {
        try folder.prepare(bytes, as: name, permissions: Self.permissions)
        try folder.commit(name)
        try folder.sync()
      }
    } catch {
      folder.discard(name)
      throw AgentError(error.message)
    }
    let identity = folder.identity(of: name)
    known.withLock { $0.files[folder.full(name)] = identity }
  }

  private func isKnown(_ name: String, in folder: SafeFolder) -> Bool {
    guard let identity = folder.identity(of: name) else { return false }
    return known.withLock { $0.files[folder.full(name)] } == identity
  }

  /// Replaces a file for people and programs that look at the agent.
  static func write(_ bytes: [UInt8], to name: String, in folder: SafeFolder) throws(AgentError) {
    do throws(FileError) {
      try folder.prepare(bytes, as: name, permissions: permissions)
      try folder.commit(name)
    } catch {
      folder.discard(name)
      throw AgentError(error.message)
    }
  }
}

/// Why the agent can't do its work: a clause.
struct AgentError: Error, Hashable, Sendable {
  let message: String

  init(_ message: String) { self.message = message }
}
#endif
