import PinFormat
import PinPolicy
import PinProbe
import PinValidator

/// What the pins of an entry come to in one cell.
enum PinState {
  /// Trust evaluation failed or nothing pins here, so there is nothing to say of pins.
  case unknown
  /// The requirement is met, by backup keys only where `backup` names some.
  case matched(backup: [String])
  case mismatched(PinMismatch)
  case denied(KeyMatch)

  var isMatched: Bool { if case .matched = self { true } else { false } }
  var mismatch: PinMismatch? { if case .mismatched(let mismatch) = self { mismatch } else { nil } }
}

/// How a validated chain fails to satisfy an entry.
struct PinMismatch: Hashable {
  enum Kind: Hashable {
    case noKey
    case leafMissing
    case authorityMissing
  }

  var kind: Kind
  /// Keys of the set that are there and may not be where they do.
  var misplaced: [KeyMatch]
}

extension LiveFacts {
  func pinState(_ judged: LiveTarget.Judged, of target: LiveTarget) -> PinState {
    let path = judged.path
    guard target.isPinned, path.failures.isEmpty, let verdict = path.verdict else { return .unknown }
    switch verdict {
    case .allow(.matched, _): return .matched(backup: backups(path.matches.filter(\.satisfies), of: target))
    case .allow(.matchedBoth, _):
      let matches = path.matches.filter(\.satisfies)
      // Either the leaf or the CA may match only a backup.
      let halves = [matches.filter { $0.certificate == 0 }, matches.filter { $0.certificate > 0 }]
      return .matched(backup: halves.flatMap { backups($0, of: target) })
    case .allow(.mismatchReported(let mismatch), _), .block(.mismatch(let mismatch), _):
      let kind: PinMismatch.Kind =
        switch mismatch {
        case .noKey: .noKey
        case .leafMissing: .leafMissing
        case .authorityMissing: .authorityMissing
        }
      return .mismatched(PinMismatch(kind: kind, misplaced: path.matches.filter { !$0.counts && !$0.isDenied }))
    case .block(.deniedKey, _): return path.matches.first(where: \.isDenied).map { .denied($0) } ?? .unknown
    case .block, .notPinned: return .unknown
    }
  }

  /// The names of the keys where all that match are backups.
  private func backups(_ matches: [KeyMatch], of target: LiveTarget) -> [String] {
    guard !matches.isEmpty, matches.allSatisfy(\.isBackup) else { return [] }
    return Set(matches.map(\.key)).sorted()
  }
}

extension KeyMatch {
  /// True where the key counts for the entry's requirement.
  var satisfies: Bool { counts && !isDenied }
}
