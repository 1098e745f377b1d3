#if Service
import PinValidator
import Synchronization

extension PintleService {
  /// Looks at the folder of keysets and at the manifest's file again and again, until cancelled.
  ///
  /// The folder comes first: a manifest that new signers signed is put there together with the keyset that names them.
  func watch() async {
    let file = settings.file.map { (watched: $0, manifest: ManifestFile(path: $0.path, store: store)) }
    let folder = settings.keysetFolder.map { (watched: $0, keysets: KeysetFolder(path: $0.path, store: store)) }
    let interval = [file?.watched.interval, folder?.watched.interval].compactMap { $0 }.min() ?? .seconds(10)
    var wait = Duration.zero
    while true {
      let end = await watchWait.sleep(for: wait, on: pacing.clock)
      if end == .cancelled { break }
      wait = interval
      if let folder {
        let result = await updating { () throws(UpdateError) in try folder.keysets.checkForChange() }
        took(result, of: folder.watched)
      }
      if let file {
        let result = await updating { () throws(UpdateError) in try file.manifest.checkForChange() }
        took(result, of: file.watched)
      }
      if end == .requested { try? await pacing.clock.sleep(for: Self.pauseAfterRequest) }
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
#endif
