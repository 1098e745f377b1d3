import PinValidator
import Synchronization

extension PintleService {
  /// Looks at a file again and again, until cancelled.
  func watch(_ file: WatchedFile) async {
    let watched = ManifestFile(path: file.path, store: store)
    var wait = Duration.zero
    while (try? await pacing.clock.sleep(for: wait)) != nil {
      wait = file.interval
      let result = await blocking { () -> Result<PinStore.Activation?, UpdateError> in
        do throws(UpdateError) { return .success(try watched.checkForChange()) } catch { return .failure(error) }
      }
      took(result, of: file)
    }
  }

  private func took(_ result: Result<PinStore.Activation?, UpdateError>, of file: WatchedFile) {
    switch result {
    case .success(let activation):
      state.withLock { state in
        state.unreadableFile = nil
        if activation != nil { state.rejection = nil }
      }
    case .failure(let error) where error.code == .unreadableFile:
      let message = error.message
      log.fileUnreadable(message, at: store.now)
      state.withLock { $0.unreadableFile = message }
    case .failure(let error):
      state.withLock { $0.unreadableFile = nil }
      took(error, from: file.path)
    }
  }
}
