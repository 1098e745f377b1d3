import Foundation
import Glibc
import Synchronization

/// Removes a directory when the process ends: for what a `static let` keeps, whose `deinit` never runs.
func removeAtExit(_ path: String) {
  _ = registration
  doomed.withLock { _ = $0.insert(path) }
}

/// Removes a directory now.
func removeNow(_ path: String) {
  doomed.withLock { _ = $0.remove(path) }
  try? FileManager.default.removeItem(atPath: path)
}

private let doomed = Mutex<Set<String>>([])

private let registration: Void = {
  atexit {
    for path in doomed.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
  }
}()
