#if Service
import Glibc
import Logging
import PinFormat
import PinValidator
import Synchronization

extension PintleService {
  /// Takes note of what came of asking the mirrors of keysets.
  func took(_ walk: KeysetFetch) {
    let now = store.now
    metrics.count(walk)
    var refusal: UpdateError?
    for attempt in walk.attempts {
      switch attempt.result {
      case .rejected(let error):
        refusal = error
        tell(error, ofKeysetFrom: attempt.url)
      case .failed(let failure): log.keysetFailed(failure, from: attempt.url, at: now)
      case .repeated: log.keysetRepeated(attempt.version - 1, from: attempt.url, at: now)
      case .activated, .taken, .none: continue
      }
    }
    guard !walk.attempts.isEmpty else { return }
    state.withLock { state in
      state.failedWalks = walk.hasFailed ? state.failedWalks + 1 : 0
      state.keysetRejection = walk.hasFailed ? refusal ?? state.keysetRejection : nil
    }
    noteKeyset()
  }

  /// Takes note of what came of looking at the folder of keysets.
  func took(_ result: Result<[PinStore.KeysetActivation], UpdateError>, of folder: WatchedFolder) {
    var problem = folder.problem
    switch result {
    case .success:
      // A rejected file isn't read again, so it isn't reported again; it stays rejected while it exists.
      let isRefusalOver = !folder.holds((store.keyset?.version ?? 0) + 1)
      if isRefusalOver { state.withLock { $0.folderRejection = nil } }
    case .failure(let error) where error.code == .unreadableFile: problem = error.message
    case .failure(let error):
      tell(error, ofKeysetFrom: folder.path)
      state.withLock { $0.folderRejection = error }
    }
    if let problem { log.problem("keysets unreadable", problem, at: store.now) }
    state.withLock { $0.unreadableKeysets = problem }
    noteKeyset()
  }

  private func tell(_ error: UpdateError, ofKeysetFrom place: String) {
    metrics.countKeysetRejection(error)
    log.keysetRejected(error, from: place, at: store.now)
  }

  /// Counts and shows the keysets that are trusted since the last time, no matter who brought them: this service,
  /// another process that shares the store's folder, or other code that has the store.
  func noteKeyset() {
    let status = store.status
    guard let keyset = status.keyset else { return }
    let old = state.withLock { state in
      defer { state.toldKeyset = keyset.version }
      return state.toldKeyset ?? keyset.version
    }
    guard keyset.version != old else { return }
    metrics.countKeysetActivations(max(0, keyset.version - old))
    metrics.show(status, lastFetch: state.withLock { $0.lastFetch })
    log.keysetActivated(status, replacing: old)
  }
}

extension WatchedFolder {
  /// Why nothing can be found in the folder; a folder that isn't there looks like one without keysets otherwise.
  fileprivate var problem: String? {
    guard access(path, R_OK | X_OK) != 0 else { return nil }
    return "can't look into '\(path)': " + String(cString: strerror(errno))
  }

  /// Whether there is a file for a version.
  fileprivate func holds(_ version: Int64) -> Bool { access("\(path)/\(version).keyset.json", F_OK) == 0 }
}
#endif
