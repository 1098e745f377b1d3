import PinProbe
import PinValidator

/// What one path came to, in the few words that fit into a cell.
struct PathState: Hashable {
  var standing: Standing
  var words: String

  private init(_ standing: Standing, _ words: String) {
    self.standing = standing
    self.words = words
  }

  init(_ path: PathJudgement) {
    switch path.verdict {
    case nil: self = Self.unpinned("trusted, not pinned", path)
    case .notPinned(let reason, _): self = Self.unpinned(reason, path)
    case .block(let reason, _): self.init(.fails, Self.words(reason))
    case .allow(.mismatchReported(let mismatch), _):
      self.init(.caution, Self.words(mismatch) + ", only reported")
    case .allow:
      let counting = path.matches.filter { $0.counts && !$0.isDenied }
      if !counting.isEmpty, counting.allSatisfy(\.isBackup) {
        self.init(.caution, "backup only")
      } else {
        self.init(.holds, path.excused.isEmpty ? "holds" : "holds by exception")
      }
    }
  }

  private static func unpinned(_ reason: NotPinnedReason, _ path: PathJudgement) -> PathState {
    switch reason {
    case .noManifest, .noEntry: unpinned("trusted, not pinned", path)
    case .off: unpinned("trusted, pins off", path)
    case .expired(.entry): unpinned("not pinned: entry expired", path, .caution)
    case .expired(.manifest): unpinned("not pinned: policy expired", path, .caution)
    }
  }

  /// Without pins it is trust alone that counts.
  private static func unpinned(
    _ words: String, _ path: PathJudgement, _ standing: Standing = .trusted
  ) -> PathState {
    path.failures.first.map { PathState(.fails, $0.code.description) } ?? PathState(standing, words)
  }

  private static func words(_ reason: BlockReason) -> String {
    switch reason {
    case .untrusted(let failure): failure.code.description
    case .mismatch(let mismatch): words(mismatch)
    case .deniedKey: "denied key"
    case .expired(.entry): "blocked: entry expired"
    case .expired(.manifest): "blocked: policy expired"
    case .unpinnedHost: "not pinned, so denied"
    case .noManifest: "no manifest"
    case .invalidHost: "no host name"
    case .unreadableChain: "unreadable key"
    }
  }

  private static func words(_ mismatch: Mismatch) -> String {
    switch mismatch {
    case .noKey: "no pinned key"
    case .leafMissing: "no pinned key at the leaf"
    case .authorityMissing: "no pinned key above the leaf"
    }
  }
}
