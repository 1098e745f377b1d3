import CLibC
import OpenSSLKit

/// A folder of keyset files that something else fills: a package, a configuration service, a mounted volume.
///
/// A keyset of version N is called `N.keyset.json`. Nothing runs by itself: anybody who has a timer calls
/// ``checkForChange()``, which costs one system call as long as there is none for the next version.
public final class KeysetFolder: Sendable {
  /// The folder.
  public let path: String
  private let store: PinStore
  private let steps: Int
  /// Of the file that was last refused.
  private let refused = Guarded<FileIdentity?>(nil)

  /// The most versions that are taken in one go.
  public static let maximumSteps = 256

  /// Looks into a folder for a store.
  ///
  /// - Parameters:
  ///   - path: The folder; it need not be there yet.
  ///   - store: Who is to take the keysets.
  public convenience init(path: String, store: PinStore) {
    self.init(path: path, store: store, steps: Self.maximumSteps)
  }

  package init(path: String, store: PinStore, steps: Int) {
    self.path = path
    self.store = store
    self.steps = steps
  }

  /// Offers the next version to the store, and those that follow, as long as they are there, at most 256.
  ///
  /// What was refused isn't offered again until the file changes, unless it could not be read or kept.
  ///
  /// - Returns: What came of each; nothing where there is no next version.
  /// - Throws: ``UpdateError`` for the first file that is refused; those before it are trusted.
  @discardableResult
  public func checkForChange() throws(UpdateError) -> [PinStore.KeysetActivation] {
    guard store.keyset != nil else {
      throw UpdateError(.noKeyset, "the service was made with fixed signers, so it accepts no keyset")
    }
    var activations: [PinStore.KeysetActivation] = []
    for _ in 0..<steps {
      guard let version = store.keyset?.version else { break }
      let file = path + "/" + String(version + 1) + ".keyset.json"
      guard let identity = FileIdentity(of: file), identity != refused.withLock({ $0 }) ?? nil else { break }
      do throws(UpdateError) {
        let activation = try store.update(keysetFile: file)
        // Under the next version's name, this file would be read again each time, without effect.
        if case .unchanged(let trusted) = activation, trusted.version == version {
          throw UpdateError(
            KeysetError(
              .olderVersion, "'\(file)' holds the keyset of version \(version), which is trusted already"))
        }
        activations.append(activation)
      } catch {
        // Another process may have updated first; then its newer keyset is trusted already.
        if store.keyset?.version != version { continue }
        if error.code != .notStored, error.code != .unreadableFile { remember(identity, of: file) }
        throw error
      }
    }
    return activations
  }

  private func remember(_ before: FileIdentity, of file: String) {
    guard before.isSettled(in: file) else { return }
    _ = refused.withLock { $0 = before }
  }
}

extension FileIdentity {
  /// Of a file, behind any links; nil where it isn't there.
  package init?(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Whether it is still the file's, and not so young that the file could change without its time being another.
  func isSettled(in path: String) -> Bool {
    self == FileIdentity(of: path) && Int64(time(nil)) - modifiedSeconds > 1
  }
}
