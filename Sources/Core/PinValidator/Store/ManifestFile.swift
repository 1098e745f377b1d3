import OpenSSLKit
import PinFormat

/// A manifest file that something else replaces: a package, a configuration service, a mounted volume.
///
/// Nothing runs by itself: anybody who has a timer calls ``checkForChange()``, which costs one system call as long as
/// the file is the same. The file may be a symbolic link that is made to lead elsewhere. Replace the file in one step,
/// by renaming; one that is seen half written is refused by its signatures, and looked at again.
public final class ManifestFile: Sendable {
  /// The file.
  public let path: String
  private let store: PinStore
  private let offered = Guarded<Offer?>(nil)

  /// The file whose bytes were last offered to the store.
  private struct Offer: Sendable {
    let file: FileIdentity
    let isRefused: Bool
    /// Under the keyset of this version, where there is one.
    let keyset: Int64?
    /// By the store's time.
    let instant: Instant
  }

  /// Watches a file for a store.
  ///
  /// - Parameters:
  ///   - path: The file; it need not be there yet.
  ///   - store: Who is to take it.
  public init(path: String, store: PinStore) {
    self.path = path
    self.store = store
  }

  /// Offers the file to the store where it isn't the one that was offered last.
  ///
  /// What was refused isn't offered again until the file changes, or a newer keyset is trusted, which may name those who
  /// signed it, or a clock that was ahead was put right; unless it could not be read or kept.
  ///
  /// - Returns: The result; nil where the file is the same.
  /// - Throws: ``UpdateError``, of code `unreadable-file` where the file isn't there or can't be read.
  @discardableResult
  public func checkForChange() throws(UpdateError) -> PinStore.Activation? {
    let before = FileIdentity(of: path)
    let keyset = store.keyset?.version
    if let before, let known = offered.withLock({ $0 }) ?? nil, known.file == before,
      !isWanted(known, under: keyset)
    {
      return nil
    }
    do throws(UpdateError) {
      let activation = try store.update(file: path)
      remember(before, isRefused: false, under: keyset)
      return activation
    } catch {
      if error.code != .notStored, error.code != .unreadableFile {
        remember(before, isRefused: true, under: keyset)
      }
      throw error
    }
  }

  /// Whether to offer the same file once more.
  private func isWanted(_ known: Offer, under keyset: Int64?) -> Bool {
    known.isRefused && (known.keyset != keyset || known.instant > store.now)
  }

  /// Keeps in mind what was read, if it is still what is there, and not so young that it could change without its time
  /// being another.
  private func remember(_ before: FileIdentity?, isRefused: Bool, under keyset: Int64?) {
    guard let before, before.isSettled(in: path) else { return }
    _ = offered.withLock { $0 = Offer(file: before, isRefused: isRefused, keyset: keyset, instant: store.now) }
  }
}
