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
    case .block(let reason, _): self.init(.fails, Cause(reason).short)
    case .allow(.mismatchReported(let mismatch), _):
      self.init(.caution, Cause(mismatch).short + ", only reported")
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
}
