import Foundation
import Glibc
import Synchronization

/// Removes a directory when the process ends: for what a `static let` keeps, whose `deinit` never runs.
package func removeAtExit(_ path: String) {
  _ = registration
  doomed.withLock { $0.append(path) }
}

private let doomed = Mutex<[String]>([])

private let registration: Void = {
  atexit {
    for path in doomed.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
  }
}()
