#if Service
import Logging
import PinFormat
import PinValidator

/// What is reported about keysets.
extension ServiceLog {
  func keysetsNotFollowed() {
    logger.notice("newer keysets are not followed: neither URLs nor a folder of them are set")
  }

  func keysetActivated(_ status: PinStore.Status, replacing old: Int64) {
    logger.notice("keyset activated", metadata: Self.facts(of: status).merging(["previous-keyset": "\(old)"]) { $1 })
  }

  func keysetRejected(_ error: UpdateError, from place: String, at now: Instant) {
    limited("keyset rejected", .error, error.code.description + " " + place, at: now) {
      ["code": "\(error.code)", "reason": "\(error.message)", "from": "\(place)"]
    }
  }

  func keysetFailed(_ failure: FetchFailure, from place: String, at now: Instant) {
    guard failure.code != .waiting, failure.code != .cancelled else { return }
    limited("keyset fetch failed", .warning, failure.code.description + " " + place, at: now) {
      ["code": "\(failure.code)", "reason": "\(failure.message)", "from": "\(place)"]
    }
  }

  /// A mirror that sends what is in force in place of what follows doesn't look at the number that it is asked for.
  func keysetRepeated(_ version: Int64, from place: String, at now: Instant) {
    limited("keyset fetch failed", .warning, "repeated " + place, at: now) {
      ["code": "repeated", "reason": "version \(version) was sent, which is in force", "from": "\(place)"]
    }
  }

  /// Says so where a keyset expires soon or has expired, or doesn't endorse the manifest in force.
  func keyset(_ status: PinStore.Status, warning: Int64) {
    guard let keyset = status.keyset else { return }
    if status.isKeysetExpired {
      limited("keyset expired", .error, "\(keyset.version)", at: status.now) { Self.facts(of: status) }
    } else if keyset.expires.seconds(since: status.now) < warning {
      limited("keyset expires soon", .warning, "\(keyset.version)", at: status.now) { Self.facts(of: status) }
    }
    if !status.isEndorsed, let manifest = status.manifest {
      limited("manifest not endorsed", .warning, "\(keyset.version) \(manifest.serial)", at: status.now) {
        ["keyset": "\(keyset.version)", "serial": "\(manifest.serial)"]
      }
    }
  }

  static func facts(of status: PinStore.Status) -> Logger.Metadata {
    guard let keyset = status.keyset else { return [:] }
    return [
      "keyset": "\(keyset.version)", "keyset-expires": "\(keyset.expires)",
      "keyset-days-left": "\(status.keysetDaysLeft ?? 0)",
    ]
  }
}
#endif
